"""Tables of the labs: one row a line, columns separated by tabs or white space."""

import codecs
import math
from collections.abc import Sequence
from typing import BinaryIO, NamedTuple

from assess.ir.formats.text import fields, lines
from assess.ir.problems import Problem, refuse


class Table(NamedTuple):
    """The rows of a file with their line numbers, and what was mended in reading it."""

    rows: list[tuple[int, list[str]]]
    notes: list[Problem]


def read_table(source: BinaryIO, name: str) -> Table:
    """Every line split into its fields; ``source`` can be rewound. Raises ``BadInput`` for an empty file."""
    bom = source.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8
    source.seek(0)
    rows = []
    spaced = 0
    for number, line in lines(source, name):
        spaced = spaced or ("\t" not in line and number)
        rows.append((number, [field.strip() for field in fields(line)]))
    if not rows:
        raise refuse(name, "the file holds no lines")
    notes = [Problem(name, 1, "a byte order mark was skipped")] if bom else []
    if spaced:
        notes.append(Problem(name, spaced, "spaces were read as tabs"))
    return Table(rows, notes)


def expect_header(table: Table, name: str, header: Sequence[str]) -> list[tuple[int, list[str]]]:
    """The rows below the header. Raises ``BadInput`` where the first row is not the header."""
    number, first = table.rows[0]
    if first != list(header):
        raise refuse(name, f"expected the header {' '.join(header)}, found {' '.join(first)[:80]}", number)
    return table.rows[1:]


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
