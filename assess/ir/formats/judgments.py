"""Judgment files, for measuring agreement: assessor, item, grade or outcome."""

from collections.abc import Mapping, Sequence
from typing import BinaryIO

from assess.ir.common.problems import Problems, refuse
from assess.ir.common.rows import GRADES, OUTCOMES, JudgmentRow
from assess.ir.formats.columns import names_of, places_of
from assess.ir.formats.judgment_export import is_export, read_export
from assess.ir.formats.source_records import is_rejected
from assess.ir.formats.table import parse_whole, read_table, wrong_count

COLUMNS = ("assessor", "item", "grade")

SETTLED = "adjudication"
"""The round whose judgments are no second opinion: experts saw what was judged before."""


def read_judgments(source: BinaryIO, name: str, labels: Sequence[str] = ()) -> list[JudgmentRow]:
    """The judgments of a file with a header such as ``assessor item grade``; or those of an export (`judgment_export`),
    which alone have units. Without a column for the topic, it is in the id of the item, before the first slash.
    ``labels``: what stands for the grades 0, 1, 2…, if it is not the numbers 0 to 3. Raises ``BadInput`` for another
    header, an empty name, a grade that is neither such a label nor an outcome, a judgment that was rejected, and two of
    an item by one assessor."""
    if is_export(source, name):
        if labels:
            raise refuse(name, "an export has its own grades: leave out the labels")
        exported = (row for row in read_export(source, name) if row.round != SETTLED)
        return [
            JudgmentRow(row.assessor, row.topic, row.unit, row.document, row.grade, row.outcome) for row in exported
        ]
    problems = Problems(name)
    grades = {label: grade for grade, label in enumerate(labels)}
    firsts: dict[tuple[str, str], int] = {}
    judgments = []
    table = read_table(source, name, names_of("labeller", "document", "grade"))
    if table.header is None:
        found = " ".join(table.sample()[0])[:80]
        raise refuse(name, f"expected a header such as {' '.join(COLUMNS)}, found {found}", table.lines[0][0])
    places = places_of(("labeller", "document", "grade"), ("topic",), table.header, name, table.header_line)
    for at, fields in table.rows():
        if reason := wrong_count(fields, table.header):
            problems.add(at, reason)
            continue
        assessor, item, grade = (fields[places[column]] for column in ("labeller", "document", "grade"))
        if "topic" in places and item:
            item = f"{fields[places['topic']]}/{item}"
        is_out = is_rejected(dict(zip(table.header, fields, strict=True)))
        if reason := "was rejected: leave it out" if is_out else wrong_row(assessor, item, grade, grades):
            problems.add(at, reason)
            continue
        first = firsts.setdefault((assessor, item), at)
        if first != at:
            problems.add(at, f"{assessor} has already judged {item}, in line {first}: keep one of them")
        topic, slash, _ = item.partition("/")
        judgments.append(JudgmentRow(assessor, topic if slash else "", "", item, *read_label(grade, grades)))
    problems.check()
    return judgments


def read_label(text: str, grades: Mapping[str, int]) -> tuple[int | None, str]:
    """One of both; neither if the text is none."""
    grade = grades.get(text) if grades else parse_whole(text)
    if grade is not None and (grades or grade in GRADES):
        return grade, ""
    return None, text if text in OUTCOMES else ""


def wrong_row(assessor: str, item: str, grade: str, grades: Mapping[str, int]) -> str:
    if not assessor or not item:
        return f"the {'item' if assessor else 'assessor'} is empty"
    if read_label(grade, grades) != (None, ""):
        return ""
    expected = ", ".join(grades) if grades else "0 to 3"
    return f"the grade must be {expected} or one of {', '.join(OUTCOMES)}, found {grade!r}"
