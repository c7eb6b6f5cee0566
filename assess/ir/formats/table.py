"""Tables of the labs: one row a line, columns separated by tabs or white space."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import BinaryIO, NamedTuple

from assess.ir.common.problems import Problem, refuse
from assess.ir.formats.packed import utf8_of
from assess.ir.formats.text import fields, lines

SPACED = "spaces were read as tabs"
INSPECTED = 100
"""The first lines, which show the separator, the quotes and the format."""
RUN_BY_SPREADSHEETS = ("=", "+", "-", "@", "\t", "\r", "'")
"""A cell that begins so is preceded by an apostrophe, which reading removes: a spreadsheet would run it. An apostrophe
of the text itself is doubled."""
QUOTED = re.compile(r'"((?:[^"]|"")*)"')


class TableFile(NamedTuple):
    """The lines of a file with their numbers, and notes on what was corrected when it was read. ``has_commas``: they
    separate the fields; ``quoted``: the columns whose fields are all in double quotes."""

    lines: list[tuple[int, str]]
    notes: list[Problem]
    has_commas: bool = False
    quoted: frozenset[int] = frozenset()

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Each line as its fields, split on each call: keeping a large file as lists is slow."""
        for line_number, line in self.lines:
            yield line_number, self.row(line)

    def row(self, line: str) -> list[str]:
        if self.has_commas:
            return by_commas(line)
        row = [field.strip() for field in fields(line)] if " " in line else fields(line)
        return [unquoted(field) if place in self.quoted else field for place, field in enumerate(row)]

    def without_header(self, name: str, words: Collection[str]) -> TableFile:
        """Without a first row that holds two of these words and no number."""
        (line_number, line), *rest = self.lines
        row = [field.strip().lower() for field in self.row(line)]
        if not rest or len(set(row) & set(words)) < 2 or any(parse_float(field) is not None for field in row):
            return self
        return self._replace(lines=rest, notes=[*self.notes, Problem(name, line_number, "the header was skipped")])


def read_table(source: BinaryIO, name: str) -> TableFile:
    """A whole file, perhaps packed, in UTF-16, with commas or quotes. Raises ``BadInput`` if it is empty."""
    data, changes = utf8_of(source, name)
    numbered = list(lines(io.BytesIO(data), name))
    if not numbered:
        raise refuse(name, "the file is empty")
    notes = [Problem(name, 1, change) for change in changes]
    sample = [line for _, line in numbered[:INSPECTED]]
    if are_by_commas(sample):
        return TableFile(numbered, [*notes, Problem(name, numbered[0][0], "commas were read as tabs")], has_commas=True)
    spaced = next((line_number for line_number, line in numbered if "\t" not in line), 0)
    if spaced:
        notes.append(Problem(name, spaced, SPACED))
    quoted = quoted_columns([fields(line) for line in sample])
    if quoted:
        notes.append(Problem(name, numbered[0][0], "quotes around fields were removed"))
    return TableFile(numbered, notes, quoted=quoted)


def are_by_commas(sample: Sequence[str]) -> bool:
    """Whether lines without tabs all have the same number of fields, three or more, if split at commas, and fewer if
    split at spaces (but for those after commas)."""
    if any("\t" in line for line in sample):
        return False
    counts = {len(by_commas(line)) for line in sample}
    return (
        len(counts) == 1
        and min(counts) >= 3
        and all(len(line.replace(", ", ",").split()) < min(counts) for line in sample)
    )


def by_commas(line: str) -> list[str]:
    return [field.strip() for field in next(csv.reader([line], skipinitialspace=True))]


def quoted_columns(rows: Sequence[Sequence[str]]) -> frozenset[int]:
    """The columns whose fields are all in double quotes; none if that is only the last one, which can be a text."""
    width = min(map(len, rows))
    quoted = {place for place in range(width) if all(QUOTED.fullmatch(row[place].strip()) for row in rows)}
    return frozenset(quoted) if quoted - {width - 1} else frozenset()


def unquoted(field: str) -> str:
    match = QUOTED.fullmatch(field)
    return match[1].replace('""', '"') if match else field


def without_surplus(row: Sequence[str], columns: Sequence[str]) -> Sequence[str]:
    """A row without the empty fields that tabs at the end of its line make."""
    return row if any(row[len(columns) :]) else row[: len(columns)]


def expect_header(
    table: TableFile, name: str, header: Sequence[str], remedy: str = ""
) -> Iterator[tuple[int, list[str]]]:
    """The rows below the header. Raises ``BadInput`` if the first row is not the header."""
    rows = table.rows()
    line_number, first = next(rows)
    if first != list(header):
        raise refuse(name, f"expected the header {' '.join(header)}, found {' '.join(first)[:80]}{remedy}", line_number)
    return rows


def wrong_count(row: Sequence[str], columns: Sequence[str]) -> str:
    if len(row) == len(columns):
        return ""
    return f"expected {len(columns)} fields ({', '.join(columns)}), found {len(row)}"


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
