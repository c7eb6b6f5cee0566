import os
import subprocess
import sys

import pytest

from tests.real import ROOT

UNREACHABLE = "postgresql://nobody:none@127.0.0.1:1/none"


def manage(*words):
    """A command in a process of its own, with a database server that is not there."""
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
def files(tmp_path):
    (tmp_path / "run").write_text("A.1\t7\t1\t1\tteam\n")
    (tmp_path / "qrels").write_text("A.1\t0\t7\t3\n")
    (tmp_path / "roles").write_text("team primary\n")
    (tmp_path / "judgments").write_text("assessor\titem\tgrade\nann\tx\t3\nbob\tx\t3\n")
    return tmp_path


def test_the_database_is_really_out_of_reach():
    assert manage("showmigrations").returncode != 0


def test_the_commands_of_the_science_need_no_database(files):
    done = [
        manage("score", "--qrels", files / "qrels", "--run", files / "run"),
        manage(
            *("pool", "--run", files / "run", "--roles", files / "roles"),
            *("--preset", "arqmath2-task1", "--seed", "1"),
        ),
        manage("kappa", "--judgments", files / "judgments"),
    ]
    assert [(process.returncode, process.stderr) for process in done] == [(0, "")] * 3
    assert "team\tnDCG'\t1.0000\t1\n" in done[0].stdout
    assert done[1].stdout == "topic\tunit\tdoc\tvotes\truns\nA.1\t7\t7\t1\t1\n"
    assert "—" in done[2].stdout


def test_wrong_arguments_and_bad_files_end_with_exit_code_2_and_print_nothing(files):
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
