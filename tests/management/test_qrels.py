"""``manage.py qrels``: verifying and comparing."""

from pathlib import Path

import pytest

from tests.lab import judge, make_lab
from tests.management.terminal import refused, run


def test_two_files_are_compared(tmp_path: Path) -> None:
    (old := tmp_path / "old").write_text("A.1\t0\t11\t3\nA.1\t0\t12\t0\nA.1\t0\t21\t2\n")
    (new := tmp_path / "new").write_text("A.1\t0\t11\t0\nA.1\t0\t12\t3\nA.1\t0\t99\t1\n")
    done = run("qrels", "diff", old, new)
    assert done.err == "2 changed, 1 added, 1 removed\n"
    assert done.rows == [
        ["changed", "A.1", "11", "3", "0"],
        ["changed", "A.1", "12", "0", "3"],
        ["removed", "A.1", "21", "2", "—"],
        ["added", "A.1", "99", "—", "1"],
    ]
    new.write_text("A.1\t11\t1\t9\talpha\n")
    assert "this looks like a run" in refused("qrels", "diff", old, new)


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
