"""The labs' topic sheet: a table with a header, a line for each topic, and what the organizers noted about it."""

from typing import BinaryIO

from assess.ir.common.problems import Problems, refuse
from assess.ir.common.rows import CONTROL
from assess.ir.formats.table import read_table, wrong_count

COLUMNS = ("category", "difficulty", "dependency")
KNOWN = ("", "topic", *COLUMNS)
LONGEST = 60

Sheet = dict[str, dict[str, str]]
"""By topic what is noted of it, in the lab's words: its category (computation, concept, proof), its difficulty and what
it depends on (text, formula, both), empty if the sheet does not say; then the other columns, by their heads."""


def read_topic_sheet(source: BinaryIO, name: str) -> Sheet:
    """A sheet separated by commas or tabs. Raises ``BadInput`` for a file without the column Topic and one of the known
    others, a line with another number of fields, an empty or repeated topic, and a text that is too long."""
    table = read_table(source, name, headed=True)
    header = [column[:LONGEST] for column in table.heads]
    places = {column.lower(): place for place, column in reversed(list(enumerate(header)))}
    if "topic" not in places or not places.keys() & set(COLUMNS):
        reason = "needs a header with Topic and at least one of Category, Difficulty and Dependency"
        raise refuse(name, reason, table.header_line)
    problems, sheet = Problems(name), Sheet()
    for number, fields in table.rows():
        if not any(fields):
            continue
        if wrong := wrong_fields(fields, header):
            problems.add(number, wrong)
            continue
        topic = fields[places["topic"]]
        if not topic or topic in sheet:
            problems.add(number, f"topic {topic} is there twice: keep one line" if topic else "has no topic")
        sheet[topic] = {column: fields[places[column]] if column in places else "" for column in COLUMNS}
        sheet[topic] |= {header[places[word]]: fields[places[word]] for word in reversed(places) if word not in KNOWN}
    problems.check()
    if not sheet:
        raise refuse(name, "has no topic below the header")
    return sheet


def wrong_fields(fields: list[str], header: list[str]) -> str:
    if wrong := wrong_count(fields, header):
        return wrong
    if any(len(field) > LONGEST for field in fields):
        return f"a field has more than {LONGEST} characters"
    if any(CONTROL.search(field) for field in fields):
        return "a field contains a control character, such as NUL or a line break"
    return ""


def column_of(sheet: Sheet, column: str, name: str) -> dict[str, str]:
    """What the sheet notes of each topic in a column, whatever its case. Raises ``BadInput`` for an unknown one."""
    heads = {head.lower(): head for head in next(iter(sheet.values()))}
    if column.lower() not in heads:
        raise refuse(name, f"has no column {column}: choose from {', '.join(heads.values())}", 1)
    return {topic: noted[heads[column.lower()]] for topic, noted in sheet.items()}
