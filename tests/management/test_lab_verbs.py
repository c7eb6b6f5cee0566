"""A lab from a file to a verified release, by commands only."""

import json
from pathlib import Path

import pytest

from assess.models import Campaign, Job, Run, Topic
from tests.cast import make_assignment, make_cast, make_user
from tests.lab import judge
from tests.management.terminal import refused, run

pytestmark = pytest.mark.django_db

LAB = """like = "documents"
primary_depth = 2
[[outcomes]]
word = "broken"
name = "Broken"
meaning = "Empty"
qrels = 0
[campaign]
name = "Tea"
edition = "Course 1"
organizer = "olga"
topics = "topics.tsv"
documents = "documents.jsonl"
"""
GOOD = "q1 Q0 tea 1 9 good\nq1 Q0 cup 2 8 good\n"


@pytest.fixture(autouse=True)
def lab(tmp_path: Path) -> Path:
    make_user("olga", is_staff=True)
    (tmp_path / "lab.toml").write_text(LAB)
    (tmp_path / "topics.tsv").write_text("q1\tgreen tea\n")
    texts = {"tea": "Brew tea at eighty degrees.", "cup": "A cup."}
    lines = (json.dumps({"id": name, "text": text}) for name, text in texts.items())
    (tmp_path / "documents.jsonl").write_text("\n".join(lines))
    (tmp_path / "good.txt").write_text(GOOD)
    (tmp_path / "gone.txt").write_text("q1 Q0 gone 1 9 gone\n")
    return tmp_path


def test_a_lab_from_a_file_to_a_verified_release(lab: Path) -> None:
    run("campaign", "new", lab / "lab.toml")
    assert run("campaign", "list").rows == [["tea", "Tea", "Course 1", "1", "0", "", ""]]
    [added] = json.loads(run("run", "add", "tea", lab / "good.txt", "--team", "A", "--json").out)
    assert (added["name"], added["team"], added["pool_role"], added["known"]) == ("good", "A", "primary", 1.0)
    assert run("run", "list", "tea").rows[0][:4] == ["good", "A", "primary", "primary"]
    Run.objects.update(withdrawn="2026-01-02T10:00Z")
    assert run("run", "list", "tea").rows[0][-1] == "2026-01-02"
    Run.objects.update(withdrawn=None)
    built = run("pool", "build", "tea")
    assert (built.header, built.rows) == (["topic", "units", "documents"], [["q1", "2", "2"]])
    Topic.objects.create(campaign=Campaign.objects.get(), topic_id="q2", number=2, is_training=True)
    assert run("campaign", "list").rows[0][3:6] == ["1", "1", "open"]
    frozen = run("pool", "freeze", "tea")
    assert (frozen.rows, "sealing topic q1" in frozen.err) == ([["q1", "2", "2"]], True)
    campaign = Campaign.objects.get()
    judge(make_assignment(campaign.frozen_pool(), make_cast(campaign).ada), {"tea": "3", "cup": "broken"})
    [made] = json.loads(run("release", "make", "tea", "--note", "First", "--json").out)
    assert (made["release"], made["note"], made["lines"], made["verified"]) == (1, "First", 2, "")
    assert run("qrels", "verify", "tea", "1").rows == []
    assert run("release", "list", "tea").rows[0][-1] == made["sha256"]
    steps = {row[0]: row[1] for row in run("campaign", "show", "tea").rows}
    assert (steps["pool"], steps["releases"], steps["results"]) == ("yes", "yes", "no")
    kinds = list(Job.objects.order_by("pk").values_list("kind", "state", "created_by__username"))
    assert kinds == [(kind, "done", "olga") for kind in ("runs", "pool", "freeze", "release")]
    campaign.frozen_pool().qrels.get().lines.filter(unit_id="tea").update(grade=1)  # forged
    with pytest.raises(SystemExit) as stopped:
        run("qrels", "verify", "tea", "1")
    assert stopped.value.code == 1


def test_what_is_refused_ends_with_exit_code_2(lab: Path) -> None:
    assert refused("run", "list", "tea") == "campaign: there is no tea; there are: none"
    run("campaign", "new", lab / "lab.toml")
    assert "whose run good.txt is" in refused("run", "add", "tea", lab / "good.txt")
    assert "There is no pool" in refused("pool", "freeze", "tea")
    assert "not frozen" in refused("release", "make", "tea")
    (lab / "foreign.txt").write_text("q9 Q0 tea 1 9 foreign\n")
    assert "no topic in common" in refused("run", "add", "tea", lab / "foreign.txt", "--team", "A").splitlines()[-1]
    run("run", "add", "tea", lab / "gone.txt", "--team", "A")
    run("pool", "build", "tea")
    assert "--anyway" in refused("pool", "freeze", "tea")
    assert run("pool", "freeze", "tea", "--anyway").rows == [["q1", "1", "1"]]
