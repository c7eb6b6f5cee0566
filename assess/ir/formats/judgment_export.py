"""Judgments and their history as files that leave the product: CSV with a header, or JSON lines."""

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Literal, NamedTuple, get_args

from assess.ir.common.rows import RELEVANT, Qrel
from assess.ir.formats.table import harmless

ExportFormat = Literal["csv", "jsonl"]
EXPORT_FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)


class ExportedJudgment(NamedTuple):
    """A judgment. ``kind``: post, formula or written; ``round``: main or additional (these make the qrels), dual or
    adjudication; times in seconds of attention and in ISO 8601; ``guide``: the version of the words it was made by.
    ``passage``: what was marked in the document."""

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
    passage: str


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
