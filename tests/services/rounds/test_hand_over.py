"""An assessor stops in the middle: what is judged stays with its author, the rest goes to another, nothing is judged
twice or left out."""

import threading

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assess.ir.common.rows import PoolLine
from assess.models import Assignment, Judgment, JudgmentEvent, Pool
from assess.services.agreement.agreement import judgment_rows
from assess.services.common.errors import Refused
from assess.services.desk import decisions, documents
from assess.services.pool import extension, pools
from assess.services.rounds import assignments, progress
from tests.cast import Cast, make_assignment, make_campaign, make_cast, make_pool
from tests.desk import documents_of, unit_at
from tests.lab import decide

pytestmark = [pytest.mark.django_db, pytest.mark.engines]


def hand_over(assignment: Assignment, assessor: User, done: str = assignments.Done.KEEP) -> Assignment:
    """What the other assessor then has."""
    assignments.hand_over_topic(assignment, assessor, make_cast().olga, done)
    return Assignment.objects.get(round=assignment.round, topic=assignment.topic, assessor=assessor, handed_over=None)


@pytest.fixture
def begun(pool: Pool, cast: Cast) -> Assignment:
    """A.1 of ada, who has judged 11 as highly relevant."""
    assignment = make_assignment(pool, cast.ada)
    decide(assignment, "11", "3")
    return assignment


def official(pool: Pool) -> list[tuple[str, str, int | None]]:
    return sorted((row.assessor, row.doc_id, row.grade) for row in judgment_rows(pool, official=True))


def test_the_rest_goes_to_another_and_what_is_judged_stays(pool: Pool, cast: Cast) -> None:
    first = make_assignment(pool, cast.ada)
    for unit, word in (("11", "3"), ("12", "0")):
        decide(first, unit, word)
    second = hand_over(first, cast.emmy)
    assert documents_of(second) == {"21", "99"}
    assert documents.states(second) == "oo"
    for unit in ("21", "99"):
        decide(second, unit, "1")
    assert official(pool) == [("ada", "11", 3), ("ada", "12", 0), ("emmy", "21", 1), ("emmy", "99", 1)]
    assert documents.states(second) == "jj"
    first.refresh_from_db()
    assert (first.official, first.closed, first.is_open) == (True, None, False)


def test_what_is_judged_can_become_dual_or_be_done_again(pool: Pool, cast: Cast, begun: Assignment) -> None:
    second = hand_over(begun, cast.emmy, assignments.Done.DUAL)
    for unit in ("11", "12", "21", "99"):
        decide(second, unit, "1")
    assert {name for name, _, _ in official(pool)} == {"emmy"}
    assert len(official(pool)) == 4
    assert ("ada", "11", 3) in [(row.assessor, row.doc_id, row.grade) for row in judgment_rows(pool)]
    begun.refresh_from_db()
    assert (begun.official, begun.round.kind, begun.is_open) == (False, "dual", False)
    third = hand_over(second, cast.kurt, assignments.Done.AGAIN)
    assert documents_of(third) == {"11", "12", "21", "99"}
    decide(third, "11", "2")
    assert official(pool) == [("kurt", "11", 2)]
    assert {row.assessor for row in judgment_rows(pool)} == {"ada", "kurt"}
    assert Judgment.objects.filter(assignment=second).count() == 4


def test_progress_counts_every_document_once(pool: Pool, cast: Cast, begun: Assignment) -> None:
    second = hand_over(begun, cast.emmy)
    decide(second, "12")
    view = progress.overview(pool)
    topic = view.topics[0]
    assert (topic.pace.judged, topic.pace.total) == (2, 4)
    assert [(each.assignment.assessor, each.pace.judged, each.pace.total) for each in topic.official] == [
        (cast.ada, 1, 1),
        (cast.emmy, 1, 3),
    ]
    assert topic.is_assigned
    assert [share.assignment for share in topic.official if share.is_current] == [second]
    assert [(each.assessor, each.pace.judged, each.pace.total) for each in view.assessors] == [
        ("ada", 1, 1),
        ("emmy", 1, 3),
    ]
    assert progress.of_assessor([second])[0][1:4] == (1, 3, 2)
    assert progress.kinds_going_on(pool) == {"main"}


