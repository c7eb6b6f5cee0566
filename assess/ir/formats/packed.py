"""Files as people have them: packed with gzip, alone in a zip archive, or in UTF-16, which their first bytes show; and
zip archives of many files, read within limits, whatever sizes the archive claims."""

import codecs
import gzip
import io
import tarfile
import zipfile
import zlib
from collections.abc import Collection, Iterator
from pathlib import PurePosixPath
from typing import Any, BinaryIO

from assess.ir.common.problems import BadInput, refuse

GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
MOST_TIMES = 200
"""A file may unpack to this many times its size; text gets about ten times as large."""
FREE = 100_000_000
"""Bytes up to which the size does not matter."""
MAX_FILES = 5_000
MAX_BYTES = 1_000_000_000
"""The most that all files of an archive may hold together."""
UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)
"""What zipfile raises for damage, for an unknown method of compression and for a password."""


OTHERS = {
    b"PAR1": "Parquet; save it as a table: a line for each row, its fields separated by tabs",
    b"%PDF": "a PDF; save its text as a table: a line for each row, its fields separated by tabs",
    b"PK\x05\x06": "an empty zip archive; choose another file",
    **dict.fromkeys((ZIP, GZIP), "packed twice; unpack it once"),
    **dict.fromkeys((b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"(\xb5/\xfd", b"Rar!"), "packed; pack it with gzip instead"),
}
"""How data begin that are no text, and what to do about them."""


def unpacked(source: BinaryIO, name: str) -> BinaryIO:
    """The file itself, or what it packs. Raises ``BadInput`` for an archive of several files, for a damaged file when
    it is read, and once it grows out of proportion."""
    head = first_bytes(source)
    if head.startswith(GZIP):
        return io.BufferedReader(Unpacked(gzip.GzipFile(fileobj=source), name, source), 1 << 20)
    if head.startswith(ZIP):
        return io.BufferedReader(Unpacked(only_file(source, name), name, source), 1 << 20)
    return source


def first_bytes(source: BinaryIO, size: int = len(ZIP)) -> bytes:
    if isinstance(source, io.BufferedReader):
        return source.peek(size)[:size]
    start = source.tell()
    head = source.read(size)
    source.seek(start)
    return head


def only_file(source: BinaryIO, name: str) -> Any:
    if not source.seekable():
        raise refuse(name, "is a zip archive, which cannot be read here: unpack it, or pack the file with gzip")
    try:
        archive = zipfile.ZipFile(source)
        members = named_files(archive)
        if len(members) == 1:
            return archive.open(members[0])
    except UNREADABLE as error:
        raise refuse(name, f"cannot be unpacked ({error}); pack it again, without a password") from error
    if any(member.filename == "[Content_Types].xml" for member in members):
        raise refuse(name, "is a document of Office, such as a workbook; save its table as CSV")
    names = ", ".join(member.filename for member in members[:3])
    raise refuse(name, f"is an archive of {len(members):,} files ({names} …): choose one of them")


class Unpacked(io.RawIOBase):
    def __init__(self, file: Any, name: str, source: BinaryIO) -> None:
        self.file, self.name, self.source = file, name, source
        self.size = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self.source.seekable()

    def seek(self, offset: int, whence: int = 0) -> int:
        return int(self.file.seek(offset, whence))

    def readinto(self, buffer: Any) -> int:
        try:
            data = self.file.read(len(buffer))
        except UNREADABLE as error:
            raise refuse(self.name, f"cannot be unpacked ({error}); pack or download it again") from error
        buffer[: len(data)] = data
        self.size += len(data)
        if self.size > FREE and self.size > MOST_TIMES * max(self.source.tell(), 1):
            raise refuse(self.name, f"unpacks to more than {MOST_TIMES} times its size; pack it again")
        return len(data)


def utf8_of(source: BinaryIO, name: str) -> tuple[bytes, list[str]]:
    """A whole file as UTF-8 without byte order mark and with newlines, and what was changed for that."""
    data = unpacked(source, name).read()
    if what := next((what for start, what in OTHERS.items() if data.startswith(start)), ""):
        raise refuse(name, f"this is {what}")
    notes = []
    for mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        if data.startswith(mark):
            data, notes = from_utf16(data, name), ["UTF-16 was read"]
    if data.startswith(codecs.BOM_UTF8):
        data, notes = data.removeprefix(codecs.BOM_UTF8), ["a byte order mark was skipped"]
    if b"\r" in data and b"\n" not in data:
        data = data.replace(b"\r", b"\n")
        notes.append("carriage returns were read as line ends")
    return data, notes


