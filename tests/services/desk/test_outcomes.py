"""Outcomes that organizers send back to their assessors."""

from datetime import timedelta

import pytest
from django.utils import timezone

from assess.models import Assignment, Judgment, JudgmentEvent, Pool
from assess.services.common.errors import Conflict, Refused
from assess.services.desk import decisions
from assess.services.rounds import assignments, progress
from tests.cast import Cast, make_assignment, make_campaign, make_pool
from tests.lab import judge

pytestmark = [pytest.mark.django_db, pytest.mark.engines]


@pytest.fixture
def assignment(pool: Pool, cast: Cast) -> Assignment:
    """ada's: a system failure for 11, a do-not-know for 12, a grade for 21."""
    assignment = make_assignment(pool, cast.ada)
    judge(assignment, {"11": "system_failure", "12": "do_not_know", "21": "3"})
    return assignment


def keys(assignment: Assignment) -> dict[int, str]:
    return dict(assignment.judgments.values_list("pk", "key"))


def judged(assignment: Assignment) -> list[str]:
    return sorted(assignment.judgments.values_list("instance__doc_id", flat=True))


def test_outcomes_go_back_and_grades_stay(assignment: Assignment, cast: Cast) -> None:
    noted = decisions.send_back(assignment.round.pool, keys(assignment), cast.olga, " Picture added ")
    said = "Sent 2 judgments back to be made again; 1 stayed, changed by their assessors meanwhile: "
    assert str(noted) == f"{said}A.1 to ada. Reason: “Picture added”."
    assert judged(assignment) == ["21"]
    events = JudgmentEvent.objects.filter(by=cast.olga).order_by("old_decision")
    rows = [(event.old_decision, event.old_comment, event.decision, event.comment) for event in events]
    assert rows == [("do_not_know", "why", "", "Picture added"), ("system_failure", "why", "", "Picture added")]
    assert JudgmentEvent.objects.filter(by=cast.ada).count() == 3  # what ada decided stays hers


def test_a_desk_that_does_not_know_of_it_meets_a_conflict(assignment: Assignment, cast: Cast) -> None:
    failure = assignment.judgments.get(outcome="system_failure")
    decisions.send_back(assignment.round.pool, {failure.pk: failure.key}, cast.olga, "Mended")  # not the other outcome
    decision = decisions.Decision(failure.instance_id, failure.instance.content_hash, "1", after=failure.key, key="new")
    with pytest.raises(Conflict):
        decisions.save_decisions(assignment.pk, cast.ada, [decision])
    assert judged(assignment) == ["12", "21"]


def test_what_its_assessor_changed_meanwhile_stays(assignment: Assignment, cast: Cast) -> None:
    seen = keys(assignment)
    judge(assignment, {"11": "do_not_know"})  # another decision, still an outcome
    judge(assignment, {"12": "0"})  # a grade
    with pytest.raises(Refused, match="changed all of them"):
        decisions.send_back(assignment.round.pool, seen, cast.olga, "Mended")
    assert judged(assignment) == ["11", "12", "21"]


def test_judgments_of_other_pools_and_of_handed_over_topics_stay(assignment: Assignment, cast: Cast) -> None:
    pool, other = assignment.round.pool, make_pool(make_campaign())
    for place, reason in ((pool, ""), (pool, "  "), (pool, "x" * 5001), (other, "Mended")):
        with pytest.raises(Refused):
            decisions.send_back(place, keys(assignment), cast.olga, reason)
    assignments.hand_over_topic(assignment, cast.emmy, cast.olga)
    with pytest.raises(Refused):
        decisions.send_back(pool, keys(assignment), cast.olga, "Mended")
    assert len(judged(assignment)) == 3


def test_system_failures_are_new_for_a_week(assignment: Assignment) -> None:
    pool = assignment.round.pool
    assert progress.overview(pool).new_failures == 1
    Judgment.objects.update(changed=timezone.now() - timedelta(days=8))
    assert progress.overview(pool).new_failures == 0
