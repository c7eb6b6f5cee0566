"""Tables: one row a line, columns separated by tabs, white space, commas or semicolons."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from sys import maxsize
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
"""A cell that begins so is preceded by an apostrophe: a spreadsheet would run it. An apostrophe of the text itself is
doubled. Readers of tables that Assess writes remove it (``as_meant``)."""
INVISIBLE = "\ufeff\u200b\u200c\u200d\u2060\u00a0\u2007\u202f"
"""Byte order marks, zero-width and no-break characters, which editors and joined files leave at the ends of fields."""
BLANK = "".join(filter(str.isspace, map(chr, range(0x3001)))) + INVISIBLE
QUOTED = re.compile(r'"((?:[^"]|"")*)"(?=\t|$)')
"""A field in quotes as RFC 4180 has them: inner ones are doubled, and the field ends with the last."""
WORDS = {",": "commas", ";": "semicolons", "|": "pipes"}
OPENING = {"	": re.compile('"'), **dict.fromkeys(WORDS, re.compile(' *"'))}
"""How a field in quotes begins, by separator."""
INSIDE = re.compile(r'[^"]*+(?:""[^"]*+)*+')
"""The text of a field in quotes, up to the quote that closes it or the end of the line."""
OF_EXCEL_FIRST = re.compile('"?sep=.?"?', re.I)
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
    separator: str = "\t"

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
    is_plain = data.isascii() and not any(sign in data for sign in (b"#", b'"', b"<")) and data[:4].lower() != b"sep="
    found = (lines_of if is_plain else raw_lines)(io.BytesIO(data), name)
    numbered = [(number, line.rstrip("\r\n")) for number, line in found]
    separator = separator_of(numbered, known)
    lines, skipped = (numbered, {}) if is_plain else without_comments(numbered, separator)
    if not lines:
        raise refuse(name, "the file is empty" if not skipped else "holds only comments")
    for kind, numbers in skipped.items():
        notes.append(Problem(name, numbers[0], f"{len(numbers):,} {kind} skipped"))
    if word := WORDS.get(separator):
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
    if separator in WORDS:
        marked = next((number for number, line in lines if has_mark(line)), 0)
    if marked:
        notes.append(Problem(name, marked, "invisible characters at the ends of fields were removed"))
    return TableFile(rows, notes, split, separator=separator).below_header(known)


def refuse_other_data(data: bytes, name: str) -> None:
    start = data.lstrip()[:4]
    if start[:1] in (b"{", b"["):
        raise refuse(name, "this is JSON; save it as a table: a line for each row, its fields separated by tabs", 1)
    if data[:200].lstrip().lower().startswith((b"<!doctype html", b"<html")):
        raise refuse(name, "this is a web page, perhaps one to sign in; download the file itself")
    if b"\0" in data:
        raise refuse(name, "contains a NUL character; remove it", data.count(b"\n", 0, data.index(b"\0")) + 1)


def without_comments(
    lines: Sequence[tuple[int, str]], separator: str, most: int = maxsize
) -> tuple[list[tuple[int, str]], dict[str, list[int]]]:
    """The first rows that are not blank, one text each, and the numbers of the lines that were left out: comments,
    which begin with a number sign, and NTCIR's description of a system. What stands in quotes stays."""
    kept: list[tuple[int, str]] = []
    skipped: dict[str, list[int]] = {}
    at, is_described = 0, False
    while at < len(lines) and len(kept) < most:
        number, line = lines[at]
        start = line[:40].lstrip(BLANK)
        if is_described or start[: len(DESCRIPTION)].lower() == DESCRIPTION:
            skipped.setdefault("lines of a system description (SYSDESC) were", []).append(number)
            is_described = ITS_END not in line.lower()
        elif not kept and OF_EXCEL_FIRST.fullmatch(line.strip()):
            skipped.setdefault("lines by which Excel knows the separator (sep=) were", []).append(number)
        elif start.startswith("#"):
            skipped.setdefault("comment lines (#) were", []).append(number)
        elif start or line.strip(BLANK):
            first, at = at, last_line(lines, at, separator) if '"' in line else at
            text = line if at == first else "\n".join(text for _, text in lines[first : at + 1])
            if text[0] in INVISIBLE:
                skipped.setdefault("lines began with invisible characters, which were", []).append(number)
                text = text.lstrip(INVISIBLE)
            kept.append(lines[first] if text is line else (number, text))
        at += 1
    return kept, skipped


def last_line(lines: Sequence[tuple[int, str]], at: int, separator: str) -> int:
    """The index of the last line of the row that begins in line ``at``: a field in quotes may hold line breaks. Between
    tabs, a quote that opens a field and closes none is text."""
    if separator not in OPENING:
        return at
    line = lines[at][1]
    place = len(line) - len(line.lstrip(INVISIBLE))
    while True:
        opening = OPENING[separator].match(line, place)
        closing = opening and closing_quote(lines, at, opening.end())
        if opening and separator != "\t":
            at, place = closing or (len(lines) - 1, len(lines[-1][1]))
        elif closing and lines[closing[0]][1][closing[1] + 1 : closing[1] + 2] in ("", "\t"):
            at, place = closing
        line = lines[at][1]
        place = line.find(separator, place) + 1
        if place == 0:
            return at