def decoded_text(source: BinaryIO, name: str) -> tuple[str, list[str]]:
    """The same as text. Raises ``BadInput`` for text that is not UTF-8."""
    data, notes = utf8_of(source, name)
    try:
        return data.decode(), notes
    except UnicodeDecodeError as error:
        raise refuse(name, "is not UTF-8 text; save it as UTF-8") from error


def from_utf16(data: bytes, name: str) -> bytes:
    try:
        return data.decode("utf-16").encode()
    except UnicodeError as error:
        raise refuse(name, "begins like UTF-16 but is damaged; save it as UTF-8") from error


def is_archive(name: str) -> bool:
    return name.lower().endswith(".zip")


def is_packed_alone(source: BinaryIO, name: str, suffixes: Collection[str]) -> bool:
    """Whether a zip archive holds a single file, which is none with one of these suffixes."""
    if not source.seekable():
        return True
    try:
        members = named_files(zipfile.ZipFile(source))
    except UNREADABLE as error:
        raise refuse(name, f"cannot be unpacked ({error}); pack it again, without a password") from error
    finally:
        source.seek(0)
    return len(members) == 1 and PurePosixPath(members[0].filename).suffix.lower() not in suffixes


def is_tar(source: BinaryIO) -> bool:
    return first_bytes(source, 262)[257:] == b"ustar"


def archived_files(source: BinaryIO, name: str, limit: int, most: int, files: int) -> Iterator[tuple[str, bytes]]:
    """`iter_files` of a zip archive, or of a tar archive, which is read to its end."""
    is_zip = first_bytes(source) == ZIP
    return iter_files(source, name, limit, most, files) if is_zip else tar_files(source, name, limit)


def tar_files(source: BinaryIO, name: str, limit: int) -> Iterator[tuple[str, bytes]]:
    try:
        with tarfile.open(fileobj=source, mode="r|") as archive:
            for member in archive:
                file = archive.extractfile(member) if member.isfile() else None
                if file and PurePosixPath(member.name).name[:1] != ".":
                    yield member.name, file.read(limit + 1)
                archive.members = []  # type: ignore[attr-defined]  # which would grow
    except BadInput:
        raise
    except (tarfile.TarError, *UNREADABLE) as error:
        raise refuse(name, f"cannot be unpacked ({error}); pack it again") from error
    while source.read(1 << 20):
        pass


def iter_files(
    source: BinaryIO, name: str, limit: int, most: int = MAX_BYTES, files: int = 0, hidden: str = ""
) -> Iterator[tuple[str, bytes]]:
    """Name and content of each file; of one larger than ``limit`` only ``limit`` + 1 bytes, which shows the caller
    that it is too large. Folders are skipped, and hidden files but those that begin with ``hidden``. ``most`` and
    ``files``: the bytes and the number that all may have together.

    Raises ``BadInput`` for a file that is not a zip archive, is damaged, has a password or holds too many files or
    bytes.
    """
    try:
        with zipfile.ZipFile(source) as archive:
            members = named_files(archive, hidden)
            files = files or MAX_FILES
            if len(members) > files:
                raise refuse(name, f"holds {len(members):,} files; upload at most {files:,} at a time")
            total = 0
            for member in members:
                with archive.open(member) as file:
                    data = file.read(limit + 1)
                total += len(data)
                if total > most:
                    raise refuse(name, f"holds more than {most // 1_000_000:,} MB; split it")
                yield member.filename, data
    except BadInput:
        raise
    except UNREADABLE as error:
        reason = f"cannot be unpacked ({error}); make a new zip archive without a password"
        raise refuse(name, reason) from error


def named_files(archive: zipfile.ZipFile, hidden: str = "") -> list[zipfile.ZipInfo]:
    """Without folders and hidden files; Windows separates folders by a backslash."""
    members = [member for member in archive.infolist() if not member.filename.startswith("__MACOSX/")]
    names = [member.filename.replace("\\", "/").rpartition("/")[2] for member in members]
    return [
        member
        for member, name in zip(members, names, strict=True)
        if name[:1] not in ("", ".") or (hidden and name.startswith(hidden))
    ]
