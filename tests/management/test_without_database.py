import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.real import ROOT

UNREACHABLE = "postgresql://nobody:none@127.0.0.1:1/none"
RUN_ALL = """
import json, sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from django.core.management import execute_from_command_line

done = []
for words in json.load(sys.stdin):
    code, out, err = 0, StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            execute_from_command_line(["manage.py", *words])
        except SystemExit as end:
            code = end.code
    done.append((code, out.getvalue(), err.getvalue()))
print(json.dumps(done))
"""


class Done(NamedTuple):
    code: int
    out: str
    err: str


def manage(*commands: tuple[object, ...]) -> list[Done]:
    """Runs commands one after the other in a new process, with a database server that does not exist."""
    process = subprocess.run(
        [sys.executable, "-c", RUN_ALL],
        input=json.dumps([list(map(str, words)) for words in commands]),
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": UNREACHABLE, "DJANGO_SETTINGS_MODULE": "assess.settings"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return [Done(*done) for done in json.loads(process.stdout)]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "run").write_text("A.1\t7\t1\t1\tteam\n")
    (tmp_path / "qrels").write_text("A.1\t0\t7\t3\n")
    (tmp_path / "roles").write_text("team primary\n")
    (tmp_path / "judgments").write_text("assessor\titem\tgrade\nann\tx\t3\nbob\tx\t3\n")
    return tmp_path


def test_score_pool_and_kappa_need_no_database(files: Path) -> None:
    score, pool, kappa = manage(
        ("score", "--qrels", files / "qrels", "--run", files / "run"),
        ("pool", "--run", files / "run", "--roles", files / "roles", "--preset", "arqmath2-task1", "--seed", "1"),
        ("kappa", "--judgments", files / "judgments"),
    )
    assert [(done.code, done.err) for done in (score, pool, kappa)] == [(0, "")] * 3
    assert "team\tnDCG'\t1.0000\t1\n" in score.out
    assert pool.out == "topic\tunit\tdoc\tvotes\truns\nA.1\t7\t7\t1\t1\n"
    assert "—" in kappa.out
    with pytest.raises(subprocess.CalledProcessError, match="exit status 1"):
        manage(("showmigrations",))


def test_wrong_arguments_and_bad_files_end_with_exit_code_2_and_print_nothing(files: Path) -> None:
    for done in manage(
        ("score", "--qrels", files / "qrels"),
        ("score", "--qrels", files / "qrels", "--run", files / "run", "--level", "0"),
        ("score", "--qrels", files / "run", "--run", files / "run"),
        ("pool", "--preset", "arqmath9-task1"),
        ("kappa", "--judgments", files / "nowhere"),
    ):
        assert (done.code, done.out) == (2, "")
        assert done.err
        assert "Traceback" not in done.err
