"""Files as people have them: packed with gzip or alone in a zip archive, which their first bytes show; and zip archives
of many files, read within limits, whatever sizes the archive claims."""

import gzip
import io
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
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
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OSError, ValueError)
"""What is raised for damage, for an unknown method of compression and for a password."""


@contextmanager
def unpacking(name: str) -> Iterator[None]:
    """Raises ``BadInput`` for what cannot be unpacked."""
    try:
        yield
    except BadInput:
        raise
    except DAMAGED as error:
        reason = f"cannot be unpacked ({error}); make a new archive without a password, or download it again"
        raise refuse(name, reason) from error


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
    with unpacking(name):
        archive = zipfile.ZipFile(source)
        members = named_files(archive)
        if len(members) == 1:
            return archive.open(members[0])
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
        with unpacking(self.name):
            data = self.file.read(len(buffer))
        buffer[: len(data)] = data
        self.size += len(data)
        if self.size > FREE and self.size > MOST_TIMES * max(self.source.tell(), 1):
            raise refuse(self.name, f"unpacks to more than {MOST_TIMES} times its size; pack it again")
        return len(data)


def is_archive(name: str) -> bool:
    return name.lower().endswith(".zip")


def is_packed_alone(source: BinaryIO, name: str, suffixes: Collection[str]) -> bool:
    """Whether a zip archive holds a single file, which is none with one of these suffixes."""
    if not source.seekable():
        return True
    with unpacking(name):
        members = named_files(zipfile.ZipFile(source))
    source.seek(0)
    return len(members) == 1 and PurePosixPath(members[0].filename).suffix.lower() not in suffixes


def iter_files(
    source: BinaryIO, name: str, limit: int, most: int = MAX_BYTES, files: int = MAX_FILES, hidden: str = ""
) -> Iterator[tuple[str, bytes]]:
    """Name and content of each file of a zip archive; of one larger than ``limit`` only ``limit`` + 1 bytes, which
    shows the caller that it is too large. Folders are skipped, and hidden files but those that begin with ``hidden``.
    ``most`` and ``files``: the bytes and the number that all may have together. Raises ``BadInput`` for more, and for
    what cannot be unpacked."""
    with unpacking(name), zipfile.ZipFile(source) as archive:
        members = named_files(archive, hidden)
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


def named_files(archive: zipfile.ZipFile, hidden: str = "") -> list[zipfile.ZipInfo]:
    """Without folders and hidden files; Windows separates folders by a backslash."""
    members = [member for member in archive.infolist() if not member.filename.startswith("__MACOSX/")]
    names = [member.filename.replace("\\", "/").rpartition("/")[2] for member in members]
    return [
        member
        for member, name in zip(members, names, strict=True)
        if name[:1] not in ("", ".") or (hidden and name.startswith(hidden))
    ]
