"""The people of a new campaign, from a file: who gets an account, which role and which topics."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction

from assess.ir.common.problems import Problems
from assess.ir.formats.table import csv_rows, separator_in
from assess.ir.formats.text import json_objects
from assess.models import Campaign, Member
from assess.services.campaign import accounts
from assess.services.campaign.invitations import Invitee, invite_people, wrong
from assess.services.common import history
from assess.services.common.wording import listed

COLUMNS = ("username", "name", "email", "role", "topics")
SYNONYMS = {"account": "username", "user": "username", "user name": "username", "e-mail": "email", "topic": "topics"}
JUDGING = (Member.Role.ASSESSOR, Member.Role.EXPERT)


class Listed(NamedTuple):
    """A person of the file, and the topics that this person is to judge."""

    invitee: Invitee
    topics: tuple[str, ...]


class Joined(NamedTuple):
    """What became of a person: the path of the one-time ``link`` of a new account, which is a member at once; empty for
    somebody who had an account, and has to accept an invitation."""

    user: User
    listed: Listed
    link: str


def read_people(text: str, name: str) -> list[Listed]:
    """People, one on a line: JSON, or a table with a header. Topics are a list, or a text with spaces or commas between
    them. Raises BadInput with all that is wrong."""
    problems, people = Problems(name), dict[str, Listed]()
    for line, row in rows_of(text, name, problems):
        row = {SYNONYMS.get(key.strip().casefold(), key.strip().casefold()): value for key, value in row.items()}
        topics = row.pop("topics", None) or []
        topics = topics.replace(",", " ").split() if isinstance(topics, str) else topics
        reason = wrong_row(row, topics)
        if not reason:
            invitee = Invitee(**{key: value for key, value in row.items() if value})
            person = Listed(invitee._replace(role=invitee.role.lower()), tuple(map(str, topics)))
            reason = wrong_person(person, people)
            people[invitee.username] = person
        if reason:
            problems.add(line, reason)
    if not people:
        problems.add(0, f"nobody is listed: write one person on each line, with {', '.join(COLUMNS)}")
    problems.check()
    return list(people.values())


def rows_of(text: str, name: str, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if lines and lines[0][1].lstrip().startswith("{"):
        yield from json_objects(lines, problems, ": write one on each line, in braces")
    elif lines:
        rows = csv_rows(lines, name, separator_in(lines[0][1]))
        _, header = next(rows, (0, []))
        yield from ((number, dict(zip(header, map(str.strip, cells), strict=False))) for number, cells in rows)


def wrong_row(row: Mapping[str, Any], topics: Any) -> str:
    if unknown := row.keys() - set(COLUMNS):
        return f"no such column {listed(sorted(unknown))}: use {', '.join(COLUMNS)}"
    if not row.get("username"):
        return "has no username: name the account"
    if not all(isinstance(value, str) for value in row.values()):
        return "username, name, email and role must be texts"
    if not isinstance(topics, list) or not all(isinstance(topic, str | int) for topic in topics):
        return "topics must be a list of ids"
    return ""


def wrong_person(person: Listed, before: Mapping[str, Listed]) -> str:
    invitee = person.invitee
    if invitee.username in before:
        return f"{invitee.username} is listed twice: keep one line"
    if person.topics and invitee.role not in JUDGING:
        return f"{invitee.username} has topics, but the role {invitee.role}: use {' or '.join(JUDGING)}"
    return wrong(invitee, 0)


@transaction.atomic
def add_people(campaign: Campaign, people: list[Listed], by: User, name: str) -> list[Joined]:
    """Make an account and a membership for everybody who has none, and invite the others: nobody becomes a member
    unasked, but who uses the link of a new account knows what it is for."""
    known = {
        user.username: user for user in User.objects.filter(username__in=[each.invitee.username for each in people])
    }
    if invited := [each.invitee for each in people if each.invitee.username in known]:
        invite_people(campaign, invited, by, name)
    joined = []
    for person in people:
        invitee = person.invitee
        if invitee.username in known:
            joined.append(Joined(known[invitee.username], person, ""))
            continue
        user = accounts.make_account(invitee.username, by, invitee.name, invitee.email)
        Member.objects.create(campaign=campaign, user=user, role=invitee.role)
        joined.append(Joined(user, person, accounts.new_link(user)))
    if new := [each.user.username for each in joined if each.link]:
        history.note(by, "Accounts made", campaign, [listed(new)], page="members")
    return joined
