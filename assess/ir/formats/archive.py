"""Uploaded zip archives: their files in order, within limits, whatever sizes the archive claims."""

import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from assess.ir.common.problems import BadInput, refuse

MAX_FILES = 5_000
MAX_BYTES = 1_000_000_000
"""The most that all files of an archive may hold together."""

UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)
"""What zipfile raises for damage, for an unknown method of compression and for a password."""


def is_archive(name: str) -> bool:
    return name.lower().endswith(".zip")


def iter_files(source: BinaryIO, name: str, limit: int, most: int = MAX_BYTES) -> Iterator[tuple[str, bytes]]:
    """Name and content of each file; of one larger than ``limit`` only ``limit`` + 1 bytes, which shows the caller
    that it is too large. Folders and hidden files are skipped. ``most``: the bytes that all may hold together.

    Raises ``BadInput`` for a file that is not a zip archive, is damaged, has a password or holds too many files or
    bytes.
    """
    try:
        with zipfile.ZipFile(source) as archive:
            members = named_files(archive)
            if len(members) > MAX_FILES:
                raise refuse(name, f"holds {len(members):,} files; upload at most {MAX_FILES:,} at a time")
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


def named_files(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Without folders and hidden files; Windows separates folders by a backslash."""
    members = [member for member in archive.infolist() if not member.filename.startswith("__MACOSX/")]
    return [member for member in members if member.filename.replace("\\", "/").rpartition("/")[2][:1] not in ("", ".")]
