"""Tables: one row a line, columns separated by tabs, white space, commas or semicolons."""

import io
import math
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import BinaryIO, NamedTuple

from assess.ir.common.problems import Problem, Problems, refuse
from assess.ir.formats.columns import is_header, normal
from assess.ir.formats.packed import first_bytes
from assess.ir.formats.text import decoded_text

SPACED, SKIPPED = "spaces were read as tabs", "comment lines (#) were skipped"
INSPECTED = 100
"""The first lines, which show the separator and the format."""
RUN_BY_SPREADSHEETS = ("=", "+", "-", "@", "\t", "\r", "'")
"""A cell that begins so is preceded by an apostrophe: a spreadsheet would run it. An apostrophe of the text itself is
doubled. Readers of tables that Assess writes remove it (``as_meant``)."""
INVISIBLE = "\ufeff\u200b\u200c\u200d\u2060\u00a0\u2007\u202f"
"""Byte order marks, zero-width and no-break characters, which editors and joined files leave at the ends of fields."""
BLANK = "".join(filter(str.isspace, map(chr, range(0x3001)))) + INVISIBLE
WORDS = {",": "commas", ";": "semicolons"}
SYSDESC = re.compile(r"\s*<sysdesc>.*?</sysdesc>[^\n]*", re.DOTALL | re.IGNORECASE)
"""NTCIR's description of a system, above a run."""
LINE = re.compile(r"[^\n]*+(?:\n|\Z)")
FIELDS: dict[str, re.Pattern[str]] = {}
"""By separator the fields of a row: a text in quotes, as RFC 4180 has them (inner ones are doubled, and the field ends
with the last), or any other text."""
ROWS: dict[str, re.Pattern[str]] = {}
"""By separator a row, whose fields in quotes may hold line breaks, or a comment."""
for _sign in ("\t", *WORDS):
    _blanks = f"[ {INVISIBLE}]*+"
    _quoted = rf'{_blanks}"([^"]*+(?:""[^"]*+)*+)"{_blanks}\r?(?={_sign}|\n|\Z)'
    _field = rf"(?:{_quoted}|([^{_sign}\n]*+))"
    FIELDS[_sign] = re.compile(rf"(?:\A|{_sign}){_field}")
    ROWS[_sign] = re.compile(rf"{_blanks}#[^\n]*+(?:\n|\Z)|{_field}(?:{_sign}{_field})*+(?:\n|\Z)")

Row = tuple[int, list[str]]
"""The number of a line (of a row of several, the first one's) and its fields."""
Wrong = Callable[[list[str]], str]
"""Why a row is refused; empty if it is not."""


class TableFile(NamedTuple):
    """The rows of a file, still as text, because a large file takes too much memory as lists, and notes on what was
    corrected when it was read. ``header``: the normal names of columns, if the first line has them; ``heads``: as they
    stand there."""

    lines: list[tuple[int, str]]
    notes: list[Problem]
    separator: str
    header: list[str] | None = None
    heads: Sequence[str] = ()
    header_line: int = 1

    def rows(self) -> Iterator[Row]:
        return ((number, fields_in(line, self.separator)) for number, line in self.lines)

    def sample(self) -> list[list[str]]:
        return [row for _, row in islice(self.rows(), INSPECTED)]


