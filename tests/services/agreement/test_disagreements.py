"""Where assessors disagree, on the lab of `tests.lab`: documents 11 (3 and 2) and 21 (2 and 0)."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from assess.ir.releases.release_options import ReleaseOptions
from assess.models import Assignment, Instance
from assess.services.agreement import agreement, disagreements
from assess.services.agreement.disagreements import Chosen, Disagreement
from assess.services.releases import qrels
from assess.services.rounds import adjudication
from assess.services.scores import evaluation, influence
from tests.cast import make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.lab import Lab, judge
from tests.written import make_written

ALL = Chosen()
pytestmark = [pytest.mark.django_db, pytest.mark.engines]


def rows_of(lab: Lab, chosen: Chosen = ALL, order: str = "distance", influence: Any = None) -> list[Disagreement]:
    return disagreements.list_disagreements(disagreements.pairs_in_order(lab.pool, chosen, order, influence or {}))


def documents(lab: Lab, chosen: Chosen = ALL, order: str = "distance", influence: Any = None) -> list[str]:
    return [row.instance.doc_id for row in rows_of(lab, chosen, order, influence)]


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (Chosen(distance=2), ["21"]),
        (Chosen(distance=0), ["21", "11", "12"]),
        (Chosen(topic="A.2"), []),
        (Chosen(first="ada", second="emmy"), ["21", "11"]),
        (Chosen(first="emmy", second="ada"), ["21", "11"]),
        (Chosen(first="ada", second="kurt"), []),
        (Chosen(first="ada", grade=3, second="emmy", other_grade=2), ["11"]),
        (Chosen(first="emmy", grade=2, second="ada", other_grade=3), ["11"]),
        (Chosen(first="emmy", grade=3, second="ada", other_grade=2), []),
        (Chosen(first="ada", grade=0, other_grade=0, distance=0), ["12"]),
    ],
)
def test_documents_are_chosen_by_topic_pair_grades_and_distance(lab: Lab, chosen: Chosen, expected: list[str]) -> None:
    assert documents(lab, chosen) == expected


def test_both_judgments_come_with_their_history_and_the_place_in_a_preview(lab: Lab) -> None:
    judge(lab.official, {"21": "1"})
    row = rows_of(lab)[0]
    assert [(each.assignment.assessor, each.decision) for each, _ in row.sides] == [
        (lab.cast.ada, "3"),
        (lab.cast.emmy, "2"),
    ]
    (row,) = rows_of(lab, Chosen(first="ada", grade=1))
    judgment, events = row.sides[0]
    assert [event.decision for event in events] == ["2", "1"]
    assert row.preview == (lab.official.pk, lab.official.order.index(judgment.instance.entry_id) + 1)


def test_three_assessors_make_three_pairs_in_three_queries(
    lab: Lab, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    judge(make_assignment(lab.pool, lab.cast.kurt, kind="dual"), {"11": "0"})
    pairs = disagreements.pairs_in_order(lab.pool, ALL, "distance", {})
    with django_assert_num_queries(3):
        rows = disagreements.list_disagreements(pairs)
    assert [row.instance.doc_id for row in rows] == ["11", "11", "21", "11"]
    lab.pool.rounds.get(kind="dual").assignments.update(closed=timezone.now())  # judgments that arrived later
    assert documents(lab) == []


def test_experts_who_settled_one_after_another_are_not_compared(lab: Lab) -> None:
    for expert, grade in ((lab.cast.kurt, "0"), (User.objects.create(username="marie"), "3")):
        judge(make_assignment(lab.pool, expert, kind="adjudication"), {"12": grade})
    assert documents(lab) == ["21", "11"]
    assert adjudication.settled_grades(lab.pool) == {("A.1", "12"): 3}  # the last one counts
    release = qrels.release(lab.pool, lab.cast.olga, on_progress, ReleaseOptions(judges="adjudicated"))
    assert ("A.1", "12", 3) in release.lines_of("post")


def test_written_answers_move_average_relevance(tmp_path: Path) -> None:
    lab = make_written(tmp_path)
    lab.judge_all(gpt="0", ext="2")
    lab.judge_all(gpt="3", ext="2", assignment=make_assignment(lab.assignment.round.pool, lab.cast.emmy, kind="dual"))
    pool = lab.campaign.frozen_pool()
    evaluation.evaluate(qrels.release(pool, lab.cast.olga, on_progress), "qrels", on_progress)
    (grades,) = influence.influence_of_disagreements(pool)["documents"].values()
    assert grades == {"3": {"change": 3.0, "run": "gpt", "moved": 2, "measure": "AR"}}


def test_among_those_equally_far_apart_the_most_influential_come_first(lab: Lab) -> None:
    judge(Assignment.objects.get(assessor=lab.cast.emmy), {"12": "1"})
    moving = Instance.objects.get(doc_id="12", entry__topic__topic_id="A.1")
    known = {str(moving.pk): {"1": {"change": -0.1, "run": "r", "moved": 2}}}
    assert documents(lab, influence=known) == ["21", "12", "11"]
    assert documents(lab, order="influence", influence=known) == ["12", "21", "11"]


def test_without_scores_there_is_no_influence() -> None:
    pool = make_pool(campaign := make_campaign())
    judge(make_assignment(pool, make_cast(campaign).ada), {"11": "3"})
    assert influence.influence_of_disagreements(pool) == {}
    assert agreement.report(pool, on_progress, influence=influence.influence_of_disagreements(pool)).influence == {}
