"""A database of every release upgrades: its judgments are there, and its release can still be verified."""

import csv
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.databases.keep import FOLDER

KEPT = sorted(FOLDER.glob("*.sql"))
LAB = "small-lab-1"
JUDGED = {  # as tests/lab.py has it
    ("11", "ada"): "3", ("12", "ada"): "0", ("21", "ada"): "2", ("99", "ada"): "system_failure",
    ("11", "emmy"): "2", ("12", "emmy"): "0", ("21", "emmy"): "0", ("99", "emmy"): "1",
}  # fmt: skip


def manage(folder: Path, *words: str, is_told: bool = False) -> list[str]:
    """The lines that a command prints on the database of a folder; ``is_told``: also what it says of them."""
    command, environment = [sys.executable, "manage.py", *words], os.environ | {"ASSESS_VAR": str(folder)}
    environment.pop("DATABASE_URL", None)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=True)
    return [*done.stdout.splitlines(), *(done.stderr.splitlines() if is_told else ())]


@pytest.mark.parametrize("kept", KEPT, ids=[kept.stem for kept in KEPT])
def test_a_database_of_a_release_upgrades(kept: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "assess.sqlite3")) as database:
        database.executescript(kept.read_text())
    manage(tmp_path, "migrate", "--verbosity", "0")
    judgments = csv.DictReader(manage(tmp_path, "export", LAB, "--names"))
    assert {(row["document"], row["assessor"]): row["grade"] or row["outcome"] for row in judgments} == JUDGED
    verified = manage(tmp_path, "qrels", "verify", LAB, "1", is_told=True)
    assert verified[1] == "verified: 2 files; 0 later decisions"  # after the header there is nothing that differs
    assert any("certificate covers less" in line for line in verified) == (kept.stem == "0.1.0")


def test_databases_of_releases_are_kept() -> None:
    assert [kept.stem for kept in KEPT][:1] == ["0.1.0"]
