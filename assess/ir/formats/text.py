"""Lines and fields of the labs' text files, as people save them: with a BOM, CRLF, or no final newline."""

import codecs
from collections.abc import Iterator
from typing import BinaryIO

from assess.ir.problems import refuse

MAX_LINE_BYTES = 10_000_000


def raw_lines(source: BinaryIO, name: str) -> Iterator[tuple[int, str]]:
    """Every line with its 1-based number and its line ending, decoded from UTF-8 without the BOM.

    Only a newline ends a line: characters such as U+2028 stay in the text. Raises ``BadInput`` for text that
    is not UTF-8 and for lines of more than ``MAX_LINE_BYTES``.
    """
    number = 0
    while data := source.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(data) > MAX_LINE_BYTES:
            raise refuse(name, f"line of more than {MAX_LINE_BYTES:,} bytes; is this the right file?", number)
        if number == 1:
            data = data.removeprefix(codecs.BOM_UTF8)
        try:
            yield number, data.decode()
        except UnicodeDecodeError as error:
            reason = f"byte {error.start + 1} of the line is not UTF-8; save it as UTF-8"
            raise refuse(name, reason, number) from error


def lines(source: BinaryIO, name: str) -> Iterator[tuple[int, str]]:
    """The lines that hold something, without their line endings; see ``raw_lines``."""
    for number, line in raw_lines(source, name):
        if line and not line.isspace():
            yield number, line.rstrip("\r\n")


def fields(line: str) -> list[str]:
    """The fields of a line: split at each tab where there is one, else at white space."""
    return line.split("\t") if "\t" in line else line.split()
