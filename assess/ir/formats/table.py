"""Tables: one row a line, columns separated by tabs, white space, commas or semicolons."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import BinaryIO, NamedTuple

from assess.ir.common.problems import Problem, Problems, refuse
from assess.ir.formats.columns import is_header, normal
from assess.ir.formats.packed import utf8_of
from assess.ir.formats.text import MAX_LINE_BYTES, raw_lines
from assess.ir.formats.text import lines as lines_of

SPACED = "spaces were read as tabs"
INSPECTED = 100
"""The first lines, which show the separator and the format."""
RUN_BY_SPREADSHEETS = ("=", "+", "-", "@", "\t", "\r", "'")
"""A cell that begins so is preceded by an apostrophe, which reading removes: a spreadsheet would run it. An apostrophe
of the text itself is doubled."""
INVISIBLE = "\ufeff\u200b\u200c\u200d\u2060\u00a0\u2007\u202f"
"""Byte order marks, zero-width and no-break characters, which editors and joined files leave at the ends of fields."""
BLANK = "".join(filter(str.isspace, map(chr, range(0x3001)))) + INVISIBLE
QUOTED = re.compile(r'"((?:[^"]|"")*)"(?=\t|$)')
"""A field in quotes as RFC 4180 has them: inner ones are doubled, and the field ends with the last."""
OPEN = re.compile(r'(?:^|\t)"(?:[^"]|"")*$')
"""The end of a line in a field whose quotes close later."""
DESCRIPTION, ITS_END = "<sysdesc>", "</sysdesc>"

Row = tuple[int, list[str]]
"""The number of a line (of a row of several, the first one's) and its fields."""


class TableFile(NamedTuple):
    """The rows of a file, and notes on what was corrected when it was read. Most rows are text still, because a large
    file takes too much memory as lists. ``header``: the normal names of columns, if the first line has them."""

    lines: list[tuple[int, str | list[str]]]
    notes: list[Problem]
    split: Callable[[str], list[str]]
    header: list[str] | None = None
    header_line: int = 1

    def rows(self) -> Iterator[Row]:
        for number, line in self.lines:
            yield number, self.split(line) if isinstance(line, str) else line

    def sample(self) -> list[list[str]]:
        return [row for _, row in TableFile(self.lines[:INSPECTED], [], self.split).rows()]

    def below_header(self, known: Collection[str]) -> TableFile:
        """With the names of its columns, if the first row has two of these names."""
        number, first = next(self.rows())
        if not is_header(first, known) or len(self.lines) < 2:
            return self
        return self._replace(lines=self.lines[1:], header=list(map(normal, first)), header_line=number)


def read_table(source: BinaryIO, name: str, known: Collection[str] = ()) -> TableFile:
    """A whole file, perhaps packed, in UTF-16, or with marks, comments and quotes. If a table may have a header,
    ``known`` are the names that its columns may have. Raises ``BadInput`` if it is empty or holds NUL, JSON or
    Parquet. A line without a tab in a file with tabs is one field."""
    data, changes = utf8_of(source, name)
    refuse_other_data(data, name)
    notes = [Problem(name, 1, change) for change in changes]
    is_plain = data.isascii() and not any(sign in data for sign in (b"#", b'"', b"<"))
    numbered = (lines_of if is_plain else raw_lines)(io.BytesIO(data), name)
    lines, skipped = (list(numbered), {}) if is_plain else without_comments(numbered)
    if not lines:
        raise refuse(name, "the file is empty" if not skipped else "holds only comments")
    for kind, numbers in skipped.items():
        notes.append(Problem(name, numbers[0], f"{len(numbers):,} {kind} skipped"))
    separator = separator_of([line for _, line in lines[:INSPECTED]], known)
    if separator in ",;":
        word = "commas" if separator == "," else "semicolons"
        fields = csv_rows(lines, name, separator, skips_blanks=True)
        rows: list[tuple[int, str | list[str]]] = [(number, list(map(without_mark, row))) for number, row in fields]
        notes.append(Problem(name, lines[0][0], f"{word} were read as tabs"))
    elif separator == "\t":
        rows, quoted = with_tabs(lines, name)
        if quoted:
            notes.append(Problem(name, quoted, "quotes around fields were removed"))
    else:
        rows = [(number, line) for number, line in lines if line.strip(BLANK)]
        notes.append(Problem(name, lines[0][0], SPACED))
    split = fields_between_tabs if separator == "\t" else str.split
    rows, marked = (rows, 0) if is_plain else without_marks(rows, split)
    if separator in ",;":
        marked = next((number for number, line in lines if has_mark(line)), 0)
    if marked:
        notes.append(Problem(name, marked, "invisible characters at the ends of fields were removed"))
    return TableFile(rows, notes, split).below_header(known)


def refuse_other_data(data: bytes, name: str) -> None:
    start = data.lstrip()[:4]
    if start[:1] in (b"{", b"["):
        raise refuse(name, "this is JSON; save it as a table: a line for each row, its fields separated by tabs", 1)
    if start == b"PAR1":
        raise refuse(name, "this is Parquet; save it as a table: a line for each row, its fields separated by tabs")
    if b"\0" in data:
        raise refuse(name, "contains a NUL character; remove it", data.count(b"\n", 0, data.index(b"\0")) + 1)


def without_comments(lines: Iterable[tuple[int, str]]) -> tuple[list[tuple[int, str]], dict[str, list[int]]]:
    """The lines that are not blank, without their endings, and the numbers of those that were left out: comments, which
    begin with a number sign, and NTCIR's description of a system. What stands in quotes stays."""
    kept: list[tuple[int, str]] = []
    skipped: dict[str, list[int]] = {}
    is_described = is_quoted = False
    for number, line in lines:
        text = line.rstrip("\r\n")
        start = text[:40].lstrip(BLANK)
        if not is_quoted and (is_described or start[: len(DESCRIPTION)].lower() == DESCRIPTION):
            skipped.setdefault("lines of a system description (SYSDESC) were", []).append(number)
            is_described = ITS_END not in text.lower()
            continue
        if not is_quoted and start.startswith("#"):
            skipped.setdefault("comment lines (#) were", []).append(number)
            continue
        if '"' in text:
            is_quoted = bool(OPEN.search(text)) if not is_quoted else '"' not in text
        if not is_quoted and text[:1] in INVISIBLE and text:
            skipped.setdefault("lines began with invisible characters, which were", []).append(number)
            text = text.lstrip(INVISIBLE)
        if is_quoted or text.strip(BLANK):
            kept.append((number, text))
    return kept, skipped


def separator_of(lines: Sequence[str], known: Collection[str]) -> str:
    """The separator that the first lines show: a tab if the first line has one; commas or semicolons if they split the
    first line into names of columns, or all lines into equally many fields, more than white space does."""
    if "\t" in lines[0]:
        return "\t"
    for separator in ",;":
        try:
            rows = list(csv.reader(lines, delimiter=separator, skipinitialspace=True))
        except csv.Error:
            continue
        if is_header(rows[0], known):
            return separator
        width = len(rows[0])
        is_wider = all(len(line.replace(f"{separator} ", separator).split()) < width for line in lines)
        if width >= 2 and is_wider and {len(row) for row in rows} == {width}:
            return separator
    return " "


def csv_rows(
    lines: Sequence[tuple[int, str]], name: str, separator: str, *, skips_blanks: bool = False
) -> Iterator[Row]:
    """Rows whose fields may be in quotes and hold line breaks. ``skips_blanks``: those after a separator are no text.
    Raises ``BadInput`` for quotes that don't close."""
    csv.field_size_limit(MAX_LINE_BYTES)
    ended = (line if line.endswith("\n") else f"{line}\n" for _, line in lines)
    reader = csv.reader(ended, delimiter=separator, strict=True, skipinitialspace=skips_blanks)
    before = 0
    try:
        for row in reader:
            if row:
                yield lines[before][0], row
            before = reader.line_num
    except csv.Error as error:
        at = lines[min(before, len(lines) - 1)][0]
        raise refuse(name, f"cannot be read as a table ({error}); save it again as CSV", at) from error


def text_rows(text: str, name: str, separator: str = "") -> Iterator[Row]:
    """The rows of a text, by default separated by what its first line has most of: tabs, commas or semicolons."""
    lines = list(raw_lines(io.BytesIO(text.encode()), name))
    return csv_rows(lines, name, separator or separator_in(text.partition("\n")[0]))


def separator_in(line: str) -> str:
    return "\t" if "\t" in line else max(",;", key=line.count)


def without_mark(field: str) -> str:
    """A field without blanks and marks at its ends; a mark may stand before quotes, which are then no text."""
    stripped = field.strip(BLANK)
    return unquoted(stripped) if stripped != field else field


def with_tabs(lines: Sequence[tuple[int, str]], name: str) -> tuple[list[tuple[int, str | list[str]]], int]:
    """The rows of a file with tabs, and the first line with a field in quotes, 0 if there is none."""
    if not any('"' in line for _, line in lines):
        return [*lines], 0
    rows: list[tuple[int, str | list[str]]] = []
    first_quoted, at = 0, 0
    while at < len(lines):
        number, line = lines[at]
        at += 1
        if not line.strip(BLANK):
            continue
        if not (line.startswith('"') or '\t"' in line):
            rows.append((number, line))
            continue
        if OPEN.search(line) and (end := closing_line(lines, at)):
            joined = "\n".join(text for _, text in lines[at - 1 : end])
            if QUOTED.match(joined, joined.index('"', OPEN.search(line).start())):  # type: ignore[union-attr]
                if any("\t" in text for _, text in lines[at:end]):
                    reason = f"a quote that begins here ends in line {lines[end - 1][0]}, after other rows"
                    raise refuse(name, f"{reason}: close it, or double it", number)
                line, at = joined, end
        row = [unquoted(field) for field in fields_between_tabs(line)]
        first_quoted = first_quoted or (number if row != fields_between_tabs(line) else 0)
        rows.append((number, row))
    return rows, first_quoted


def closing_line(lines: Sequence[tuple[int, str]], at: int) -> int:
    """One more than the index of the next line with a quote; 0 if there is none."""
    return next((place + 1 for place in range(at, len(lines)) if '"' in lines[place][1]), 0)


def fields_between_tabs(line: str) -> list[str]:
    """The fields of a line; a tab in quotes separates none."""
    if '"' not in line:
        return [field.strip(BLANK) for field in line.split("\t")] if " " in line else line.split("\t")
    found, start = [], 0
    while start <= len(line):
        quoted = QUOTED.match(line, start)
        end = quoted.end() if quoted else line.find("\t", start)
        end = end if end >= 0 else len(line)
        found.append(line[start:end].strip(BLANK))
        start = end + 1
    return found


def unquoted(field: str) -> str:
    match = QUOTED.fullmatch(field)
    return match[1].replace('""', '"').strip(BLANK) if match else field


def has_mark(line: str) -> bool:
    return not line.isascii() and any(mark in line for mark in INVISIBLE)


def without_marks(
    rows: list[tuple[int, str | list[str]]], split: Callable[[str], list[str]]
) -> tuple[list[tuple[int, str | list[str]]], int]:
    """The rows without `INVISIBLE` characters at the ends of their fields, and the first line that had one, else 0."""
    first, cleaned = 0, rows
    for place, (number, line) in enumerate(rows):
        if isinstance(line, str) and has_mark(line):
            row = split(line)
            stripped = [field.strip(BLANK) for field in row]
            if first == 0:
                first, cleaned = number, list(rows)
            cleaned[place] = (number, stripped)
    return cleaned, first


def expect_columns(table: TableFile, name: str, columns: Sequence[str], remedy: str = "") -> dict[str, int]:
    """The place of each column below the header, in any order. Raises ``BadInput`` for another header."""
    header = table.header or table.sample()[0]
    if sorted(header) != sorted(columns):
        at = table.header_line if table.header else table.lines[0][0]
        raise refuse(name, f"expected the header {' '.join(columns)}, found {' '.join(header)[:80]}{remedy}", at)
    return {column: header.index(column) for column in columns}


def without_surplus(row: Sequence[str], columns: Sequence[str]) -> Sequence[str]:
    """A row without the empty fields that tabs at the end of its line make."""
    return row if any(row[len(columns) :]) else row[: len(columns)]


def wrong_count(row: Sequence[str], columns: Sequence[str]) -> str:
    if len(row) == len(columns):
        return ""
    hint = ": separate them as in the other lines" if len(row) == 1 else ""
    return f"expected {len(columns)} fields ({', '.join(columns)}), found {len(row)}{hint}"


def rows_by_key(
    source: BinaryIO, name: str, columns: Sequence[str], keys: int, wrong: Callable[[list[str]], str] = lambda row: ""
) -> dict[tuple[str, ...], list[str]]:
    """The rows of a file with these columns, by their first fields. Raises ``BadInput`` for another number of fields,
    an empty field of the key, a key that is repeated, and rows with which something is ``wrong``."""
    problems, rows = Problems(name), dict[tuple[str, ...], list[str]]()
    for at, row in read_table(source, name, columns).rows():
        key = tuple(row[:keys])
        reason = wrong_count(row, columns) or ("" if all(key) else f"{' and '.join(columns[:keys])} must not be empty")
        if reason := reason or wrong(row) or (f"{' '.join(key)} is repeated: keep one line" if key in rows else ""):
            problems.add(at, reason)
        else:
            rows[key] = row
    problems.check()
    return rows


MOST_DIGITS = 20
"""More than any number of 64 bits has; Python refuses to read thousands."""


def parse_int(text: str) -> int | None:
    is_number = text.isascii() and text.removeprefix("-").isdigit() and len(text) <= MOST_DIGITS
    return int(text) if is_number else None


def parse_whole(text: str) -> int | None:
    """A whole number, also written 1.0."""
    number = parse_int(text)
    if number is not None:
        return number
    head, _, decimals = text.partition(".")
    return parse_int(head) if decimals and not decimals.strip("0") else None


def parse_float(text: str) -> float | None:
    """The number if it is finite, else None."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in text else None


def write_table(rows: Iterable[Iterable[object]]) -> str:
    """Rows for people and their spreadsheets, tab-separated: None is empty, other numbers than integers have four
    decimals, white space in texts is single spaces."""
    return "".join("\t".join(map(cell_text, row)) + "\n" for row in rows)


def cell_text(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:.4f}"
    return "" if cell is None else " ".join(str(harmless(cell)).split())


def harmless(cell: object) -> object:
    """The cell, with an apostrophe before a text that a spreadsheet would run."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(RUN_BY_SPREADSHEETS) else cell