def test_posts_of_one_formula_can_be_judged_by_two() -> None:
    pool = make_pool(campaign := make_campaign("arqmath3-task2"))
    cast = make_cast(campaign)
    first = make_assignment(pool, cast.ada)
    decide(first, "120")
    second = hand_over(first, cast.emmy)
    place = next(place for place in (1, 2) if unit_at(second, place) == "v1")
    assert {card.instance.doc_id for card in documents.open_item(second, place).cards} == {"110", "210"}
    with pytest.raises(Refused, match="not in this assignment"):
        decide(second, "120")
    decide(second, "110")
    decide(second, "210")
    assert documents.states(second)[place - 1] == "j"
    assert progress.of_assessor([second])[0][1:4] == (1, 2, 1)


def test_what_arrives_late_is_in_the_history_only(pool: Pool, cast: Cast, begun: Assignment) -> None:
    hand_over(begun, cast.emmy)
    before = progress.count_decisions(pool.pk)
    for _ in range(2):  # each once, though it comes twice
        [kept] = decide(begun, "12", "1", "", key="late").judgments
        assert isinstance(kept, JudgmentEvent)
        assert decisions.as_fields(kept) == {"word": "1", "comment": "", "passage": "", "key": "late"}
    decide(begun, "11", "0")
    decide(begun, "11", "")
    assert official(pool) == [("ada", "11", 3)]
    assert JudgmentEvent.objects.filter(assignment=begun).count() == 4
    assert progress.count_decisions(pool.pk) == before
    assert [(str(each.assessor), vars(each)["late"]) for each in assignments.late_assignments(pool)] == [("ada", 3)]


def test_who_handed_over_can_have_the_rest_again(pool: Pool, cast: Cast, begun: Assignment) -> None:
    second = hand_over(begun, cast.emmy)
    decide(second, "12", "1")
    third = hand_over(second, cast.ada)
    assert third.pk == begun.pk
    assert documents_of(third) == {"11", "21", "99"}
    assert third.is_open
    decide(third, "21", "2")
    decide(third, "11", "0")  # her own again
    assert official(pool) == [("ada", "11", 0), ("ada", "21", 2), ("emmy", "12", 1)]


def test_a_rest_that_was_taken_back_is_given_without_what_is_judged(pool: Pool, cast: Cast, begun: Assignment) -> None:
    rest = hand_over(begun, cast.emmy)
    assignments.take_back_assignments([rest], cast.olga)
    assert assignments.taken_back(pool, [rest.pk]) == [rest]
    assert begun.topic in assignments.open_topics(pool)
    assert not progress.overview(pool).topics[0].is_assigned
    again = assignments.assign_topic(pool, begun.topic, cast.emmy, "main")
    assert documents_of(again) == {"12", "21", "99"}
    whole = hand_over(again, cast.kurt)  # nothing of it is judged, so nothing of it stays
    assert [share.assignment for share in progress.overview(pool).topics[0].assignments] == [begun, whole]


def test_a_dual_topic_is_handed_over_too(pool: Pool, cast: Cast) -> None:
    first = make_assignment(pool, cast.ada, kind="dual")
    decide(first, "11")
    second = hand_over(first, cast.emmy)
    assert documents_of(second) == {"12", "21", "99"}
    assert not second.official
    decide(second, "12")
    assert sorted((row.assessor, row.doc_id) for row in judgment_rows(pool)) == [("ada", "11"), ("emmy", "12")]
    assert judgment_rows(pool, official=True) == []


def test_what_cannot_be_handed_over(pool: Pool, cast: Cast, begun: Assignment) -> None:
    with pytest.raises(Refused, match="not an assessor"):
        hand_over(begun, cast.mallory)
    with pytest.raises(Refused, match="ada has topic"):
        hand_over(begun, cast.ada)
    dual = make_assignment(pool, cast.emmy, kind="dual")
    with pytest.raises(Refused, match="emmy has topic"):
        hand_over(begun, cast.emmy)
    assignments.take_back_assignments([dual], cast.olga)
    for unit in ("12", "21", "99"):
        decide(begun, unit)
    with pytest.raises(Refused, match="judged all of topic"):
        hand_over(begun, cast.emmy)
    Judgment.objects.filter(instance__doc_id="99").delete()
    hand_over(begun, cast.emmy)
    with pytest.raises(Refused, match="no longer ada's"):
        hand_over(begun, cast.emmy)


