"""``manage.py qrels``: verifying, comparing, and checking formulas by instance."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.lab import judge, make_lab
from tests.management.terminal import refused, run
from tests.real import data_file

OLD = "A.1\t0\t11\t3\nA.1\t0\t12\t0\nA.1\t0\t21\t2\n"
NEW = "A.1\t0\t11\t0\nA.1\t0\t12\t3\nA.1\t0\t99\t1\n"
ALPHA = "A.1\t11\t1\t9\talpha\nA.1\t12\t2\t8\talpha\n"
BETA = "A.1\t12\t1\t9\tbeta\nA.1\t11\t2\t8\tbeta\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in {"old": OLD, "new": NEW, "alpha": ALPHA, "beta": BETA}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_two_files_are_compared(files: Path) -> None:
    done = run("qrels", "diff", files / "old", files / "new")
    assert done.err == "2 changed, 1 added, 1 removed\n"
    assert done.rows == [
        ["changed", "A.1", "11", "3", "0"],
        ["changed", "A.1", "12", "0", "3"],
        ["removed", "A.1", "21", "2", "—"],
        ["added", "A.1", "99", "—", "1"],
    ]


def test_runs_are_ranked_with_both_files(files: Path) -> None:
    """alpha has 11 before 12, beta after it. With the old qrels 21 is missing in both."""
    done = run("qrels", "diff", files / "old", files / "new", "--run", files / "alpha", files / "beta")
    ranks = {(row[0], row[3]): (row[1], row[2]) for row in done.rows}
    assert ranks["nDCG'", "alpha"] == ("1", "2")
    assert ranks["nDCG'", "beta"] == ("2", "1")
    printed = run("qrels", "diff", files / "old", files / "new", "--run", files / "alpha", "--json").out
    first = json.loads(printed)[0]
    assert first["change"] == pytest.approx(first["after"] - first["before"], abs=2e-4)
    scored = {row[1]: row[2] for row in run("score", "--qrels", files / "new", "--run", files / "alpha").rows}
    assert first["after"] == pytest.approx(float(scored["nDCG'"]))


def test_files_that_are_no_qrels_are_refused(files: Path) -> None:
    assert "this looks like a run" in refused("qrels", "diff", files / "old", files / "alpha")


@pytest.mark.parametrize(
    ("by_instance", "by_visual", "message"),
    [
        ("qrels.arqmath-2020-task2.txt", "qrels.arqmath-2020-task2-visual_ids.v3.txt", "equal: 93 of 94"),
        ("qrel_task2_2021_formula_id_all.tsv", "qrels.arqmath-2021-task2.txt", "equal: 567 of 568"),
    ],
)
def test_the_highest_instance_has_the_grade_of_the_formula(by_instance: str, by_visual: str, message: str) -> None:
    done = run(
        "qrels",
        "instances",
        *("--qrels-by-instance", data_file(f"qrels/{by_instance}")),
        *("--qrels-by-visual", data_file(f"qrels/{by_visual}")),
        *("--formula-index", data_file("formula-index/formulas.v3.tsv")),
    )
    assert f"{message}; above the grade by visual id: 0" in done.err
    assert [row[-1] for row in done.rows] == ["below"]


def test_the_same_holds_for_1285_of_all_1287_groups_of_three_years() -> None:
    """The exceptions: instances outside the excerpt of the index have the formulas' grades."""
    done = run("qrels", "instances", "--table", data_file("posts/derived_instance_to_visual_check.tsv"))
    assert done.err == "equal: 1,285 of 1,287; above the grade by visual id: 0\n"
    assert [row[:2] for row in done.rows] == [["B.12", "4748402"], ["B.262", "264598"]]


def test_an_instance_above_its_formula_is_an_error(files: Path) -> None:
    header = "topic\tformula_id\tinstance_score\tvisual_id\tvisual_score\n"
    (files / "table").write_text(f"{header}B.1\tf1\t3\tv1\t2\nB.1\tf2\t0\tv1\t2\n")
    out, err = StringIO(), StringIO()
    with pytest.raises(SystemExit) as stopped:
        call_command("qrels", "instances", "--table", str(files / "table"), stdout=out, stderr=err, no_color=True)
    assert (stopped.value.code, out.getvalue().splitlines()[1]) == (1, "B.1\tv1\t2\t3\t2\tabove")
    assert "give both qrels and the formula index" in refused("qrels", "instances", "--qrels-by-visual", files / "old")


@pytest.mark.django_db
def test_a_release_is_verified(tmp_path: Path) -> None:
    lab = make_lab(tmp_path)
    done = run("qrels", "verify", lab.campaign.slug, 1)
    assert (done.rows, done.err) == ([], "verified: 2 files; 0 later decisions, which would change 0 lines\n")
    judge(lab.official, {"12": "3"})
    done = run("qrels", "verify", lab.campaign.slug, 1)
    assert [row[:6] for row in done.rows] == [
        ["later", "", "A.1", "12", "0", "3"],
        ["effect", "post", "A.1", "12", "0", "3"],
    ]
    with pytest.raises(CommandError, match=r"has no release 2\. There are: 1"):
        run("qrels", "verify", lab.campaign.slug, 2)


@pytest.mark.django_db
def test_a_release_that_does_not_verify_ends_with_exit_code_1(tmp_path: Path) -> None:
    lab = make_lab(tmp_path)
    lab.release.lines.filter(unit_id="12").update(grade=1)
    out, err = StringIO(), StringIO()
    with pytest.raises(SystemExit) as stopped:
        call_command("qrels", "verify", lab.campaign.slug, "1", stdout=out, stderr=err, no_color=True)
    assert stopped.value.code == 1
    assert "line\tpost\tA.1\t12\t1\t0" in out.getvalue()
    assert err.getvalue().startswith("NOT verified")
