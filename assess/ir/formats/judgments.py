"""Judgment files, for measuring agreement: assessor, item, grade or outcome."""

from collections.abc import Mapping, Sequence
from typing import BinaryIO

from assess.ir.common.problems import Problems, refuse
from assess.ir.common.rows import GRADES, OUTCOMES, JudgmentRow
from assess.ir.formats.columns import names_of, places_of
from assess.ir.formats.source_records import is_rejected
from assess.ir.formats.table import as_meant, parse_whole, read_table, wrong_count

COLUMNS = ("assessor", "item", "grade")
NEEDED, OPTIONAL = ("labeller", "document", "grade"), ("topic", "outcome")
EXPORTED = {"unit", "round", "outcome"}
"""Columns of exported judgments (`judgment_export`)."""
SETTLED = "adjudication"
"""The round whose judgments are no second opinion: experts saw what was judged before."""


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
