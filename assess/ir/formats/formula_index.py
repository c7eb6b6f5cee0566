"""The index of formulas of a collection: one formula instance per row, tab-separated, with a header.

The labs' files differ: V1 has no visual id, V2 has one, V3 has two (the new one counts) and the comment's id;
the formula stands under ``formula``, ``slt`` or ``opt``; some files quote fields as CSV does, in others a double
quote is part of the LaTeX. Columns are therefore found by name, and a field counts as quoted only if it
begins with a quote, its closing quote ends the field, and the row then has as many fields as the header.
"""

import re
from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import BinaryIO

from assess.ir.formats.text import raw_lines
from assess.ir.problems import Problems, refuse
from assess.ir.rows import FormulaRow

MAX_LINES = 500
"""A quoted formula spans at most so many lines; a quote that is open for longer is LaTeX."""

COLUMNS = {
    "formula_id": ("id", "formula_id"),
    "post_id": ("post_id", "topic_id"),
    "thread_id": ("thread_id",),
    "kind": ("type",),
    "visual_id": ("visual_id",),
    "latex": ("formula", "slt", "opt", "latex"),
    "comment_id": ("comment_id",),
    "issue": ("issue",),
}
ROW = FormulaRow._fields
OPTIONAL = ("visual_id", "comment_id", "issue")
FIELD = re.compile(r'(?:^|\t)(?:"((?:[^"]|"")*+)"(?=\t|\Z)|([^\t]*))')

Line = tuple[int, str]


def is_in_post(formula: FormulaRow) -> bool:
    """Whether the formula can be pooled: those of questions and answers, not of comments (ARQMath-1 to 3)."""
    return formula.kind != "comment"


def iter_formulas(source: BinaryIO, name: str) -> Iterator[FormulaRow]:
    """The rows one by one, in constant memory. That no formula id comes twice is for the caller to check.

    Raises ``BadInput`` at once for a header without the needed columns, and after the last row for rows with
    a wrong number of fields or without an id: keep nothing until the end is reached.
    """
    lines = _Lines(raw_lines(source, name))
    header = lines.take()
    columns = header[1].split("\t") if header else []
    row = _row_maker(columns, name)
    problems = Problems(name)
    while line := lines.take():
        number, text = line
        fields = _quoted_fields(text, len(columns), lines) if '"' in text else text.split("\t")
        if len(fields) != len(columns):
            problems.add(number, f"expected {len(columns)} fields ({', '.join(columns)}), found {len(fields)}")
        elif (formula := row(fields)).formula_id:
            yield formula
        else:
            problems.add(number, "the formula has no id; give it one")
    problems.check()


def _row_maker(columns: list[str], name: str) -> Callable[[list[str]], FormulaRow]:
    """Turns the fields of a row into a ``FormulaRow``, which is empty where the file has no such column."""
    names = [column.strip().lower() for column in columns]
    places = [next((names.index(name) for name in COLUMNS[field] if name in names), -1) for field in ROW]
    absent = [COLUMNS[field][0] for field, place in zip(ROW, places, strict=True) if place < 0]
    if missing := [column for column in absent if column not in OPTIONAL]:
        raise refuse(name, f"the header lacks {', '.join(missing)}; it has: {', '.join(names) or 'nothing'}", 1)
    pick = itemgetter(*places)
    return lambda fields: FormulaRow._make(pick([*fields, ""]))


class _Lines:
    """Lines that can be looked at before they are taken."""

    def __init__(self, source: Iterator[Line]) -> None:
        self._source = source
        self._ahead: list[Line] = []

    def take(self) -> Line | None:
        """The next line that holds something, without its ending."""
        while line := self._ahead.pop(0) if self._ahead else next(self._source, None):
            if text := line[1].rstrip("\r\n"):
                return line[0], text
        return None

    def peek(self, offset: int) -> str | None:
        """The line that is ``offset`` lines ahead, without its ending."""
        while len(self._ahead) <= offset:
            if (line := next(self._source, None)) is None:
                return None
            self._ahead.append(line)
        return self._ahead[offset][1].rstrip("\r\n")

    def skip(self, count: int) -> None:
        del self._ahead[:count]


def _quoted_fields(text: str, count: int, lines: _Lines) -> list[str]:
    """The fields of a row with a double quote; takes further lines where the quote closes only there."""
    whole = text
    for offset in range(MAX_LINES):
        fields, is_open = _csv_fields(whole)
        if not is_open and len(fields) == count:
            lines.skip(offset)
            return fields
        following = lines.peek(offset) if is_open else None
        if following is None or following.count("\t") == count - 1:
            break
        whole += "\n" + following
    return text.split("\t")


def _csv_fields(text: str) -> tuple[list[str], bool]:
    """The fields as CSV has them, and whether the last one begins with a quote that nothing closes."""
    found = [(match[1], match[2]) for match in FIELD.finditer(text)]
    fields = [raw if quoted is None else quoted.replace('""', '"') for quoted, raw in found]
    return fields, found[-1][0] is None and found[-1][1].startswith('"')
