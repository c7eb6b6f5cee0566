"""A database of every release upgrades: its judgments are there, and its release can still be verified."""

import csv
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.databases.keep import FOLDER
from tests.management.terminal import printed_by_process

KEPT = sorted(FOLDER.glob("*.sql"))
LAB = "small-lab-1"
JUDGED = {  # as tests/lab.py has it
    ("11", "ada"): "3", ("12", "ada"): "0", ("21", "ada"): "2", ("99", "ada"): "system_failure",
    ("11", "emmy"): "2", ("12", "emmy"): "0", ("21", "emmy"): "0", ("99", "emmy"): "1",
}  # fmt: skip


@pytest.mark.parametrize("kept", KEPT, ids=[kept.stem for kept in KEPT])
def test_a_database_of_a_release_upgrades(kept: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "assess.sqlite3")) as database:
        database.executescript(kept.read_text())
    commands = ("migrate --verbosity 0", f"export {LAB} --names", f"qrels verify {LAB} 1")
    _, exported, verified, told = printed_by_process(tmp_path, *commands)
    judgments = csv.DictReader(exported.splitlines())
    assert {(row["document"], row["assessor"]): row["grade"] or row["outcome"] for row in judgments} == JUDGED
    assert len(verified.splitlines()) == 1  # a header, and nothing that differs
    assert "verified: 2 files; 0 later decisions" in told
    assert ("certificate covers less" in told) == (kept.stem == "0.1.0")


def test_databases_of_releases_are_kept() -> None:
    assert [kept.stem for kept in KEPT][:1] == ["0.1.0"]