def test_nobody_gets_documents_that_they_and_another_have_judged(pool: Pool, cast: Cast) -> None:
    taken = make_assignment(pool, cast.emmy)
    assignments.take_back_assignments([taken], cast.olga)
    decide(taken, "11")  # arrives late
    first = make_assignment(pool, cast.ada)
    decide(first, "11")
    with pytest.raises(Refused, match="someone else has judged since"):
        hand_over(first, cast.emmy)
    first.refresh_from_db()
    assert first.is_open


def test_new_documents_go_to_who_has_the_topic_now(pool: Pool, cast: Cast, begun: Assignment) -> None:
    second = hand_over(begun, cast.emmy)
    lines = [PoolLine("A.1", "22", "22", 0.1, 1)]
    change = extension.Extension({}, {}, "more")
    extension.store_version(pool, change, cast.olga, lines, pools.as_instances(pool.campaign, lines))
    for each in (begun, second):
        each.refresh_from_db()
    assert "22" in documents_of(second)
    assert "22" not in documents_of(begun)


def test_a_paused_topic_keeps_what_arrives_and_goes_on(pool: Pool, cast: Cast) -> None:
    assignment = make_assignment(pool, cast.ada)
    assignments.pause_assignment(assignment, cast.olga)
    decide(assignment, "11", "3")
    assert official(pool) == [("ada", "11", 3)]
    assignment.refresh_from_db()
    assert not assignment.is_open
    assignments.pause_assignment(assignment, cast.olga, False)
    assignment.refresh_from_db()
    assert assignment.is_open


@pytest.mark.sqlite  # one after the other; at the same time: the next test
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.sampled_from(["judge", "hand over", "late", "take back"]), st.integers(0, 3))))
def test_every_document_has_one_official_judge_at_most(steps: list[tuple[str, int]]) -> None:
    """Whatever happens, each document is judged officially once, and is to be judged by one person or was judged."""
    with transaction.atomic():
        pool = make_pool(make_campaign(name=f"Lab {Pool.objects.count()}", topics=1))
        staff = make_cast(pool.campaign)
        judges = [staff.ada, staff.emmy, staff.kurt]
        holder: Assignment | None = make_assignment(pool, staff.ada)
        former: list[Assignment] = []
        for step, number in steps:
            unit = ["11", "12", "21", "99"][number]
            try:
                if holder is None:
                    holder = assignments.assign_topic(pool, former[-1].topic, judges[number % 3], "main")
                elif step == "judge":
                    decide(holder, unit, "1")
                elif step == "hand over":
                    holder, former = hand_over(holder, judges[number % 3]), [*former, holder]
                elif step == "take back":
                    assignments.take_back_assignments([holder], staff.olga)
                    holder, former = None, [*former, holder]
                elif former:
                    decide(former[number % len(former)], unit, "2")
            except Refused:
                continue
            judged = [row.doc_id for row in judgment_rows(pool, official=True)]
            assert len(judged) == len(set(judged))
            if holder:
                holder.refresh_from_db()
                assert documents_of(holder) | set(judged) == {"11", "12", "21", "99"}
        transaction.set_rollback(True)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_save_and_a_hand_over_at_the_same_time_take_turns(pool: Pool, cast: Cast) -> None:
    """The judgment counts and stays with its author, or is in the history only and the other assessor judges."""
    topics = [make_assignment(pool, cast.ada, topic=topic) for topic in ("A.1", "A.2")]
    for first in topics:
        decide(first, "11")
        start = threading.Barrier(2)

        def save(first: Assignment = first, start: threading.Barrier = start) -> None:
            start.wait()
            decide(first, "12", key="same time")
            connection.close()

        thread = threading.Thread(target=save)
        thread.start()
        start.wait()
        second = hand_over(first, cast.emmy)
        thread.join()
        judged = Judgment.objects.filter(assignment=first, instance__doc_id="12").exists()
        assert judged != ("12" in documents_of(second))
        assert JudgmentEvent.objects.filter(assignment=first, key="same time").count() == 1