def closing_quote(lines: Sequence[tuple[int, str]], at: int, place: int) -> tuple[int, int] | None:
    """The index of the line, and the place there, of the quote that closes a field whose text begins here."""
    while at < len(lines):
        line = lines[at][1]
        place = INSIDE.match(line, place).end()  # type: ignore[union-attr]
        if place < len(line):
            return at, place
        at, place = at + 1, 0
    return None


def separator_of(lines: Sequence[tuple[int, str]], known: Collection[str]) -> str:
    """The separator that the first rows show: a tab if the first row has one; commas, semicolons or pipes if they split
    the first row into names of columns, or all rows into equally many fields, more than the others and white space."""
    csv.field_size_limit(MAX_LINE_BYTES)
    first, _ = without_comments(lines, "\t", 1)
    if not first or "\t" in first[0][1]:
        return "\t"
    widths: dict[str, int] = {}
    for separator in WORDS:
        texts = [text.replace("\r", " ") for _, text in without_comments(lines, separator, INSPECTED)[0]]
        try:
            rows = list(csv.reader(texts, delimiter=separator, skipinitialspace=True))
        except csv.Error:
            continue
        if is_header(rows[0], known):
            return separator
        width = len(rows[0])
        parts = [line.replace(f"{separator} ", separator).split() for text in texts for line in text.split("\n")]
        if width >= 2 and max(map(len, parts)) < width and {len(row) for row in rows} == {width}:
            widths[separator] = width
    return max(widths, key=widths.__getitem__, default=" ")


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
    return csv_rows(lines, name, separator or separator_in(text.lstrip("\r\n").partition("\n")[0]))


def separator_in(line: str) -> str:
    return "\t" if "\t" in line else max(WORDS, key=line.count)


def without_mark(field: str) -> str:
    """A field without blanks and marks at its ends; a mark may stand before quotes, which are then no text."""
    stripped = field.strip(BLANK)
    return unquoted(stripped) if stripped != field else of_excel(field)


def with_tabs(lines: Sequence[tuple[int, str]], name: str) -> tuple[list[tuple[int, str | list[str]]], int]:
    """The rows of a file with tabs, and the first line with a field in quotes, 0 if there is none."""
    rows: list[tuple[int, str | list[str]]] = []
    first_quoted = 0
    for number, line in lines:
        if not (line.startswith(('"', '="')) or '\t"' in line or '\t="' in line):
            rows.append((number, line))
            continue
        fields = fields_between_tabs(line)
        refuse_other_rows(fields, name, number)
        row = list(map(unquoted, fields))
        first_quoted = first_quoted or (number if row != fields else 0)
        rows.append((number, row))
    return rows, first_quoted


def refuse_other_rows(fields: Sequence[str], name: str, number: int) -> None:
    """Refuse a field in quotes that holds whole rows of a file with tabs: its quote was rather meant as text."""
    for field in fields:
        end = number + field.count("\n")
        if end > number and "\t" in field:
            reason = f"a quote that begins here ends in line {end}, after other rows: close it, or double it"
            raise refuse(name, reason, number)
        number = end


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
    return of_excel(match[1].replace('""', '"').strip(BLANK) if match else field)


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
    hint = ": separate them by tabs, or as other lines do" if len(row) == 1 else ""
    return f"expected {len(columns)} fields ({', '.join(columns)}), found {len(row)}{hint}"


def rows_by_key(
    source: BinaryIO, name: str, columns: Sequence[str], keys: int, wrong: Callable[[list[str]], str] = lambda row: ""
) -> dict[tuple[str, ...], list[str]]:
    """The rows of a file with these columns, by their first fields. Raises ``BadInput`` for another number of fields,
    an empty field of the key, a key that is repeated, and rows with which something is ``wrong``."""
    problems, rows, table = Problems(name), dict[tuple[str, ...], list[str]](), read_table(source, name, columns)
    places = expect_columns(table, name, columns).values() if table.header else range(len(columns))
    for at, row in table.rows():
        reason = wrong_count(row, columns)
        row = row if reason else [row[place] for place in places]
        key = tuple(row[:keys])
        reason = reason or ("" if all(key) else f"{' and '.join(columns[:keys])} must not be empty")
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
    text = "" if cell is None else " ".join(str(cell).split())
    return str(harmless(text)) if isinstance(cell, str) else text


def harmless(cell: object) -> object:
    """The cell, with an apostrophe before a text that a spreadsheet would run."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(RUN_BY_SPREADSHEETS) else cell


OF_EXCEL = re.compile(r'="([^"]*)"')


def of_excel(cell: str) -> str:
    """The cell; of ``="01"``, which keeps Excel from reading it as a number, its text."""
    match = OF_EXCEL.fullmatch(cell)
    return match[1] if match else cell


def as_meant(cell: str) -> str:
    """The cell of a table that Assess wrote, without the apostrophe of ``harmless``."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(RUN_BY_SPREADSHEETS) else cell
