"""Backing up, restoring and moving by the commands, on databases that the migrations made."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from assess.management.supervision import only_one
from tests.databases.keep import FOLDER
from tests.management.terminal import run

pytestmark = pytest.mark.sqlite


def manage(var: Path, *words: str, **changed: str) -> str:
    environment = {**os.environ, "ASSESS_VAR": str(var), "DATABASE_URL": "", **changed}
    command = [sys.executable, "manage.py", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=True).stdout


def test_an_installation_is_backed_up_restored_and_moved(tmp_path: Path) -> None:
    first, second, backups = tmp_path / "first", tmp_path / "second", str(tmp_path / "backups")
    first.mkdir()
    with closing(sqlite3.connect(first / "assess.sqlite3")) as database:
        database.executescript((FOLDER / "0.1.0.sql").read_text())
    manage(first, "migrate", "--verbosity", "0")
    (first / "media/pools").mkdir(parents=True)
    (first / "media/pools/1").write_text("a report")
    assert "1 file" not in (made := manage(first, "backup", backups, "--keep", "1"))
    assert manage(second, "restore", backups) == f"Restored {made}"
    assert (second / "secret-key").read_text() == (first / "secret-key").read_text()
    assert (second / "media/pools/1").read_text() == "a report"
    third = f"sqlite:///{tmp_path / 'third.sqlite3'}"
    assert "rows moved. Set DATABASE_URL" in manage(second, "move_database", third)
    export = ("export", "small-lab-1", "--names")
    assert manage(first, *export) == manage(second, *export) == manage(second, *export, DATABASE_URL=third)


def test_a_second_backup_waits_for_its_turn(tmp_path: Path) -> None:
    with (
        only_one(tmp_path / "lock"),
        pytest.raises(CommandError, match=rf"A backup is already running on {tmp_path} .* Wait for its end\."),
    ):
        run("backup", tmp_path)
