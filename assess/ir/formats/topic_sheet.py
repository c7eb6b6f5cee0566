"""The labs' topic sheet: a table with a header, a line for each topic, and what the organizers noted about it."""

import csv
import io
from typing import BinaryIO, NamedTuple

from assess.ir.common.problems import Problems, refuse
from assess.ir.formats.packed import text_of

COLUMNS = ("category", "difficulty", "dependency")
LONGEST = 60


class SheetRow(NamedTuple):
    """A topic's category (computation, concept, proof), its difficulty, and what it depends on (text, formula, both),
    in the lab's words; empty if the sheet does not say."""

    topic_id: str
    category: str
    difficulty: str
    dependency: str


def read_topic_sheet(source: BinaryIO, name: str) -> list[SheetRow]:
    """The rows of a sheet, separated by commas or tabs; other columns are ignored. Raises ``BadInput`` for a file
    without the column Topic and one of the others, a line with another number of fields, an empty or repeated topic,
    and a text that is too long."""
    try:
        text = text_of(source, name)[0].decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise refuse(name, "is not UTF-8 text; save it as UTF-8") from error
    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="\t" if "\t" in first else ",")
    places = {column.strip().lower(): place for place, column in reversed(list(enumerate(next(reader, []))))}
    if "topic" not in places or not places.keys() & set(COLUMNS):
        raise refuse(name, "needs a header with Topic and at least one of Category, Difficulty and Dependency", 1)
    problems, rows = Problems(name), {}
    for fields in reader:
        if not any(field.strip() for field in fields):
            continue
        if wrong := wrong_fields(fields, len(first.split("\t" if "\t" in first else ","))):
            problems.add(reader.line_num, wrong)
            continue
        topic, *rest = (fields[places[word]].strip() if word in places else "" for word in ("topic", *COLUMNS))
        if not topic or topic in rows:
            problems.add(reader.line_num, f"topic {topic} is there twice: keep one line" if topic else "has no topic")
        rows[topic] = SheetRow(topic, *rest)
    problems.check()
    if not rows:
        raise refuse(name, "has no topic below the header")
    return list(rows.values())


def wrong_fields(fields: list[str], expected: int) -> str:
    """Why a line is refused; empty if it is not."""
    if len(fields) != expected:
        return f"expected {expected} fields as in the header, found {len(fields)}"
    if any(len(field) > LONGEST for field in fields):
        return f"a field has more than {LONGEST} characters"
    return ""
