"""Zip archives as people upload them: their files one after the other, within limits, whatever the archive claims."""

import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from assess.ir.common.problems import refuse

MAX_FILES = 5_000
MAX_BYTES = 1_000_000_000
"""What all files of an archive hold together, at most."""

UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)
"""What zipfile raises for damage, for an unknown method of compression and for a password."""


def is_archive(name: str) -> bool:
    return name.lower().endswith(".zip")


def iter_files(source: BinaryIO, name: str, limit: int) -> Iterator[tuple[str, bytes]]:
    """Name and content of each file; of one larger than ``limit`` the first ``limit`` + 1 bytes, so that the caller
    can tell. Folders and what systems hide in archives are left out.

    Raises ``BadInput`` for a file that is no zip archive, is damaged or has a password, and for one that holds too
    many files or bytes.
    """
    try:
        with zipfile.ZipFile(source) as archive:
            yield from _contents(archive, name, limit)
    except UNREADABLE as error:
        reason = f"cannot be unpacked ({error}); make a new zip archive without a password"
        raise refuse(name, reason) from error


def _contents(archive: zipfile.ZipFile, name: str, limit: int) -> Iterator[tuple[str, bytes]]:
    members = [one for one in archive.infolist() if not one.is_dir() and not _is_hidden(one.filename)]
    if len(members) > MAX_FILES:
        raise refuse(name, f"holds {len(members):,} files; give {MAX_FILES:,} at a time")
    total = 0
    for member in members:
        with archive.open(member) as file:
            data = file.read(limit + 1)
        total += len(data)
        if total > MAX_BYTES:
            raise refuse(name, f"holds more than {MAX_BYTES // 1_000_000:,} MB; divide it")
        yield member.filename, data


def _is_hidden(path: str) -> bool:
    return path.startswith("__MACOSX/") or path.rpartition("/")[2].startswith(".")
