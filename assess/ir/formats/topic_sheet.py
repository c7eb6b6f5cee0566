"""The labs' topic sheet: a table with a header, a line for each topic, and what the organizers noted about it."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import BinaryIO, NamedTuple

from assess.ir.common.problems import Problems, refuse
from assess.ir.common.rows import CONTROL
from assess.ir.formats.table import read_table, wrong_count

COLUMNS = ("category", "difficulty", "dependency")
KNOWN = ("", "topic", *COLUMNS)
LONGEST = 60


class SheetRow(NamedTuple):
    """A topic's category (computation, concept, proof), its difficulty, and what it depends on (text, formula, both),
    in the lab's words; empty if the sheet does not say. ``more``: the other columns of the sheet, by their heads."""

    topic_id: str
    category: str
    difficulty: str
    dependency: str
    more: Mapping[str, str] = MappingProxyType({})

    @property
    def words(self) -> dict[str, str]:
        """All that is noted, by column."""
        return {column: getattr(self, column) for column in COLUMNS} | dict(self.more)


def read_topic_sheet(source: BinaryIO, name: str) -> list[SheetRow]:
    """The rows of a sheet, separated by commas or tabs. Raises ``BadInput`` for a file without the column Topic and one
    of the known others, a line with another number of fields, an empty or repeated topic, and a text that is too
    long."""
    table = read_table(source, name, headed=True)
    header = [column[:LONGEST] for column in table.heads]
    places = {column.lower(): place for place, column in reversed(list(enumerate(header)))}
    if "topic" not in places or not places.keys() & set(COLUMNS):
        raise refuse(
            name, "needs a header with Topic and at least one of Category, Difficulty and Dependency", table.header_line
        )
    problems, rows = Problems(name), {}
    for number, fields in table.rows():
        if not any(fields):
            continue
        if wrong := wrong_fields(fields, header):
            problems.add(number, wrong)
            continue
        topic, category, difficulty, dependency = (
            fields[places[word]] if word in places else "" for word in ("topic", *COLUMNS)
        )
        if not topic or topic in rows:
            problems.add(number, f"topic {topic} is there twice: keep one line" if topic else "has no topic")
        more = {header[places[word]]: fields[places[word]] for word in reversed(places) if word not in KNOWN}
        rows[topic] = SheetRow(topic, category, difficulty, dependency, more)
    problems.check()
    if not rows:
        raise refuse(name, "has no topic below the header")
    return list(rows.values())


def wrong_fields(fields: list[str], header: list[str]) -> str:
    if wrong := wrong_count(fields, header):
        return wrong
    if any(len(field) > LONGEST for field in fields):
        return f"a field has more than {LONGEST} characters"
    if any(CONTROL.search(field) for field in fields):
        return "a field contains a control character, such as NUL or a line break"
    return ""


def column_of(rows: Iterable[SheetRow], column: str, name: str) -> dict[str, str]:
    """What the sheet notes of each topic in a column, whatever its case. Raises ``BadInput`` for an unknown one."""
    words = {row.topic_id: {head.lower(): word for head, word in row.words.items()} for row in rows}
    heads = {head: None for row in rows for head in row.words}
    if column.lower() not in {head.lower() for head in heads}:
        raise refuse(name, f"has no column {column}: choose from {', '.join(heads)}", 1)
    return {topic: noted[column.lower()] for topic, noted in words.items()}
