import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.real import ROOT

UNREACHABLE = "postgresql://nobody:none@127.0.0.1:1/none"


def manage(*words: object) -> subprocess.CompletedProcess[str]:
    """Runs a command in a new process, with a database server that does not exist."""
    return subprocess.run(
        [sys.executable, "manage.py", *map(str, words)],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": UNREACHABLE, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "run").write_text("A.1\t7\t1\t1\tteam\n")
    (tmp_path / "qrels").write_text("A.1\t0\t7\t3\n")
    (tmp_path / "roles").write_text("team primary\n")
    (tmp_path / "judgments").write_text("assessor\titem\tgrade\nann\tx\t3\nbob\tx\t3\n")
    return tmp_path


def test_the_database_is_out_of_reach() -> None:
    assert manage("showmigrations").returncode != 0


def test_score_pool_and_kappa_need_no_database(files: Path) -> None:
    processes = [
        manage("score", "--qrels", files / "qrels", "--run", files / "run"),
        manage(
            *("pool", "--run", files / "run", "--roles", files / "roles"),
            *("--preset", "arqmath2-task1", "--seed", "1"),
        ),
        manage("kappa", "--judgments", files / "judgments"),
    ]
    assert [(process.returncode, process.stderr) for process in processes] == [(0, "")] * 3
    assert "team\tnDCG'\t1.0000\t1\n" in processes[0].stdout
    assert processes[1].stdout == "topic\tunit\tdoc\tvotes\truns\nA.1\t7\t7\t1\t1\n"
    assert "—" in processes[2].stdout


def test_wrong_arguments_and_bad_files_end_with_exit_code_2_and_print_nothing(files: Path) -> None:
    for words in (
        ("score", "--qrels", files / "qrels"),
        ("score", "--qrels", files / "qrels", "--run", files / "run", "--level", "0"),
        ("score", "--qrels", files / "run", "--run", files / "run"),
        ("pool", "--preset", "arqmath9-task1"),
        ("kappa", "--judgments", files / "nowhere"),
    ):
        process = manage(*words)
        assert (process.returncode, process.stdout) == (2, "")
        assert process.stderr
        assert "Traceback" not in process.stderr
