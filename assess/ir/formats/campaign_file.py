"""Campaign files: a whole campaign as a zip archive of JSON lines and tables, with a manifest of their hashes.

Nothing in them is ever executed or unpickled, and no file is written under a name that the archive chooses.
"""

import hashlib
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, BinaryIO, NamedTuple

from assess.ir.common.problems import BadInput, refuse
from assess.ir.formats.archive import MAX_FILES, UNREADABLE

FORMAT, VERSION = "assess-campaign", 1
MANIFEST = "manifest.json"
BEGINNING = b"PK\x03\x04"
"""Of a zip archive."""
AGAIN = "its download or copy may have been cut off: download or copy it again"
MOST_OF_MANIFEST = 10_000_000
BLOCK = 1 << 20
LONGEST_LINE = 100_000_000
"""Bytes of one row."""

HALVES = re.compile(rb"\\u[dD][89a-fA-F]")
"""Characters in two halves, one of which may be missing: such text cannot be stored."""

DATE = (1980, 1, 1, 0, 0, 0)
"""The same for all files, so that the same campaign makes the same bytes."""
LEVEL = 3
"""Of compression: twice as fast as the default, for files a tenth larger."""


class Writer:
    """Writes a campaign file: its files one after the other, the manifest last."""

    def __init__(self, target: BinaryIO) -> None:
        self.archive = zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL)
        self.files: dict[str, dict[str, Any]] = {}

    def add(self, name: str, pieces: Iterable[bytes]) -> None:
        digest, size = hashlib.sha256(), 0
        entry = zipfile.ZipInfo(name, DATE)
        entry.compress_type = zipfile.ZIP_DEFLATED
        with self.archive.open(entry, "w", force_zip64=True) as file:
            for piece in pieces:
                file.write(piece)
                digest.update(piece)
                size += len(piece)
        self.files[name] = {"sha256": digest.hexdigest(), "bytes": size}

    def add_rows(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        self.add(name, (as_line(row) for row in rows))

    def close(self, about: Mapping[str, Any]) -> None:
        """Write the manifest: format and version, what the campaign file is ``about``, and every file's hash."""
        manifest = {"format": FORMAT, "version": VERSION, **about, "files": self.files}
        self.archive.writestr(
            zipfile.ZipInfo(MANIFEST, DATE), json.dumps(manifest, ensure_ascii=False, indent=1) + "\n"
        )
        self.archive.close()


def as_line(row: Mapping[str, Any]) -> bytes:
    """A row as JSON. Nested objects have their keys in PostgreSQL's order, so that every database gives the same."""
    ordered = {name: in_order(value) for name, value in row.items()}
    return (json.dumps(ordered, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n").encode()


def in_order(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: in_order(value[key]) for key in sorted(value, key=lambda key: (len(key.encode()), key.encode()))}
    return [in_order(part) for part in value] if isinstance(value, list | tuple) else value


class CampaignFile(NamedTuple):
    """An open campaign file whose files have the hashes of its manifest. ``about``: the manifest without them."""

    name: str
    archive: zipfile.ZipFile
    about: dict[str, Any]
    names: frozenset[str]

    def rows(self, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """The number of each line of JSON, from 1, and its object. A file that is not there has none."""
        if name not in self.names:
            return
        with self.archive.open(name) as file:
            number = 0
            while line := file.readline(LONGEST_LINE):
                number += 1
                yield number, self.parsed(name, line, number)

    def parsed(self, name: str, line: bytes, number: int) -> dict[str, Any]:
        try:
            row = json.loads(line, parse_constant=no_constant)
            if HALVES.search(line):
                json.dumps(row, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as error:
            raise self.wrong(name, f"is not valid JSON ({error})", number) from error
        if not isinstance(row, dict):
            raise self.wrong(name, "is not an object", number)
        return row

    def read(self, name: str) -> bytes:
        if name not in self.names:
            raise self.wrong(name, "is missing")
        with self.archive.open(name) as file:
            return file.read()

    def wrong(self, name: str, reason: str, number: int = 0) -> BadInput:
        """The error for one of its files."""
        return refuse(f"{self.name}: {name}", f"{reason}; export the campaign again", number)


def no_constant(word: str) -> None:
    raise ValueError(f"{word} is no number")


@contextmanager
def opened(source: BinaryIO, name: str, most: int) -> Iterator[CampaignFile]:
    """A campaign file after a check of all its hashes. ``most``: the bytes that it may unpack to. Raises ``BadInput``
    for another archive, one of a newer version, one that is damaged, changed or too large."""
    with ExitStack() as stack:
        try:
            archive = stack.enter_context(zipfile.ZipFile(source))
            manifest = read_manifest(archive, name)
            files = manifest.pop("files")
            check_names(archive, name, files)
            check_hashes(archive, name, files, most)
        except BadInput:  # which is a ValueError, too
            raise
        except UNREADABLE as error:
            raise unreadable(source, name, error) from error
        yield CampaignFile(name, archive, manifest, frozenset(files))


def about(source: BinaryIO, name: str) -> dict[str, Any]:
    """The manifest without its files, for a first look: the hashes are not checked."""
    try:
        with zipfile.ZipFile(source) as archive:
            manifest = read_manifest(archive, name)
    except BadInput:
        raise
    except UNREADABLE as error:
        raise unreadable(source, name, error) from error
    finally:
        source.seek(0)
    return {key: value for key, value in manifest.items() if key != "files"}


def unreadable(source: BinaryIO, name: str, error: Exception) -> BadInput:
    """The error for what zipfile cannot read: another file, or a part of an archive, whose index is at its end."""
    source.seek(0)
    if source.read(len(BEGINNING)) == BEGINNING:
        return refuse(name, f"is incomplete or damaged ({error}); {AGAIN}")
    return refuse(name, f"is not a campaign file ({error}); choose one that “Export campaign” made")


def read_manifest(archive: zipfile.ZipFile, name: str) -> dict[str, Any]:
    if MANIFEST not in archive.namelist():
        raise refuse(name, f"has no {MANIFEST}; choose a file that “Export campaign” made")
    with archive.open(MANIFEST) as file:
        text = file.read(MOST_OF_MANIFEST + 1)
    try:
        manifest = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise refuse(name, f"{MANIFEST} is not valid JSON; export the campaign again") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise refuse(name, "is not a campaign file; choose one that “Export campaign” made")
    version = manifest.get("version")
    if not isinstance(version, int) or not 1 <= version <= VERSION:
        raise refuse(name, f"has version {version} of the format, and this is {VERSION}; update Assess first")
    if not isinstance(manifest.get("files"), dict):
        raise refuse(name, f"{MANIFEST} lists no files; export the campaign again")
    return manifest


def check_names(archive: zipfile.ZipFile, name: str, files: Mapping[str, Any]) -> None:
    """The archive has the files of the manifest, each once, and no others."""
    present = [member.filename for member in archive.infolist() if member.filename != MANIFEST]
    if len(present) > MAX_FILES:
        raise refuse(name, f"holds {len(present):,} files; a campaign file has at most {MAX_FILES:,}")
    for wrong, reason in (
        (set(present) - set(files), "is not in the manifest"),
        (set(files) - set(present), "is missing"),
    ):
        if wrong:
            raise refuse(name, f"{min(wrong)} {reason}; export the campaign again")
    if len(set(present)) < len(archive.infolist()) - 1:
        raise refuse(name, "has several files with the same name; export the campaign again")


def check_hashes(archive: zipfile.ZipFile, name: str, files: Mapping[str, Any], most: int) -> None:
    """Reads everything, whatever sizes the archive claims, and stops as soon as it is too much."""
    total = 0
    for member, record in files.items():
        digest = hashlib.sha256()
        with archive.open(member) as file:
            while block := file.read(BLOCK):
                total += len(block)
                if total > most:
                    raise refuse(name, f"unpacks to more than {most // 1_000_000:,} MB; raise ASSESS_MAX_UNPACKED_MB")
                digest.update(block)
        if not isinstance(record, dict) or digest.hexdigest() != record.get("sha256"):
            raise refuse(
                name, f"{member} has another hash than the manifest says, so it was changed or damaged; {AGAIN}"
            )
