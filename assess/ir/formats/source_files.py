"""Files with judgments made elsewhere, by people or by programs: qrels, tables with a header, results of a Turkle
batch, JSON lines."""

import io
import re
from collections.abc import Iterable
from typing import BinaryIO, NamedTuple

from assess.ir.common.ids import CONTROL, NEVER, wrong_id
from assess.ir.common.problems import Problem, Problems, refuse
from assess.ir.common.rows import (
    DO_NOT_KNOW,
    GRADES,
    LONGEST_NAME,
    LONGEST_TEXT,
    NOT_MATCHING,
    SYSTEM_FAILURE,
    SourceRow,
)
from assess.ir.formats.packed import decoded_text
from assess.ir.formats.qrels import read_qrels, repeat_notes
from assess.ir.formats.run_columns import RunFormat
from assess.ir.formats.source_records import READERS, Columns, SourceFormat, SourceRecord, format_of
from assess.ir.formats.table import parse_whole

WORDS: dict[str, tuple[int | None, str]] = {
    "high": (3, ""),
    "medium": (2, ""),
    "low": (1, ""),
    "not relevant": (0, ""),
    "non relevant": (0, ""),
    "nonrelevant": (0, ""),
    "irrelevant": (0, ""),
    "system failure": (None, SYSTEM_FAILURE),
    "do not know": (None, DO_NOT_KNOW),
    "don't know": (None, DO_NOT_KNOW),
    "not matching": (None, NOT_MATCHING),
}
EXPECTED = "0 to 3, High, Medium, Low, Not relevant, System failure, Do not know or Not matching"
BETWEEN = re.compile(r"[\s_-]+")


class SourceFile(NamedTuple):
    """The judgments in file order, at most one of each labeller on each item of a topic."""

    format: SourceFormat
    rows: list[SourceRow]
    notes: list[Problem]


def read_source(
    source: BinaryIO,
    name: str,
    file_format: SourceFormat | None = None,
    columns: Columns = Columns(),  # noqa: B008  # immutable
    run_format: RunFormat | None = None,
) -> SourceFile:
    """A whole file; its format shows in its first line unless it is given. ``run_format``: that of qrels, in which
    Task 3 has outcomes.

    A judgment without grade and outcome is unjudged: it is left out and counted in a note, and so are repeated ones.
    Raises ``BadInput`` for a missing column, a text that is neither grade nor outcome, an id that is none, and two
    different judgments of one item by one labeller.
    """
    content = source.read()
    text, changes = decoded_text(io.BytesIO(content), name)
    if not text.strip():
        raise refuse(name, "the file is empty")
    chosen = file_format or format_of(text, name)
    if chosen == "qrels":
        return from_qrels(io.BytesIO(content), name, run_format)
    problems = Problems(name)
    rows, notes = kept_rows(READERS[chosen](text, name, columns, problems), name, problems)
    return SourceFile(chosen, rows, [*(Problem(name, 1, change) for change in changes), *notes])


def from_qrels(source: BinaryIO, name: str, run_format: RunFormat | None) -> SourceFile:
    file = read_qrels(source, name, run_format)
    problems, rows = Problems(name), []
    for topic_id, unit_id, grade in file.qrels:
        outcome = file.outcomes.get((topic_id, unit_id), "")
        rows.append(SourceRow(topic_id, unit_id, None if outcome else grade, outcome))
        if wrong := wrong_ids(topic_id, unit_id):
            problems.add(0, wrong)
    problems.check()
    return SourceFile("qrels", refuse_empty(rows, name), file.notes)


def kept_rows(records: Iterable[SourceRecord], name: str, problems: Problems) -> tuple[list[SourceRow], list[Problem]]:
    """The judgments of records, and notes on those that were left out."""
    firsts: dict[tuple[str, str, str], tuple[int, SourceRow]] = {}
    repeated, unjudged, rejected = [], [], []
    for record in records:
        if record.is_rejected:
            rejected.append(record.line)
            continue
        if not record.grade and not record.outcome:
            unjudged.append(record.line)
            continue
        row = source_row(record, problems)
        if row is None:
            continue
        at, first = firsts.setdefault((row.topic_id, row.item_id, row.labeller), (record.line, row))
        if (first.grade, first.outcome) != (row.grade, row.outcome):
            who = "" if row.labeller else "if two people judged it, name the column that says who; else "
            reason = f"{row.item_id} in {row.topic_id} has another grade in line {at}"
            problems.add(record.line, f"{reason}: {who}keep one")
        elif first is not row:
            repeated.append(record.line)
    problems.check()
    notes = repeat_notes(name, repeated)
    if unjudged:
        notes.append(Problem(name, unjudged[0], f"{len(unjudged):,} without a grade are unjudged"))
    if rejected:
        notes.append(Problem(name, rejected[0], f"{len(rejected):,} that were rejected or ignored are left out"))
    return refuse_empty([row for _, row in firsts.values()], name), notes


def refuse_empty(rows: list[SourceRow], name: str) -> list[SourceRow]:
    if not rows:
        raise refuse(name, "holds no judgment; choose another file")
    return rows


def source_row(record: SourceRecord, problems: Problems) -> SourceRow | None:
    """The judgment of a record; None, with a problem, if it is refused."""
    meaning = grade_or_outcome(record.grade or record.outcome)
    reason = wrong_ids(record.topic, record.item) or wrong_texts(record)
    if meaning is None and not reason:
        reason = f"the grade must be {EXPECTED}, found {(record.grade or record.outcome)[:40]!r}"
    if reason or meaning is None:
        problems.add(record.line, reason)
        return None
    return SourceRow(record.topic, record.item, *meaning, record.labeller, record.comment)


def wrong_ids(topic: str, item: str) -> str:
    if wrong := wrong_id(topic):
        return f"the topic {wrong}"
    wrong = wrong_id(item)
    return f"the document {wrong}" if wrong else ""


def wrong_texts(record: SourceRecord) -> str:
    if len(record.labeller) > LONGEST_NAME or CONTROL.search(record.labeller) or NEVER.search(record.labeller):
        return f"the labeller must be a name of at most {LONGEST_NAME} characters"
    if len(record.comment) > LONGEST_TEXT or NEVER.search(record.comment):
        return f"the comment must be a text of at most {LONGEST_TEXT:,} characters without NUL and half surrogates"
    return ""


def grade_or_outcome(text: str) -> tuple[int | None, str] | None:
    """The grade or the outcome that a text means, in any case, with spaces, hyphens or underscores between words; None
    if it is neither."""
    number = parse_whole(text.strip())
    if number is not None:
        return (number, "") if number in GRADES else None
    return WORDS.get(BETWEEN.sub(" ", text.strip().lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")))
