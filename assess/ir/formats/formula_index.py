"""The index of formulas of a collection: one formula instance per row, tab-separated, with a header; and which formulas
occur in texts. One that occurs in no text is spurious: it cannot be shown.

The labs' files differ: V1 has no visual id, V2 has one, V3 has two (the new one counts) and the comment's id;
the formula's column is ``formula``, ``slt`` or ``opt``; some files quote fields as CSV does, in others a double
quote is part of the LaTeX. Columns are therefore identified by name, and a field counts as quoted only if it
begins with a quote, its closing quote ends the field, and the row then has as many fields as the header.
"""

import re
from collections.abc import Iterable, Iterator, Set
from itertools import chain, islice
from typing import Any, BinaryIO

import polars as pl

from assess.ir.common.problems import Problems, refuse
from assess.ir.common.rows import CONTROL, LONGEST_ID
from assess.ir.formats.text import blocks

MAX_LINES = 500
"""A quoted formula spans at most this many lines; a quote that stays open longer is part of the LaTeX."""
MAX_LENGTH = 1_000_000
"""The most characters in a quoted formula."""

NO_LINES = pl.DataFrame(schema={"line": pl.Int64, "text": pl.String})
COLUMNS = {
    "formula_id": ("id", "formula_id"),
    "post_id": ("post_id",),
    "thread_id": ("thread_id",),
    "kind": ("type",),
    "visual_id": ("visual_id",),
    "latex": ("formula", "slt", "opt", "latex"),
    "comment_id": ("comment_id",),
    "issue": ("issue",),
}
IDS = pl.col("formula_id", "post_id", "thread_id", "visual_id")
DEFECTS = (
    (pl.col("formula_id") == "", "the formula has no id; add one"),
    (pl.any_horizontal(IDS.str.len_chars() > LONGEST_ID), f"an id has more than {LONGEST_ID} characters"),
    (pl.any_horizontal(IDS.str.contains(CONTROL.pattern)), "an id contains a control character"),
)
OPTIONAL = ("visual_id", "comment_id", "issue")
MOST_COLUMNS = 100
SPAN = r"<span\s[^<>]*math-container[^<>]*>"
ID = r"""\bid\s*=\s*["']?([\w.-]+)"""
BATCH = 20_000
FIELD = re.compile(r'(?:^|\t)(?:"((?:[^"]|"")*+)"(?=\t|\Z)|([^\t]*))')
IN_COMMENT = pl.col("kind") == "comment"
IN_POST = ~IN_COMMENT & ~pl.col("spurious")
"""Whether a formula can be pooled: those of questions and answers, not of comments (ARQMath-1 to 3), and not spurious
ones, which the index itself does not mark."""


def formula_frames(source: BinaryIO, name: str) -> Iterator[pl.DataFrame]:
    """The rows in columns, those of `FormulaRow` except ``spurious``, in constant memory: a frame for each block of
    the file. The caller checks for repeated formula ids. Raises ``BadInput`` at once for a header without the required
    columns, and after the last row for wrong rows: keep nothing until the end is reached."""
    blocks = _blocks_of_lines(source, name)
    block = next(blocks, NO_LINES)
    header = block.filter(pl.col("text") != "").head(1)
    columns = header["text"].item().split("\t") if len(header) else []
    selected, problems = _selected(columns, name), Problems(name)
    block = block.filter(pl.col("line") > header["line"].max())
    for following in chain(blocks, [None]):
        rows, uneven, rest = _rows(block, len(columns), is_last=following is None)
        frame = rows.select("line", *selected)
        expected = f"expected {len(columns)} fields ({', '.join(columns)}), found "
        reasons = [(line, f"{expected}{count}") for line, count in uneven.iter_rows()]
        reasons += [(line, reason) for wrong, reason in DEFECTS for line in frame.filter(wrong)["line"]]
        for line, reason in sorted(reasons):
            problems.add(line, reason)
        yield frame.drop("line").filter(pl.col("formula_id") != "")
        block = rest if following is None else pl.concat([rest, following])
    problems.check()


def _blocks_of_lines(source: BinaryIO, name: str) -> Iterator[pl.DataFrame]:
    for first, text in blocks(source, name):
        if "\0" in text:
            line = first + text.count("\n", 0, text.index("\0"))
            raise refuse(name, "holds a NUL character; save the file as UTF-8", line)
        lines = pl.Series([text.removesuffix("\n")]).str.split("\n").explode().str.strip_chars_end("\r\n")
        yield pl.DataFrame({"line": pl.int_range(first, first + len(lines), eager=True), "text": lines})


