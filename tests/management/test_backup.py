"""Backing up, restoring and moving by the commands, on databases that the migrations made."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from assess.management.supervision import only_one
from tests.databases.keep import FOLDER
from tests.management.terminal import printed_by_process, run

pytestmark = pytest.mark.sqlite


def test_an_installation_is_backed_up_restored_and_moved(tmp_path: Path) -> None:
    first, second, backups = tmp_path / "first", tmp_path / "second", str(tmp_path / "backups")
    first.mkdir()
    with closing(sqlite3.connect(first / "assess.sqlite3")) as database:
        database.executescript((FOLDER / "0.1.0.sql").read_text())
    (first / "media/pools").mkdir(parents=True)
    (first / "media/pools/1").write_text("a report")
    export, third = "export small-lab-1 --names", f"sqlite:///{tmp_path / 'third.sqlite3'}"
    _, made, exported, _ = printed_by_process(first, "migrate --verbosity 0", f"backup {backups} --keep 1", export)
    assert "1 file" not in made
    restored, moved, again, _ = printed_by_process(second, f"restore {backups}", f"move_database {third}", export)
    assert restored == f"Restored {made}"
    assert (second / "secret-key").read_text() == (first / "secret-key").read_text()
    assert (second / "media/pools/1").read_text() == "a report"
    assert "rows moved. Set DATABASE_URL" in moved
    assert exported == again == printed_by_process(second, export, DATABASE_URL=third)[0]
    assert exported


def test_a_second_backup_waits_for_its_turn(tmp_path: Path) -> None:
    with (
        only_one(tmp_path / "lock"),
        pytest.raises(CommandError, match=rf"A backup is already running on {tmp_path} .* Wait for its end\."),
    ):
        run("backup", tmp_path)
