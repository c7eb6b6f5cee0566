"""Judgments and their history as files that leave the product: CSV with a header, or JSON lines. And judgment files for
measuring agreement: assessor, item, grade or outcome."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import BinaryIO, Literal, get_args

from assess.ir.common.problems import Problems, refuse
from assess.ir.common.rows import GRADES, OUTCOMES, RELEVANT, JudgmentRow, Qrel
from assess.ir.formats.columns import names_of, places_of
from assess.ir.formats.source_records import is_rejected
from assess.ir.formats.table import as_meant, harmless, parse_whole, read_table, wrong_count

COLUMNS = ("assessor", "item", "grade")
NEEDED, OPTIONAL = ("labeller", "document", "grade"), ("topic", "outcome")
EXPORTED = {"unit", "round", "outcome"}
"""Columns that show a file of exported judgments."""
SETTLED = "adjudication"
"""The round whose judgments are no second opinion: experts saw what was judged before."""
ExportFormat = Literal["csv", "jsonl"]
EXPORT_FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)
PLACE = ("topic", "unit", "document", "kind", "assessor", "round")
JUDGMENT = (*PLACE, "grade", "outcome", "active_seconds", "created", "changed", "guide", "comment", "passage")
"""The columns of exported judgments. ``kind``: post, formula or written; ``round``: main or additional (these make the
qrels), dual or adjudication; times in seconds of attention and in ISO 8601; ``guide``: the version of the words it was
made by; ``passage``: what was marked in the document."""
CHANGES = ("at", "by", "old_decision", "decision", "active_seconds", "wall_seconds", "guide", "content_hash")
EVENT = (*PLACE, *CHANGES, "old_comment", "comment", "passage")
"""Those of their history. An empty ``decision`` took a judgment back; ``by``: who did that, the assessor or an
organizer."""
TRIPLE = ("topic", "item", "target")
"""What a learner is to predict for an item (a post, a written answer or a visually distinct formula) of a topic."""
TIMESHEET = ("assessor", "week", "monday", "active_minutes", "decisions")
"""Of an assessor in a week (ISO 8601, from ``monday`` on): minutes of attention, and the number of decisions."""
Row = Sequence[object]


class Line:
    """A file that keeps only what was written last."""

    write = staticmethod(str)


def write_export(rows: Iterable[Row], columns: Sequence[str], file_format: ExportFormat) -> Iterator[str]:
    """The lines of the file, one by one, so that any number of rows takes no memory."""
    if file_format == "jsonl":
        yield from (json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False) + "\n" for row in rows)
        return
    # With this ending the writer also quotes a carriage return; the lines themselves end with a newline.
    writer = csv.writer(Line(), lineterminator="\r\n")
    for cells in chain([columns], ([harmless(cell) for cell in row] for row in rows)):
        yield str(writer.writerow(cells)).removesuffix("\r\n") + "\n"


def training_triples(qrels: Iterable[Qrel], level: int = RELEVANT) -> Iterator[tuple[str, str, float]]:
    """What a learner is to predict: relevant ones 1, lower grades above 0 a half, others 0 (of the labs high and medium
    1, low 0.5, not relevant 0: Mansouri, 2022)."""
    for topic, unit, grade in qrels:
        yield topic, unit, 1.0 if grade >= level else 0.5 if grade > 0 else 0.0


def read_judgments(source: BinaryIO, name: str, labels: Sequence[str] = ()) -> list[JudgmentRow]:
    """The judgments of a file with a header such as ``assessor item grade``; or exported ones, which alone have units,
    and the grades and outcomes of their lab. Without a column for the topic, it is in the id of the item, before the
    first slash. ``labels``: what stands for the grades 0, 1, 2…, if it is not the numbers 0 to 3. Raises ``BadInput``
    for another header, an empty name, a grade that is neither such a label nor an outcome, a grade beside an outcome,
    a judgment that was rejected, and two of an item by one assessor."""
    table = read_table(source, name, names_of(*NEEDED))
    if table.header is None:
        found = " ".join(table.sample()[0])[:80]
        raise refuse(name, f"expected a header such as {' '.join(COLUMNS)}, found {found}", table.lines[0][0])
    is_export = set(table.header) >= EXPORTED
    if is_export and labels:
        raise refuse(name, "an export has its own grades: leave out the labels")
    places = places_of(NEEDED, OPTIONAL, table.header, name, table.header_line)
    problems, firsts, judgments = Problems(name), dict[tuple[str, str], int](), list[JudgmentRow]()
    grades = {label: grade for grade, label in enumerate(labels)}
    expected = f"{', '.join(labels) or '0 to 3'} or one of {', '.join(OUTCOMES)}"
    expected = "a whole number, or empty beside an outcome" if is_export else expected
    for at, fields in table.rows():
        if wrong := wrong_count(fields, table.header):
            problems.add(at, wrong)
            continue
        values = dict(zip(table.header, map(as_meant, fields), strict=True))
        if values.get("round") == SETTLED:
            continue
        assessor, item, grade, topic, outcome = (
            values[table.header[places[column]]] if column in places else "" for column in (*NEEDED, *OPTIONAL)
        )
        if "topic" in places and item:
            item = f"{topic}/{item}"
        label = read_label(grade, outcome, grades, is_export)
        reason = f"the grade must be {expected}, found {f'{grade} {outcome}'.strip()!r}" if label == (None, "") else ""
        if not assessor or not item:
            reason = f"the {'item' if assessor else 'assessor'} is empty"
        if reason := "was rejected: leave it out" if is_rejected(values) else reason:
            problems.add(at, reason)
            continue
        first = firsts.setdefault((assessor, item), at)
        if first != at:
            problems.add(at, f"{assessor} has already judged {item}, in line {first}: keep one of them")
        topic, slash, _ = item.partition("/")
        unit = values["unit"] if is_export else ""
        judgments.append(JudgmentRow(assessor, topic if slash else "", unit, item, *label))
    problems.check()
    return judgments


def read_label(text: str, outcome: str, grades: Mapping[str, int], is_export: bool) -> tuple[int | None, str]:
    """A grade or an outcome, which in an export has its own column; neither if there are both, or what is no label."""
    if text and outcome:
        return None, ""
    grade = grades.get(text) if grades else parse_whole(text)
    if grade is not None and (grades or is_export or grade in GRADES):
        return grade, ""
    if is_export:
        return None, outcome if outcome.isidentifier() else ""
    return None, text or outcome if (text or outcome) in OUTCOMES else ""