def _rows(block: pl.DataFrame, width: int, *, is_last: bool) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """The rows of a block, as line and fields; the lines with another number of fields, and this number; and the lines
    at its end whose quote may close in the next block. Lines without a double quote, nearly all, are split together."""
    quoted, taken, end = _quoted_rows(block["text"], width, is_last)
    taken_places = pl.Series(taken, dtype=pl.UInt32).implode()
    plain = block.head(end).with_row_index("place")
    plain = plain.filter(~pl.col("place").is_in(taken_places), pl.col("text") != "")
    plain = plain.with_columns(count=pl.col("text").str.count_matches("\t", literal=True) + 1)
    even = plain.filter(pl.col("count") == width)
    fields = even["text"].str.split_exact("\t", width - 1).struct.unnest()
    schema: dict[str, Any] = {"line": pl.Int64, **dict.fromkeys(fields.columns, pl.String)}
    rows = pl.DataFrame([(block["line"][place], *fields) for place, fields in quoted], schema, orient="row")
    rows = pl.concat([rows, even.select("line").hstack(fields)]).sort("line")
    return rows, plain.filter(pl.col("count") != width).select("line", "count"), block.slice(end)


def _quoted_rows(lines: pl.Series, width: int, is_last: bool) -> tuple[list[tuple[int, list[str]]], list[int], int]:
    """The rows with a double quote and the places of their first lines, the places of all lines they take, and where
    the block ends for now."""
    rows: list[tuple[int, list[str]]] = []
    taken: list[int] = []
    texts: list[str] = []
    for place in lines.str.contains('"', literal=True).arg_true():
        texts = texts or lines.to_list()
        if taken and place <= taken[-1]:
            continue
        quoted_row = _quoted_fields(texts, place, width, is_last)
        if quoted_row is None:
            return rows, taken, place
        fields, end = quoted_row
        if len(fields) == width:
            rows.append((place, fields))
            taken.extend(range(place, end))
    return rows, taken, len(texts) if texts else len(lines)


def _selected(columns: list[str], name: str) -> list[pl.Expr]:
    """For each column of ``FormulaRow`` the field that holds it; empty if the file has no such column."""
    if len(columns) > MOST_COLUMNS:  # each costs time in every block
        raise refuse(name, f"the header has {len(columns):,} columns; is this the index of formulas?", 1)
    names = [column.strip().lower() for column in columns]
    places = {
        field: next((names.index(alias) for alias in aliases if alias in names), -1)
        for field, aliases in COLUMNS.items()
    }
    absent = [COLUMNS[field][0] for field, place in places.items() if place < 0]
    if missing := [column for column in absent if column not in OPTIONAL]:
        remedy = ": choose the index of the collection’s formulas, not of the topics’" if "topic_id" in names else ""
        reason = f"the header lacks {', '.join(missing)}; it has: {', '.join(names) or 'nothing'}{remedy}"
        raise refuse(name, reason, 1)
    return [(pl.lit("") if place < 0 else pl.col(f"field_{place}")).alias(field) for field, place in places.items()]


def _quoted_fields(texts: list[str], place: int, count: int, is_last: bool) -> tuple[list[str], int] | None:
    """The fields of the row that begins in a line with a double quote, and where the row ends; None if a quote is
    still open at the end of the lines and more may follow."""
    row = texts[place]
    for end in range(place + 1, place + MAX_LINES + 1):
        matches = [(match[1], match[2]) for match in FIELD.finditer(row)]
        fields = [raw if quoted is None else quoted.replace('""', '"') for quoted, raw in matches]
        is_open = matches[-1][0] is None and matches[-1][1].startswith('"')  # a quote that nothing closes
        if not is_open and len(fields) == count:
            return fields, end
        if is_open and end == len(texts) and not is_last:
            return None
        if not is_open or end == len(texts) or texts[end].count("\t") == count - 1 or len(row) > MAX_LENGTH:
            break
        row += "\n" + texts[end]
    return texts[place].split("\t"), place + 1


def formulas_in(texts: pl.Expr) -> pl.Expr:
    """The ids of the formulas in each text, which is HTML as found."""
    return texts.str.extract_all(SPAN).list.eval(pl.element().str.extract(ID).drop_nulls())


def occurring(texts: Iterable[str], wanted: Set[str]) -> set[str]:
    """The wanted formulas that occur in one of these texts."""
    ids: set[str] = set()
    source = iter(texts)
    while batch := list(islice(source, BATCH)):
        found = pl.DataFrame({"text": batch}, {"text": pl.String}).select(formulas_in(pl.col("text")).explode())
        ids.update(wanted & set(found.to_series()))
    return ids
