"""Judgment files, for measuring agreement: assessor, item, grade or outcome."""

from collections.abc import Sequence
from typing import BinaryIO

from assess.ir.common.problems import Problems
from assess.ir.common.rows import GRADES, OUTCOMES, JudgmentRow
from assess.ir.formats.judgment_export import as_rows, is_export, read_export
from assess.ir.formats.table import expect_header, parse_int, read_table, wrong_count

COLUMNS = ("assessor", "item", "grade")


def read_judgments(source: BinaryIO, name: str) -> list[JudgmentRow]:
    """The judgments of a file with the header ``assessor item grade``, in which the id of an item includes its topic;
    or those of an export (`judgment_export`).

    Raises ``BadInput`` for another header, an empty name, a grade that is neither 0 to 3 nor an outcome, and two
    judgments of an item by one assessor.
    """
    if is_export(source, name):
        return as_rows(read_export(source, name))
    problems = Problems(name)
    firsts: dict[tuple[str, str], int] = {}
    judgments = []
    for at, row in expect_header(read_table(source, name), name, COLUMNS):
        reason = wrong_count(row, COLUMNS) or wrong_row(row)
        if reason:
            problems.add(at, reason)
            continue
        assessor, item, grade = row
        first = firsts.setdefault((assessor, item), at)
        if first != at:
            problems.add(at, f"{assessor} has already judged {item}, in line {first}: keep one of them")
        outcome = grade if grade in OUTCOMES else ""
        judgments.append(JudgmentRow(assessor, "", item, item, None if outcome else int(grade), outcome))
    problems.check()
    return judgments


def wrong_row(row: Sequence[str]) -> str:
    """Why a row of three fields is refused; empty if it is valid."""
    assessor, item, grade = row
    if not assessor or not item:
        return f"the {'item' if assessor else 'assessor'} is empty"
    if grade in OUTCOMES or parse_int(grade) in GRADES:
        return ""
    return f"the grade must be 0 to 3 or one of {', '.join(OUTCOMES)}, found {grade!r}"
