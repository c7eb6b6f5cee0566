"""The people of a campaign as lines of text: who gets an account, which role and which topics."""

import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from assess.ir.common.problems import Problems
from assess.ir.formats.table import first_line, read_table
from assess.ir.formats.text import json_objects
from assess.models import Member
from assess.services.common.wording import listed

COLUMNS = ("username", "name", "email", "role", "topics")
WITHOUT_TOPICS = COLUMNS[:-1]
SYNONYMS = {"account": "username", "user": "username", "user name": "username", "e-mail": "email", "topic": "topics"}
JUDGING = (Member.Role.ASSESSOR, Member.Role.EXPERT)
LONGEST = 150
"""The most characters of a user name, and of a person's name."""


class Invitee(NamedTuple):
    """Whom to invite. Name and e-mail are for a new account; that of somebody who has one is not changed. ``topics``:
    the ids of those to judge."""

    username: str
    name: str = ""
    email: str = ""
    role: str = Member.Role.ASSESSOR
    topics: tuple[str, ...] = ()


def read_people(
    text: str, name: str, role: str = Member.Role.ASSESSOR, columns: Sequence[str] = COLUMNS
) -> list[Invitee]:
    """People, one on a line: JSON, or a table in the order of the ``columns`` unless a header names them. ``role``:
    that of lines without one. Topics are a list, or a text with spaces or commas between them. Raises BadInput with all
    that is wrong."""
    problems, people = Problems(name), list[tuple[int, Invitee]]()
    for line, row in rows_of(text, name, columns, problems):
        topics = row.pop("topics", None) or []
        topics = topics.replace(",", " ").split() if isinstance(topics, str) else topics
        if reason := wrong_row(row, topics, columns):
            problems.add(line, reason)
            continue
        given = {"role": role} | {key: value for key, value in row.items() if value}
        people.append((line, Invitee(**given | {"role": given["role"].lower(), "topics": tuple(map(str, topics))})))
    return check_people(people, problems)


def rows_of(text: str, name: str, columns: Sequence[str], problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    first = first_line(text)
    if first.startswith("{"):
        lines = enumerate(text.splitlines(), start=1)
        for number, row in json_objects(lines, problems, ": write one on each line, in braces"):
            yield number, {column_of(key): value for key, value in row.items()}
    if not first or first.startswith("{"):
        return
    table = read_table(io.BytesIO(text.encode(errors="surrogatepass")), name, headed=True)
    for number, cells in ((table.header_line, table.heads), *table.rows()):
        names = list(map(column_of, cells))
        if number == table.header_line and not {*names}.isdisjoint(COLUMNS):
            columns = names
        elif len(cells) > len(columns):
            problems.add(number, f"found {len(cells)} fields, at most {len(columns)} are known: {', '.join(columns)}")
        elif any(names):
            yield number, dict(zip(columns, cells, strict=False))


def column_of(name: str) -> str:
    name = name.strip().casefold()
    return SYNONYMS.get(name, name)


def wrong_row(row: Mapping[str, Any], topics: Any, columns: Sequence[str]) -> str:
    if unknown := {*row, *(["topics"] if topics else [])} - {*columns}:
        return f"no such column {listed(sorted(unknown))}: use {', '.join(columns)}"
    if not row.get("username"):
        return "has no username: name the account"
    if not all(isinstance(value, str) for value in row.values()):
        return "username, name, email and role must be texts"
    if not isinstance(topics, list) or not all(isinstance(topic, str | int) for topic in topics):
        return "topics must be a list of ids"
    return ""


def check_people(people: Sequence[tuple[int, Invitee]], problems: Problems) -> list[Invitee]:
    """Raises BadInput with all that is wrong with people, by their lines."""
    for line, person in people:
        if reason := wrong_person(person):
            problems.add(line, reason)
    for username, count in Counter(person.username for _, person in people).items():
        if count > 1:
            problems.add(0, f"{username} is listed {count} times: keep one line")
    if not people and not problems.counts:
        problems.add(0, f"nobody is listed: write one person on each line, with {', '.join(COLUMNS)}")
    problems.check()
    return [person for _, person in people]


def wrong_person(person: Invitee) -> str:
    if max(len(person.username), len(person.name)) > LONGEST:
        return f"a name has at most {LONGEST} characters"
    if person.role not in Member.Role.values:
        return f"the role is {person.role!r}: use {', '.join(Member.Role.values)}"
    if person.topics and person.role not in JUDGING:
        return f"{person.username} has topics, but the role {person.role}: use {' or '.join(JUDGING)}"
    return invalid("user name", person.username, User.username_validator) or (
        invalid("e-mail address", person.email, validate_email) if person.email else ""
    )


def invalid(field: str, value: str, check: Callable[[str], None]) -> str:
    try:
        check(value)
    except ValidationError as error:
        return f"{value!r} is not a valid {field}: {' '.join(map(str, error.messages))}"
    return ""
