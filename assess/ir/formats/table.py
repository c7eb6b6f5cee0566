"""Tables of the labs: one row a line, columns separated by tabs or white space."""

import codecs
import math
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

from assess.ir.common.problems import Problem, refuse
from assess.ir.formats.text import fields, lines

SPACED = "spaces were read as tabs"


class Table(NamedTuple):
    """The lines of a file with their numbers, and what was mended in reading it."""

    lines: list[tuple[int, str]]
    notes: list[Problem]

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Each line as its fields. They are split anew each time: a large file as lists is slow to keep."""
        for at, line in self.lines:
            yield at, [field.strip() for field in fields(line)] if " " in line else fields(line)


def read_table(source: BinaryIO, name: str) -> Table:
    """A whole file; ``source`` can be rewound. Raises ``BadInput`` where it holds nothing."""
    bom = source.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8
    source.seek(0)
    found = list(lines(source, name))
    if not found:
        raise refuse(name, "the file holds no lines")
    notes = [Problem(name, 1, "a byte order mark was skipped")] if bom else []
    spaced = next((at for at, line in found if "\t" not in line), 0)
    if spaced:
        notes.append(Problem(name, spaced, SPACED))
    return Table(found, notes)


def expect_header(table: Table, name: str, header: Sequence[str], remedy: str = "") -> Iterator[tuple[int, list[str]]]:
    """The rows below the header. Raises ``BadInput`` where the first row is not the header."""
    rows = table.rows()
    at, first = next(rows)
    if first != list(header):
        raise refuse(name, f"expected the header {' '.join(header)}, found {' '.join(first)[:80]}{remedy}", at)
    return rows


def wrong_count(row: Sequence[str], columns: Sequence[str]) -> str:
    """The reason why a row is refused for its number of fields; empty where it is right."""
    if len(row) == len(columns):
        return ""
    return f"expected {len(columns)} fields ({', '.join(columns)}), found {len(row)}"


def whole(text: str) -> int | None:
    """The whole number that a field holds, else None."""
    return int(text) if text.isascii() and text.removeprefix("-").isdigit() else None


def number(text: str) -> float | None:
    """The finite number that a field holds, else None."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in text else None
