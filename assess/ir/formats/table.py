"""Tables of the labs: one row a line, columns separated by tabs or white space."""

import codecs
import math
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

from assess.ir.common.problems import Problem, refuse
from assess.ir.formats.text import fields, lines

SPACED = "spaces were read as tabs"


class TableFile(NamedTuple):
    """The lines of a file with their numbers, and notes on what was corrected when it was read."""

    lines: list[tuple[int, str]]
    notes: list[Problem]

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Each line as its fields, split on each call: keeping a large file as lists is slow."""
        for line_number, line in self.lines:
            yield line_number, [field.strip() for field in fields(line)] if " " in line else fields(line)


def read_table(source: BinaryIO, name: str) -> TableFile:
    """A whole file; ``source`` must be seekable. Raises ``BadInput`` if it is empty."""
    bom = source.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8
    source.seek(0)
    numbered = list(lines(source, name))
    if not numbered:
        raise refuse(name, "the file is empty")
    notes = [Problem(name, 1, "a byte order mark was skipped")] if bom else []
    spaced = next((line_number for line_number, line in numbered if "\t" not in line), 0)
    if spaced:
        notes.append(Problem(name, spaced, SPACED))
    return TableFile(numbered, notes)


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
    """Why a row is refused for its number of fields; empty if the number is right."""
    if len(row) == len(columns):
        return ""
    return f"expected {len(columns)} fields ({', '.join(columns)}), found {len(row)}"


MOST_DIGITS = 20
"""More than any number of 64 bits has; Python refuses to read thousands."""


def parse_int(text: str) -> int | None:
    is_number = text.isascii() and text.removeprefix("-").isdigit() and len(text) <= MOST_DIGITS
    return int(text) if is_number else None


def parse_float(text: str) -> float | None:
    """The number if it is finite, else None."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in text else None
