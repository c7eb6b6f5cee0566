"""A database of every release upgrades: its judgments are there, its release can still be verified, and the commands
back it up, restore it and move it."""

import csv
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from assess.management.supervision import only_one
from tests.databases.keep import FOLDER
from tests.management.terminal import printed_by_process, run

pytestmark = pytest.mark.sqlite

KEPT = sorted(FOLDER.glob("*.sql"))
LAB = "small-lab-1"
JUDGED = {  # as tests/lab.py has it
    ("11", "ada"): "3", ("12", "ada"): "0", ("21", "ada"): "2", ("99", "ada"): "system_failure",
    ("11", "emmy"): "2", ("12", "emmy"): "0", ("21", "emmy"): "0", ("99", "emmy"): "1",
}  # fmt: skip
APPLIED = "django_migrations"


def read_tables(file: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(file)) as database:
        listed = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        return {name: database.execute(f'SELECT * FROM "{name}" ORDER BY 1').fetchall() for (name,) in listed}


def make_empty(file: Path, like: Path) -> None:
    """A database of the same version without anything in it."""
    with closing(sqlite3.connect(file)) as database:
        database.execute("ATTACH ? AS full", [str(like)])
        made = database.execute("SELECT sql FROM full.sqlite_master WHERE sql NOT NULL AND name NOT LIKE 'sqlite_%'")
        for (statement,) in made.fetchall():
            database.execute(statement)
        database.execute(f"INSERT INTO {APPLIED} SELECT * FROM full.{APPLIED}")
        database.commit()


@pytest.mark.parametrize("kept", KEPT, ids=[kept.stem for kept in KEPT])
def test_a_database_of_a_release_upgrades_and_is_backed_up_restored_and_moved(kept: Path, tmp_path: Path) -> None:
    first, second = (tmp_path / name / "assess.sqlite3" for name in ("first", "second"))
    backups, third = tmp_path / "backups", tmp_path / "third.sqlite3"
    report = first.parent / "media/pools/1"
    report.parent.mkdir(parents=True)
    report.write_text("a report")
    with closing(sqlite3.connect(first)) as database:
        database.executescript(kept.read_text())
    export = f"export {LAB} --names"
    commands = ("migrate --verbosity 0", export, f"qrels verify {LAB} 1", f"backup {backups} --keep 1")
    _, exported, verified, made, told = printed_by_process(first.parent, *commands)
    judgments = csv.DictReader(exported.splitlines())
    assert {(row["document"], row["assessor"]): row["grade"] or row["outcome"] for row in judgments} == JUDGED
    assert len(verified.splitlines()) == 1  # a header, and nothing that differs
    assert "verified: 2 files; 0 later decisions" in told
    assert ("certificate covers less" in told) == (kept.stem == "0.1.0")
    assert "1 file" not in made

    make_empty(third, first)
    restored, moved, again, _ = printed_by_process(
        second.parent, f"restore {backups}", f"move_database sqlite:///{third}", export
    )
    assert restored == f"Restored {made}"
    assert (second.parent / "secret-key").read_text() == (first.parent / "secret-key").read_text()
    assert (second.parent / "media/pools/1").read_text() == "a report"
    assert exported == again
    assert "rows moved. Set DATABASE_URL" in moved
    rows, moved_rows = read_tables(second), read_tables(third)
    assert rows.pop(APPLIED)
    assert moved_rows.pop(APPLIED)
    assert moved_rows == rows
    assert len(rows["assess_judgment"]) == len(JUDGED)


def test_databases_of_releases_are_kept() -> None:
    assert [kept.stem for kept in KEPT][:1] == ["0.1.0"]


def test_a_second_backup_waits_for_its_turn(tmp_path: Path) -> None:
    with (
        only_one(tmp_path / "lock"),
        pytest.raises(CommandError, match=rf"A backup is already running on {tmp_path} .* Wait for its end\."),
    ):
        run("backup", tmp_path)
