"""A lab of documents with negative grades, from its judgments to the means of its runs."""

from pathlib import Path

import pytest

from assess.ir.campaign.protocol import Protocol
from assess.models import Campaign, Instance, Post, Qrels, Topic
from assess.services.releases import qrels, verification
from assess.services.scores import evaluation
from tests.cast import make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.lab import add_run, judge

pytestmark = pytest.mark.django_db

GRADES = {3: "Key", 2: "Good", 1: "Fair", 0: "Poor", -1: "Off topic", -2: "Spam"}


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    """Documents 11, 12, 21 and 99; the run has them in the order 99, 12, 77 (unjudged), 11."""
    made = make_campaign("documents", topics=1)
    scale = [{"value": value, "name": name} for value, name in GRADES.items()]
    made.protocol = Protocol.from_dict(made.protocol | {"grades": scale, "level": 1}).to_dict()
    made.save()
    Post.objects.filter(kind="answer").update(kind="document", url="https://example.org/", language="en")
    Post.objects.create(collection=made.collection, post_id="99", kind="document", thread_id="99", body="<p>Buy!</p>")
    Topic.objects.update(fields={"narrative": "<p>All of it.</p>"})
    lines = [f"A.1 Q0 {doc} {rank} {9 - rank} r" for rank, doc in enumerate(("99", "12", "77", "11"), start=1)]
    add_run(made, tmp_path, "\n".join(lines) + "\n")
    return made


@pytest.fixture
def release(campaign: Campaign) -> Qrels:
    pool = make_pool(campaign)
    cast = make_cast(campaign)
    judge(make_assignment(pool, cast.ada), {"11": "3", "12": "-1", "21": "1", "99": "-2"})
    return qrels.release(pool, cast.olga, on_progress)


def test_documents_are_released_as_documents_with_all_their_grades(release: Qrels) -> None:
    assert set(Instance.objects.values_list("kind", flat=True)) == {"document"}
    assert set(release.counts) == {"document"}
    assert qrels.as_file(release, "document") == "A.1\t0\t11\t3\nA.1\t0\t12\t-1\nA.1\t0\t21\t1\nA.1\t0\t99\t-2\n"
    binary = qrels.as_file(release, "document", binary=True)
    assert binary == "A.1\t0\t11\t1\nA.1\t0\t12\t0\nA.1\t0\t21\t1\nA.1\t0\t99\t0\n"
    assert verification.verify(release).problems == []


def test_negative_grades_count_as_0(release: Qrels) -> None:
    """By hand: judged documents in the run are 99, 12 and 11; the best order is 3, 1."""
    names = ["nDCG'", "MAP'", "bpref", "nDCG", "MAP", "judged", "P@5", "AR"]
    scored = evaluation.evaluate(release, "qrels", on_progress, measures=names)
    means = {mean["measure"]: mean["value"] for mean in scored.means}
    best = 3 + 1 / 1.584962500721156
    expected = {
        "nDCG'": 1.5 / best,
        "MAP'": 1 / 6,
        "bpref": 0.0,
        "MAP": 1 / 8,
        "judged": 3 / 4,
        "P@5": 1 / 5,
        "AR": 0.0,
    }
    assert {name: means[name] for name in expected} == pytest.approx(expected)
    assert evaluation.evaluate(release, "qrels", on_progress).measures == list(release.pool.rules.measures)
    assert means["nDCG"] == pytest.approx(3 / 2.321928094887362 / best)