def read_table(source: BinaryIO, name: str, known: Collection[str] = (), *, headed: bool = False) -> TableFile:
    """A whole file, perhaps packed, or with marks, comments and quotes. If a table may have a header, ``known`` are the
    names that its columns may have; the first row of a ``headed`` one is its header, which also shows the separator
    if it has several. Raises ``BadInput`` if it is empty or holds NUL, JSON or Parquet. A line without a tab in a file
    with tabs is one field."""
    is_marked, comments = first_bytes(source, len(BOM_UTF8)) == BOM_UTF8, list[int]()
    notes, text = [Problem(name, 1, "a byte order mark was skipped")] * is_marked, decoded_text(source, name)
    if text.lstrip()[:1] in ("{", "["):
        raise refuse(name, "this is JSON; save it as a table: a line for each row, its fields separated by tabs", 1)
    if text[:200].lstrip().lower().startswith(("<!doctype html", "<html")):
        raise refuse(name, "this is a web page, perhaps one to sign in; download the file itself")
    if "\0" in text:
        raise refuse(name, "contains a NUL character; remove it", text.count("\n", 0, text.index("\0")) + 1)
    if described := SYSDESC.match(text):
        above = described[0].count("\n")
        text = "\n" * above + text[described.end() :]
        notes.append(Problem(name, 1, f"{above + 1:,} lines of a system description (SYSDESC) were skipped"))
    separator = separator_in(first_line(text), text) if headed else separator_of(text, known)
    lines = list(rows_in(text, separator, comments))
    notes += noted(name, comments, SKIPPED)
    if not lines:
        raise refuse(name, "holds only comments" if notes else "the file is empty")
    refuse_wrong_quotes(lines, name, separator)
    if separator != "\t" and not headed:
        notes.append(Problem(name, lines[0][0], f"{WORDS.get(separator, 'spaces')} were read as tabs"))
    marked = (number for number, line in lines if not line.isascii() and any(mark in line for mark in INVISIBLE))
    if at := next(marked, 0):
        notes.append(Problem(name, at, "invisible characters at the ends of fields were removed"))
    table = TableFile(lines, notes, separator)
    line, first = next(table.rows())
    if not headed and (len(lines) == 1 or not is_header(first, known)):
        return table
    return table._replace(lines=lines[1:], header=list(map(normal, first)), heads=first, header_line=line)


def noted(name: str, lines: Sequence[int], what: str) -> list[Problem]:
    """A note on how many lines of a kind there are, at the first one, if there are any."""
    return [Problem(name, at, f"{len(lines):,} {what}") for at in lines[:1]]


def first_line(text: str) -> str:
    """The first that is neither blank nor a comment."""
    lines = (line.strip(BLANK) for line in io.StringIO(text))
    return next((line for line in lines if line and not line.startswith("#")), "")


def rows_in(text: str, separator: str, comments: list[int]) -> Iterator[tuple[int, str]]:
    """The rows that are not blank, with the numbers of their first lines; ``comments`` gets those of lines that begin
    with a number sign. What stands in quotes is neither."""
    number = 1
    for match in (ROWS.get(separator, LINE) if '"' in text else LINE).finditer(text):
        row = match[0]
        start = row[:40].lstrip(BLANK) or row.lstrip(BLANK)
        if start.startswith("#"):
            comments.append(number)
        elif start:
            yield number, row.rstrip("\r\n")
        number += row.count("\n")


def separator_of(text: str, known: Collection[str]) -> str:
    """The separator that the first rows show: a tab if the first row has one; commas or semicolons if they split the
    first row into names of columns, or all rows into equally many fields, more than the other and white space."""
    if "\t" in next(rows_in(text, "\t", []), (0, "\t"))[1]:
        return "\t"
    widths: dict[str, int] = {}
    for separator in WORDS:
        lines = [line for _, line in islice(rows_in(text, separator, []), INSPECTED)]
        rows = [fields_in(line, separator) for line in lines]
        if is_header(rows[0], known):
            return separator
        parts = [part.replace(f"{separator} ", separator).split() for line in lines for part in line.split("\n")]
        if {len(row) for row in rows} == {len(rows[0])} and len(rows[0]) > max(1, *map(len, parts)):
            widths[separator] = len(rows[0])
    return max(widths, key=widths.__getitem__, default=" ")


