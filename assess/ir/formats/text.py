"""Lines and fields of text files as people save them: with a BOM, CRLF, or no final newline."""

import codecs
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from assess.ir.common.problems import Problems, refuse
from assess.ir.formats.packed import first_bytes, unpacked

MAX_LINE_BYTES = 10_000_000
OTHERS = {
    b"PAR1": "Parquet; save it as a table: a line for each row, its fields separated by tabs",
    b"%PDF": "a PDF; save its text as a table: a line for each row, its fields separated by tabs",
    b"PK\x05\x06": "an empty zip archive; choose another file",
    **dict.fromkeys((b"PK\x03\x04", b"\x1f\x8b"), "packed twice; unpack it once"),
    **dict.fromkeys((b"BZh", b"\xfd7zX", b"7z\xbc\xaf", b"(\xb5/\xfd", b"Rar!"), "packed; pack it with gzip instead"),
    **dict.fromkeys((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), "UTF-16; save it as UTF-8"),
}
"""How data begin that are no text in UTF-8, and what to do about them."""


def blocks(source: BinaryIO, name: str) -> Iterator[tuple[int, str]]:
    """The text of a file, perhaps packed, in blocks of whole lines, each with the 1-based number of its first line;
    decoded from UTF-8 without the BOM. Raises ``BadInput`` for other text and for too long lines."""
    number, source = 1, unpacked(source, name)
    while data := source.read(MAX_LINE_BYTES):
        room = MAX_LINE_BYTES - (len(data) - data.rfind(b"\n") - 1)
        rest = b"" if data.endswith(b"\n") else source.readline(room + 1)
        if len(rest) > room:
            reason = f"line of more than {MAX_LINE_BYTES:,} bytes; is this the right file?"
            raise refuse(name, reason, number + data.count(b"\n"))
        data = data.removeprefix(codecs.BOM_UTF8) + rest if number == 1 else data + rest
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            before = data[: error.start]
            place = error.start - before.rfind(b"\n")
            reason = f"byte {place} of the line is not UTF-8; save it as UTF-8"
            raise refuse(name, reason, number + before.count(b"\n")) from error
        yield number, text
        number += data.count(b"\n")


def decoded_text(source: BinaryIO, name: str) -> str:
    """A whole file; see ``blocks``. Raises ``BadInput`` also for data that are no text."""
    source = unpacked(source, name)
    head = first_bytes(source)
    if what := next((what for start, what in OTHERS.items() if head.startswith(start)), ""):
        raise refuse(name, f"this is {what}")
    text = "".join(text for _, text in blocks(source, name))
    return text if "\n" in text else text.replace("\r", "\n")


def raw_lines(source: BinaryIO, name: str) -> Iterator[tuple[int, str]]:
    """Every line with its 1-based number and its line ending, which is a newline, never U+2028; see ``blocks``."""
    for first, text in blocks(source, name):
        yield from enumerate(io.StringIO(text, newline="\n"), first)


def lines(source: BinaryIO, name: str) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, without their line endings; see ``raw_lines``."""
    for number, line in raw_lines(source, name):
        if line and not line.isspace():
            yield number, line.rstrip("\r\n")


def json_objects(
    numbered: Iterable[tuple[int, str]], problems: Problems, remedy: str = ""
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of JSON lines, with the numbers of their lines; a line that is none is a problem."""
    for number, line in numbered:
        if not line.strip():
            continue
        try:
            value, why = json.loads(line), ""
        except (ValueError, RecursionError) as error:
            value, why = None, f" ({error})"
        if isinstance(value, dict):
            yield number, value
        else:
            problems.add(number, f"is no JSON object{why}{remedy}")
