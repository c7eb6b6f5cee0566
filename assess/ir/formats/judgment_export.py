"""Judgments and their history as files that leave the product: CSV with a header, or JSON lines."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, BinaryIO, Literal, NamedTuple, get_args

from assess.ir.common.problems import Problems, refuse
from assess.ir.common.rows import RELEVANT, Qrel
from assess.ir.formats.packed import unpacked
from assess.ir.formats.table import csv_rows, harmless, parse_int
from assess.ir.formats.text import decoded_text, json_object

ExportFormat = Literal["csv", "jsonl"]
EXPORT_FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)

LONGEST_OUTCOME = 20


class ExportedJudgment(NamedTuple):
    """A judgment. ``kind``: post, formula or written; ``round``: main or additional (these make the qrels), dual or
    adjudication; times in seconds of attention and in ISO 8601; ``guide``: the version of the words it was made by.
    ``passage``: what was marked in the document; older files lack this column."""

    topic: str
    unit: str
    document: str
    kind: str
    assessor: str
    round: str
    grade: int | None
    outcome: str
    active_seconds: float
    created: str
    changed: str
    guide: str
    comment: str
    passage: str = ""


class ExportedEvent(NamedTuple):
    """One change of a judgment; an empty ``decision`` took it back. ``by``: who did that, the assessor or an
    organizer."""

    topic: str
    unit: str
    document: str
    kind: str
    assessor: str
    round: str
    at: str
    by: str
    old_decision: str
    decision: str
    active_seconds: float
    wall_seconds: float
    guide: str
    content_hash: str
    old_comment: str
    comment: str
    passage: str


class TrainingTriple(NamedTuple):
    """What a learner is to predict for an item (a post, a written answer or a visually distinct formula) of a topic."""

    topic: str
    item: str
    target: float


class TimesheetRow(NamedTuple):
    """An assessor's minutes of attention in a week (ISO 8601, which begins on ``monday``), and how many decisions these
    were."""

    assessor: str
    week: str
    monday: str
    active_minutes: float
    decisions: int


Exported = ExportedJudgment | ExportedEvent | TrainingTriple | TimesheetRow


class Line:
    """A file that keeps only what was written last."""

    write = staticmethod(str)


def write_export(rows: Iterable[Exported], columns: Sequence[str], file_format: ExportFormat) -> Iterator[str]:
    """The lines of the file, one by one, so that any number of rows takes no memory."""
    if file_format == "jsonl":
        yield from (json.dumps(row._asdict(), ensure_ascii=False) + "\n" for row in rows)
        return
    # With this ending the writer also quotes a carriage return; the lines themselves end with a newline.
    writer = csv.writer(Line(), lineterminator="\r\n")
    for cells in chain([columns], ([harmless(cell) for cell in row] for row in rows)):
        yield str(writer.writerow(cells)).removesuffix("\r\n") + "\n"


def training_triples(qrels: Iterable[Qrel], level: int = RELEVANT) -> Iterator[TrainingTriple]:
    """What a learner is to predict: relevant ones 1, lower grades above 0 a half, others 0 (of the labs high and medium
    1, low 0.5, not relevant 0: Mansouri, 2022)."""
    for topic, unit, grade in qrels:
        yield TrainingTriple(topic, unit, 1.0 if grade >= level else 0.5 if grade > 0 else 0.0)


def is_export(source: BinaryIO, name: str) -> bool:
    """Whether a file holds exported judgments; it is at its beginning before and after."""
    first = unpacked(source, name).readline().decode(errors="replace")
    source.seek(0)
    return is_header(first)


def is_header(first: str) -> bool:
    line = first.removeprefix("\ufeff").strip()
    return line.startswith("{") or line.removesuffix(",passage").split(",") == list(ExportedJudgment._fields[:-1])


def read_export(source: BinaryIO, name: str) -> list[ExportedJudgment]:
    """The judgments of a file of either format. Raises ``BadInput`` for another file, a line with other fields,
    and a grade or outcome that is none."""
    text = decoded_text(source, name)
    if not is_header(text.partition("\n")[0]):
        raise refuse(name, f"is no export of judgments: its columns are {', '.join(ExportedJudgment._fields)}", 1)
    problems, judgments = Problems(name), []
    for number, fields in records(text, name):
        judgment = judgment_of(fields)
        if judgment is None:
            expected = ", ".join(ExportedJudgment._fields)
            problems.add(number, f"expected the fields {expected}, with a grade or an outcome")
        else:
            judgments.append(judgment)
    problems.check()
    return judgments


def records(text: str, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The number of each line (the first one of a record) and its fields by name."""
    if text.lstrip().startswith("{"):
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield number, json_object(line) or {}
        return
    rows = csv_rows(list(enumerate(io.StringIO(text, newline="\n"), start=1)), name, ",")
    _, header = next(rows)
    for number, row in rows:
        yield number, dict(zip(header, (cell.removeprefix("'") for cell in row), strict=False))


def judgment_of(fields: dict[str, Any]) -> ExportedJudgment | None:
    """None unless all fields are there, and either a grade, which is a whole number, or the word of an outcome."""
    if {"passage", *fields} != set(ExportedJudgment._fields):
        return None
    text, outcome = str(fields["grade"]), str(fields["outcome"])
    grade = parse_int(text)
    if (grade is None) != (text in ("", "None")) or (grade is None) == (outcome == ""):
        return None
    if outcome and not (outcome.isidentifier() and len(outcome) <= LONGEST_OUTCOME):
        return None
    return ExportedJudgment(**{**fields, "grade": grade})
