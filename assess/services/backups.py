"""Backups of the whole installation, restoring them, and moving the database to another engine."""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connections

from assess.services.common import tables, workspace
from assess.services.common.errors import Refused
from assess.services.common.wording import listed, number

MANIFEST, KEY, MEDIA, TABLES, UNFINISHED = "manifest.json", "secret-key", "media", "tables", "unfinished"
ATTEMPTS = 10
BLOCK = 1 << 20


class Made(NamedTuple):
    """A backup or what was restored of one: its folder, and how many rows and files it has."""

    folder: Path
    rows: int
    files: int

    def __str__(self) -> str:
        return f"{self.folder}: {number(self.rows, 'row')}, {number(self.files, 'file')}"


@contextmanager
def private_files() -> Iterator[None]:
    """What the block writes can be read by its owner only."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def back_up(home: Path, keep: int) -> Made:
    """Write a backup into a new folder of ``home``, named by the time, while people judge and jobs run; remove the
    oldest if there are more than ``keep``. Files that the last backup has, unchanged, are links to it. Raises Refused
    if jobs keep removing files."""
    target = home / UNFINISHED
    shutil.rmtree(target, ignore_errors=True)
    with private_files():
        target.mkdir(parents=True)
        files = MediaCopy(target, newest(home))
        files.copy(media_files())  # takes longest, and so comes before the snapshot; none of this is needed yet
        rows, migrations = copy_snapshot(target, files)
        (target / KEY).write_text(settings.SECRET_KEY)
        hashes = {name: hash_of(target / name) for name in [KEY, *(f"{TABLES}/{table}.gz" for table in rows)]}
        hashes |= {f"{MEDIA}/{name}": sha256 for name, sha256 in files.hashes.items()}
        made = datetime.now(UTC)
        about = {"version": settings.VERSION, "made": made.isoformat(), "migrations": migrations}
        manifest = {**about, "tables": rows, "files": hashes}
        (target / MANIFEST).write_text(json.dumps(manifest, indent=1))
        os.sync()
        folder = target.rename(home / f"{made:%Y-%m-%dT%H%M%S.%fZ}")
    for old in backups_in(home)[:-keep]:
        shutil.rmtree(old)
    return Made(folder, sum(rows.values()), len(hashes))


def copy_snapshot(target: Path, files: "MediaCopy") -> tuple[dict[str, int], list[str]]:
    """Write the tables as they are at one time, with the media files of that time. A job puts files in place before it
    commits and removes others afterwards, so those that were there just before or just after that time are all that
    the tables name. If one is gone before it is copied, the next attempt has fewer left to copy."""
    for _ in range(ATTEMPTS):
        before = media_files()
        with tables.snapshot(DEFAULT_DB_ALIAS) as migrations:
            names = before | media_files()
            if files.copy(names):
                files.keep_only(names)
                return tables.write_tables(DEFAULT_DB_ALIAS, target / TABLES), migrations
    raise Refused("Jobs kept removing files of the media store. Back up again when fewer run.")


def media_files() -> set[str]:
    """All files of the media store but unfinished ones."""
    root = Path(settings.MEDIA_ROOT)
    work = workspace.work_folder().name
    return {
        str(Path(folder, name).relative_to(root))
        for folder, _, names in os.walk(root)
        for name in names
        if Path(folder).relative_to(root).parts[:1] != (work,)
    }


class MediaCopy:
    """The media files that a backup has so far, with the SHA-256 of each."""

    def __init__(self, target: Path, last: Path | None) -> None:
        self.folder, self.last = target / MEDIA, last
        self.hashes: dict[str, str] = {}
        self.known = json.loads((last / MANIFEST).read_text())["files"] if last else {}

    def copy(self, names: set[str]) -> bool:
        """Copy these files unless they were copied before and have not changed; returns whether all were there."""
        is_complete = True
        for name in sorted(names):
            try:
                self.copy_file(name, Path(settings.MEDIA_ROOT, name))
            except FileNotFoundError:
                is_complete = False
        return is_complete

    def copy_file(self, name: str, source: Path) -> None:
        target = self.folder / name
        if name in self.hashes and is_same(source, target):
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        if self.last and is_same(source, self.last / MEDIA / name):
            with suppress(OSError):  # some file systems have no links
                os.link(self.last / MEDIA / name, target)
                self.hashes[name] = self.known[f"{MEDIA}/{name}"]
                return
        self.hashes[name] = copy_hashed(source, target)

    def keep_only(self, names: set[str]) -> None:
        for name in self.hashes.keys() - names:
            (self.folder / name).unlink()
            del self.hashes[name]


def is_same(file: Path, copy: Path) -> bool:
    """Whether a copy has the size and the time of a file, which is written once and then only replaced."""
    one = file.stat()
    try:
        other = copy.stat()
    except FileNotFoundError:
        return False
    return (one.st_size, one.st_mtime_ns) == (other.st_size, other.st_mtime_ns)


def copy_hashed(source: Path, target: Path) -> str:
    """Copy a file with its time; returns the SHA-256 of what was copied."""
    digest = hashlib.sha256()
    with source.open("rb") as reader, target.open("wb") as writer:
        times = os.stat(reader.fileno())
        while block := reader.read(BLOCK):
            digest.update(block)
            writer.write(block)
    os.utime(target, ns=(times.st_atime_ns, times.st_mtime_ns))
    return digest.hexdigest()


def hash_of(file: Path) -> str:
    with file.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def backups_in(home: Path) -> list[Path]:
    """The complete backups, the oldest first."""
    return sorted(path.parent for path in home.glob(f"*/{MANIFEST}") if path.parent.name != UNFINISHED)


def newest(home: Path) -> Path | None:
    return next(reversed(backups_in(home)), None)


def restore(place: Path) -> Made:
    """Restore a backup, or the newest of a folder of them, into a new installation of the version that made it; if it
    was interrupted, it can be repeated. Raises Refused, before anything changes, for a damaged backup, another version
    or an installation that is in use."""
    folder = place if (place / MANIFEST).exists() else newest(place)
    if folder is None:
        raise Refused(f"{place} is no backup and has none: it has no {MANIFEST}.")
    manifest = json.loads((folder / MANIFEST).read_text())
    hashes, files = manifest["files"], {name: folder / name for name in manifest["files"]}
    if wrong := [name for name, path in files.items() if not path.is_file() or hash_of(path) != hashes[name]]:
        raise Refused(f"{folder} is damaged: its {MANIFEST} has other hashes of {listed(wrong)}. Take another backup.")
    require_unused(DEFAULT_DB_ALIAS, manifest["migrations"], f"version {manifest['version']} made the backup")
    names = [name.removeprefix(f"{MEDIA}/") for name in files if name.startswith(f"{MEDIA}/")]
    if others := listed(sorted(media_files() - set(names))):
        root = settings.MEDIA_ROOT
        raise Refused(f"The media store {root} is not empty: it has {others}. Set ASSESS_MEDIA to a new folder.")
    with private_files():
        for name in names:
            target = Path(settings.MEDIA_ROOT, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(folder / MEDIA / name, target)
        shutil.copyfile(folder / KEY, settings.VAR_DIR / KEY)
    tables.read_tables(DEFAULT_DB_ALIAS, folder / TABLES, manifest["tables"])
    return Made(folder, sum(manifest["tables"].values()), len(files))


def require_unused(using: str, migrations: list[str], why: str) -> None:
    """Raises Refused unless the database is a new one with just these migrations, which are made if it has no tables,
    and nothing else is connected to it."""
    connection = connections[using]
    if not connection.introspection.table_names():
        call_command("migrate", database=using, verbosity=0)
    if differing := set(tables.migrations_of(using)) ^ set(migrations):
        raise Refused(f"The migrations differ by {listed(sorted(differing))}: {why}, and this is {settings.VERSION}.")
    if not tables.is_empty(using):
        raise Refused(f"The database {connection.settings_dict['NAME']} is not empty. Name a new one in DATABASE_URL.")
    if connection.vendor == "postgresql" and (count := connections_to(using)):
        raise Refused(f"The database has {number(count, 'other connection')}. Stop Assess first.")


def connections_to(using: str) -> int:
    """How many others are connected to a database on PostgreSQL; SQLite doesn't know."""
    with connections[using].cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
            "AND backend_type = 'client backend'"
        )
        count: int = cursor.fetchone()[0]
    return count


def move_database(source: str, target: str) -> int:
    """Copy all tables from one database into another, a new one; returns the number of rows. The media store stays.
    Raises Refused if the target is in use."""
    with private_files(), tempfile.TemporaryDirectory() as name, tables.snapshot(source) as migrations:
        require_unused(target, migrations, "migrate the old database first")
        rows = tables.write_tables(source, Path(name, TABLES))
        tables.read_tables(target, Path(name, TABLES), rows)
    return sum(rows.values())
