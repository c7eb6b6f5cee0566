"""``manage.py compare`` and ``manage.py correlate``."""

import json
from pathlib import Path

import pytest

from tests.management.terminal import refused, run
from tests.real import data_file

QRELS = "A.1\t0\thigh\t3\nA.1\t0\tnone\t0\nA.2\t0\thigh\t2\nA.2\t0\tnone\t0\nA.3\t0\thigh\t2\n"


@pytest.fixture
def runs(tmp_path: Path) -> list[object]:
    """The words of a command with three runs: ``good`` finds all, ``bad`` what is not relevant, ``half`` both."""
    (tmp_path / "q").write_text(QRELS)
    for name, units in (("good", ("high",)), ("half", ("none", "high")), ("bad", ("none",))):
        lines = [f"A.{topic}\t{unit}\t1\t{-place}\t{name}" for topic in (1, 2, 3) for place, unit in enumerate(units)]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    return ["--qrels", tmp_path / "q", "--run", *(tmp_path / name for name in ("good", "half", "bad"))]


def test_runs_are_compared_by_each_measure_or_with_one(runs: list[object]) -> None:
    printed = run("compare", *runs, "--measure", "MAP'", "P'@5")
    assert [row[:4] for row in printed.rows] == [
        [*pair, name, "3"] for name in ("MAP'", "P'@5") for pair in (("good", "half"), ("good", "bad"), ("half", "bad"))
    ]
    of_map = dict(zip(printed.header, printed.rows[0], strict=True))
    assert of_map["difference"] == "0.3333"  # 1/2, 1/2 and 0
    assert of_map["t"] == "2.0000"
    assert of_map["randomization"] == "0.5000"  # of 8 assignments of signs, 4 are as far from 0
    assert printed.rows[1][7:9] == ["—", "—"]
    assert printed.rows[1][-1] == "all differences are equal"
    rows = json.loads(run("compare", *runs, "--measure", "MAP'", "--against", "bad", "--json").out)
    assert [(row["first"], row["second"]) for row in rows] == [("good", "bad"), ("half", "bad")]
    assert rows[1]["difference"] == pytest.approx(2 / 3, abs=1e-12)
    assert refused("compare", *runs, "--against", "x").endswith("--against: no run x: choose from good, half, bad")
    assert refused("compare", *runs[:4]) == "--run: give two runs or more"


def test_what_score_prints_can_be_correlated(tmp_path: Path) -> None:
    qrels, answers = data_file("task3/qrels.arqmath-2022-task3-official.txt"), data_file("task3/teams_document_id.tsv")
    (tmp_path / "graded").write_text(run("score", "--qrels", qrels, "--answers", answers, "--json").out)
    (tmp_path / "high").write_text(run("score", "--qrels", qrels, "--answers", answers, "--level", 3).out)
    (between,) = run("correlate", tmp_path / "graded").rows
    assert between[:3] == ["AR", "P@1", "14"]
    assert round(float(between[3]), 3) == 0.989  # published
    by_qrels = run("correlate", tmp_path / "graded", tmp_path / "high").rows
    assert [row[:2] for row in by_qrels] == [["AR", "AR"], ["P@1", "P@1"]]
    assert by_qrels[0][4] == "1.0000"  # the level does not change AR
    assert float(by_qrels[1][4]) < 1
    (tmp_path / "t").write_text("run\tAR\na\t1\n")
    assert "there are no two measures to compare" in refused("correlate", tmp_path / "t")