def fields_in(line: str, separator: str) -> list[str]:
    """The fields of a row without blanks, marks and quotes around them."""
    if separator == " ":
        fields = line.split()
    elif '"' in line:
        fields = [other or quoted.replace('""', '"') for quoted, other in FIELDS[separator].findall(line)]
    elif line.isascii() and " " not in line:
        return line.split(separator)
    else:
        fields = line.split(separator)
    return [field.strip(BLANK) for field in fields]


def refuse_wrong_quotes(lines: Iterable[tuple[int, str]], name: str, separator: str) -> None:
    """Refuse a field in quotes that holds whole rows of a file with tabs: its quote was rather meant as text. Between
    tabs, a quote that opens a field and closes none is text, too; between others it is an error."""
    for number, line in lines:
        for quoted, other in FIELDS[separator].findall(line) if '"' in line and separator in FIELDS else ():
            if separator == "\t" and "\t" in quoted and "\n" in quoted:
                last = number + line.count("\n")
                reason = f"a quote that begins here ends in line {last}, after other rows: close it, or double it"
                raise refuse(name, reason, number)
            if separator != "\t" and other.lstrip(BLANK).startswith('"'):
                reason = "a quote that begins a field does not end it: close it, or save the file as CSV"
                raise refuse(name, reason, number)


def separator_in(line: str, text: str = "") -> str:
    """What a line has most of: tabs, commas or semicolons; what the text has, if the line has none."""
    separator = "\t" if "\t" in line else max(WORDS, key=line.count)
    return separator if separator in line or not text else separator_in(text)


def wrong_count(row: Sequence[str], columns: Sequence[str]) -> str:
    if len(row) == len(columns):
        return ""
    hint = ": separate them by tabs, or as other lines do" if len(row) == 1 else ""
    return f"expected {len(columns)} fields ({', '.join(columns)}), found {len(row)}{hint}"


def rows_by_key(
    source: BinaryIO, name: str, columns: Sequence[str], keys: int, wrong: Wrong, *, needs_header: bool = False
) -> dict[tuple[str, ...], list[str]]:
    """The rows of a file with these columns, by their first fields; below a header in any order. Raises ``BadInput``
    for another header, another number of fields, an empty field of the key, a key that is repeated, and rows with which
    something is ``wrong``."""
    problems, rows, firsts = Problems(name), dict[tuple[str, ...], list[str]](), dict[tuple[str, ...], int]()
    table = read_table(source, name, columns)
    header = table.header or (table.sample()[0] if needs_header else columns)
    if sorted(header) != sorted(columns):
        reason = f"expected the header {' '.join(columns)}, found {' '.join(header)[:80]}: name them so in a first line"
        raise refuse(name, reason, table.header_line if table.header else table.lines[0][0])
    for at, fields in table.rows():
        if reason := wrong_count(fields, header):
            problems.add(at, reason)
            continue
        row = [fields[header.index(column)] for column in columns]
        key = tuple(row[:keys])
        reason = wrong(row) if all(key) else f"{' and '.join(columns[:keys])} must not be empty"
        if not reason and key in rows:
            reason = f"{' '.join(key)} is already in line {firsts[key]}: keep one of them"
        if reason:
            problems.add(at, reason)
        else:
            rows[key], firsts[key] = row, at
    problems.check()
    return rows


MOST_DIGITS = 18
"""So that a number has 64 bits."""


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
    """Rows for spreadsheets, tab-separated: None is empty, fractions have four decimals, white space is one space."""
    return "".join("\t".join(map(cell_text, row)) + "\n" for row in rows)


def cell_text(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:.4f}"
    text = "" if cell is None else " ".join(str(cell).split())
    return str(harmless(text)) if isinstance(cell, str) else text


def harmless(cell: object) -> object:
    """The cell, with an apostrophe before a text that a spreadsheet would run."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(RUN_BY_SPREADSHEETS) else cell


def as_meant(cell: str) -> str:
    """The cell of a table that Assess wrote, without the apostrophe of ``harmless``."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(RUN_BY_SPREADSHEETS) else cell
