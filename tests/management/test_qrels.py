"""``manage.py qrels``: verifying and comparing."""

import json
from pathlib import Path

import pytest

from tests.lab import judge, make_lab
from tests.management.terminal import refused, run

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


@pytest.mark.django_db
def test_a_release_is_verified(tmp_path: Path) -> None:
    lab = make_lab(tmp_path)
    done = run("qrels", "verify", lab.campaign.slug, 1)
    sha256 = lab.release.sha256
    assert (done.rows, done.err) == (
        [],
        f"verified: 2 files; 0 later decisions\nmanifest: SHA-256 {sha256}, not signed\n",
    )
    assert "verified" in run("qrels", "verify", lab.campaign.slug, 1, "--sha256", sha256).err
    judge(lab.official, {"12": "3"})
    done = run("qrels", "verify", lab.campaign.slug, 1)
    assert [row[:6] for row in done.rows] == [["later", "", "A.1", "12", "0", "3"]]
    # Exit code 2: 1 is for a release that does not verify.
    assert refused("qrels", "verify", lab.campaign.slug, 2).endswith("has no release 2; there are: 1")
    assert "there is no nope" in refused("qrels", "verify", "nope", 2)
