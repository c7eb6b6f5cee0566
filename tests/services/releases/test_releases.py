"""Releases with options: whose judgments, which topics, and what they make of them."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from assess.ir.releases.release_options import ReleaseOptions
from assess.models import Assignment, Job, Judgment, Pool, Qrels
from assess.services import job_kinds
from assess.services.agreement import agreement
from assess.services.common.errors import Refused
from assess.services.jobs import job_queue
from assess.services.releases import manifest, qrels, sources
from assess.services.rounds import adjudication, assignments
from tests.cast import Cast, make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.lab import Lab, decide, judge

pytestmark = [pytest.mark.django_db, pytest.mark.engines]


@pytest.fixture
def judged(pool: Pool, cast: Cast) -> Assignment:
    """A.1 by ada and, in the dual round, emmy; A.2 by emmy as an additional topic."""
    official = make_assignment(pool, cast.ada)
    judge(official, {"11": "3", "12": "0", "21": "2", "99": "system_failure"})
    judge(make_assignment(pool, cast.emmy, kind="dual"), {"11": "2", "12": "1", "21": "0", "99": "1"})
    judge(make_assignment(pool, cast.emmy, topic="A.2", kind="additional"), {"11": "1"})
    return official


def lines(release: Qrels) -> dict[str, int]:
    return {f"{line.topic_id} {line.unit_id}": line.grade for line in release.lines_of("post")}


def released(pool: Pool, **options: Any) -> dict[str, int]:
    return lines(qrels.release(pool, make_cast().olga, on_progress, ReleaseOptions(**options)))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {"A.1 11": 3, "A.1 12": 0, "A.1 21": 2, "A.2 11": 1}),
        ({"outcomes_as_zero": ("system_failure",)}, {"A.1 11": 3, "A.1 12": 0, "A.1 21": 2, "A.1 99": 0, "A.2 11": 1}),
        ({"topics": ("test",)}, {"A.1 11": 3, "A.1 12": 0, "A.1 21": 2}),
        ({"topics": ("additional", "removed")}, {"A.2 11": 1}),
        ({"judges": "round", "round": 2}, {"A.1 11": 2, "A.1 12": 1, "A.1 21": 0, "A.1 99": 1}),
        ({"judges": "assessor", "assessor": "emmy"}, {"A.1 11": 2, "A.1 12": 1, "A.1 21": 0, "A.1 99": 1, "A.2 11": 1}),
        ({"judges": "two_assessors"}, {"A.1 11": 4, "A.1 12": 1, "A.1 21": 2}),
        ({"excluded": ("ada",)}, {"A.2 11": 1}),
    ],
)
def test_options_choose_judgments_and_topics(
    options: dict[str, Any], expected: dict[str, int], judged: object, pool: Pool
) -> None:
    assert released(pool, **options) == expected


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"judges": "round", "round": 9}, "no round 9"),
        ({"judges": "assessor", "assessor": "nobody"}, "nothing is graded"),
        ({"excluded": ("ada", "emmy")}, "nothing is graded"),
        ({"min_relevant": 3, "topics": ("test",)}, "too few relevant"),
    ],
)
def test_what_does_not_exist_is_refused(options: dict[str, Any], reason: str, judged: object, pool: Pool) -> None:
    with pytest.raises(Refused, match=reason):
        released(pool, **options)


def test_a_third_grade_is_refused_until_somebody_is_left_out(judged: object, pool: Pool, cast: Cast) -> None:
    release = qrels.release(pool, cast.olga, on_progress, ReleaseOptions(judges="two_assessors"))
    binary = "A.1\t0\t11\t1\nA.1\t0\t12\t0\nA.1\t0\t21\t0\n"  # sums are relevant from 3 up
    assert (qrels.as_file(release, "post", binary=True), release.chosen.judges) == (binary, "two_assessors")
    judge(make_assignment(pool, cast.kurt, kind="dual"), {"11": "0"})
    with pytest.raises(Refused, match=r"can't be made: document 11 of topic A\.1 has grades of ada, emmy, kurt"):
        released(pool, judges="two_assessors")
    assert released(pool, judges="two_assessors", excluded=("emmy",)) == {"A.1 11": 2}


def test_settled_grades_of_experts_who_are_left_out_do_not_count(judged: object, pool: Pool, cast: Cast) -> None:
    adjudication.adjudicate(pool, cast.kurt, cast.olga)
    judge(Assignment.objects.get(assessor=cast.kurt), {"11": "1", "21": "3"})
    assert released(pool, judges="adjudicated", topics=("test",)) == {"A.1 11": 1, "A.1 12": 0, "A.1 21": 3}
    assert released(pool, judges="adjudicated", excluded=("kurt",)) == released(pool)


def test_what_arrived_after_a_hand_over_never_counts(judged: Assignment, pool: Pool, cast: Cast) -> None:
    """Not even when the topic comes back to the person who had it."""
    decide(judged, "99", "")
    before = released(pool)
    assignments.hand_over_topic(judged, cast.kurt, cast.olga)
    decide(judged, "11", "0")
    assert released(pool) == before
    assignments.hand_over_topic(Assignment.objects.get(assessor=cast.kurt), cast.ada, cast.olga)
    assert Assignment.objects.get(pk=judged.pk).handed_over is None
    assert released(pool) == before


def test_judgments_changed_past_their_history_are_not_released(judged: Assignment, pool: Pool) -> None:
    changed = Judgment.objects.filter(assignment=judged, instance__doc_id="12")
    for act, now in ((lambda: changed.update(grade=3), r"3 \(why\)"), (changed.delete, "not at all")):
        act()
        with pytest.raises(Refused, match=rf"A\.1 12: judged {now}, by its history 0"):
            released(pool)


def test_a_job_that_is_done_again_ends_with_its_own_results_and_no_others(lab: Lab) -> None:
    """The lab has a report and a release that are nobody's job."""
    for kind in (job_kinds.compute_agreement, job_kinds.release_qrels):
        job = job_queue.submit(lab.campaign, kind, lab.cast.olga, pool=lab.pool.pk)
        assert kind.step(job, on_progress) == kind.step(job, on_progress)
    assert (lab.pool.agreement_reports.count(), lab.pool.qrels.count()) == (2, 2)
    with pytest.raises(IntegrityError), transaction.atomic():
        agreement.report(lab.pool, on_progress, job=Job.objects.get(kind="agreement"))
    with pytest.raises(Refused, match="Nothing has been judged"):
        agreement.report(make_pool(make_campaign(name="Other")), on_progress)


def test_the_manifest_has_the_pool_the_hashes_and_no_names(judged: object, pool: Pool, cast: Cast) -> None:
    release = qrels.release(pool, cast.olga, on_progress, ReleaseOptions(excluded=("emmy",)))
    made = manifest.provenance_of(release)
    assert made["pool"]["version"] == 1
    assert made["items"]["count"] == 4
    assert made["files"]["post.graded"]["sha256"] == sources.hash_of([qrels.as_file(release, "post")])
    assert [(part["topic"], part["round"], part["events"]) for part in made["parts"]] == [("A.1", "main", 4)]
    assert made["software"].startswith("Assess 0.")
    assert "official_grade" not in release.manifest  # with one assessor there is no rule
    assert not {"ada", "emmy"} & set(str(made).replace("'", " ").split())
