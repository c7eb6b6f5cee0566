"""The commands about files need no database, and refuse files without a traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.real import ROOT

UNREACHABLE = "postgresql://nobody:none@127.0.0.1:1/none"
RUN_ALL = """
import json, sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from django.core.management import execute_from_command_line
from django.db import OperationalError

done = []
for words in json.load(sys.stdin):
    code, out, err = 0, StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            execute_from_command_line(["manage.py", *words])
        except SystemExit as end:
            code = end.code
        except OperationalError:
            code = "no database"
    done.append((code, out.getvalue(), err.getvalue()))
print(json.dumps(done))
"""


def test_score_pool_and_kappa_need_no_database_and_wrong_files_and_arguments_end_with_exit_code_2(
    tmp_path: Path,
) -> None:
    run, qrels, roles, judgments = (tmp_path / name for name in ("run", "qrels", "roles", "judgments"))
    run.write_text("A.1\t7\t1\t1\tteam\n")
    qrels.write_text("A.1\t0\t7\t3\n")
    roles.write_text("team primary\n")
    judgments.write_text("assessor\titem\tgrade\nann\tx\t3\nbob\tx\t3\n")
    commands: list[tuple[object, ...]] = [
        ("score", "--qrels", qrels, "--run", run),
        ("pool", "--run", run, "--roles", roles, "--preset", "arqmath2-task1", "--seed", "1"),
        ("kappa", "--judgments", judgments),
        ("showmigrations",),
        ("score", "--qrels", qrels),
        ("score", "--qrels", qrels, "--run", run, "--level", "0"),
        ("score", "--qrels", run, "--run", run),
        ("pool", "--preset", "arqmath9-task1"),
        ("kappa", "--judgments", tmp_path / "nowhere"),
    ]
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
    score, pool, kappa, other, *wrong = json.loads(process.stdout)
    assert [(code, err) for code, _, err in (score, pool, kappa)] == [(0, "")] * 3
    assert "team\tnDCG'\t1.0000\t1\n" in score[1]
    assert pool[1] == "topic\tunit\tdoc\tvotes\truns\nA.1\t7\t7\t1\t1\n"
    assert "—" in kappa[1]
    assert other[0] == "no database"
    for code, out, err in wrong:
        assert (code, out, bool(err), "Traceback" in err) == (2, "", True, False)
