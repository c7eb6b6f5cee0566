"""A decision is kept as it was made, by whom it was made, on what was on the screen."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DataError, IntegrityError, transaction
from django.db.models import BigIntegerField, ProtectedError
from django.http import Http404
from pytest_django import DjangoAssertNumQueries

from assess.models import Assignment, Instance, Judgment, JudgmentEvent, Pool, Post
from assess.services.common import access
from assess.services.common.errors import Conflict, Refused
from assess.services.desk import decisions, documents
from assess.services.desk.decisions import Decision
from assess.services.rounds import assignments
from tests.cast import Cast, make_assignment, make_campaign, make_cast, make_pool
from tests.desk import place_of, unit_at

pytestmark = [pytest.mark.django_db, pytest.mark.engines]


@pytest.fixture
def assignment(pool: Pool, cast: Cast) -> Assignment:
    return make_assignment(pool, cast.ada)


@pytest.fixture
def formulas() -> Assignment:
    """ada's, with v1 (three instances) and v2 (one)."""
    campaign = make_campaign("arqmath3-task2")
    return make_assignment(make_pool(campaign), make_cast(campaign).ada)


def decide(assignment: Assignment, place: int = 1, word: str = "3", card: int = 0, **fields: Any) -> Any:
    """The assessor's decision on a card of a place, as the page would send it."""
    shown = documents.open_item(assignment, place).cards[card]
    decision = Decision(shown.instance.pk, shown.content_hash, word, **fields)
    return decisions.save_decisions(assignment.pk, assignment.assessor, [decision]).judgments[0]


def test_an_event_and_its_judgment_are_stored_together_or_not_at_all(assignment: Assignment) -> None:
    decide(assignment, word="2")
    Judgment.objects.update(active_ms=BigIntegerField.MAX_BIGINT)  # no more time fits
    with pytest.raises((OverflowError, DataError)), transaction.atomic():
        decide(assignment, word="3", active_ms=1)
    assert events(Judgment.objects.get()) == [("", "2", "", 0)]


def events(judgment: Judgment) -> list[tuple[str, str, str, int]]:
    history = JudgmentEvent.objects.filter(assignment=judgment.assignment, instance=judgment.instance)
    return [(event.old_decision, event.decision, event.comment, event.active_ms) for event in history]


def test_a_grade_is_kept_with_its_event(assignment: Assignment) -> None:
    judgment = decide(assignment, word="2", active_ms=1500, wall_ms=90_000)
    assert (judgment.grade, judgment.outcome, judgment.active_ms) == (2, "", 1500)
    assert events(judgment) == [("", "2", "", 1500)]
    assert JudgmentEvent.objects.get().wall_ms == 90_000
    assert decide(assignment, place=2, active_ms=10**9).active_ms == decisions.MAX_ACTIVE_MS


def test_a_changed_judgment_keeps_its_history(assignment: Assignment) -> None:
    decide(assignment, word="2", active_ms=1000)
    judgment = decide(assignment, word="system_failure", comment="no math", active_ms=500)
    assert (judgment.grade, judgment.outcome, judgment.active_ms) == (None, "system_failure", 1500)
    assert events(judgment) == [("", "2", "", 1000), ("2", "system_failure", "no math", 500)]


def test_the_same_decision_again_is_no_event(assignment: Assignment) -> None:
    decide(assignment, word="2")
    assert events(decide(assignment, word="2")) == [("", "2", "", 0)]


@pytest.mark.parametrize("outcome", ["system_failure", "do_not_know"])
def test_these_outcomes_need_a_comment(assignment: Assignment, outcome: str) -> None:
    with pytest.raises(Refused, match="comment"):
        decide(assignment, word=outcome, comment="   ")
    assert not Judgment.objects.exists()


def test_not_matching_is_for_formulas(assignment: Assignment, formulas: Assignment) -> None:
    assert decide(formulas, word="not_matching").outcome == "not_matching"
    with pytest.raises(Refused, match="not_matching"):
        decide(assignment, word="not_matching")


@pytest.mark.parametrize("word", ["4", "-1", "high", "²"])
def test_other_words_are_refused(assignment: Assignment, word: str) -> None:
    with pytest.raises(Refused):
        decide(assignment, word=word)


def test_only_the_assessor_of_the_topic_can_judge(assignment: Assignment, cast: Cast) -> None:
    with pytest.raises(Http404):
        decisions.save_decisions(assignment.pk, cast.emmy, [])


def test_a_document_of_another_topic_is_refused(assignment: Assignment) -> None:
    other = Instance.objects.exclude(entry__topic=assignment.topic).first()
    with pytest.raises(Refused, match="not in this assignment"):
        decisions.save_decisions(assignment.pk, assignment.assessor, [Decision(other.pk, other.content_hash, "3")])


def test_a_page_with_another_text_saves_nothing(assignment: Assignment) -> None:
    first, second = (documents.open_item(assignment, place).cards[0] for place in (1, 2))
    both = [Decision(card.instance.pk, first.content_hash, "3") for card in (first, second)]  # the second is wrong
    with pytest.raises(Refused, match="another text"):
        decisions.save_decisions(assignment.pk, assignment.assessor, both)
    assert not Judgment.objects.exists()


def test_a_text_changed_behind_our_back_is_noticed(assignment: Assignment) -> None:
    Post.objects.filter(post_id="11").update(body="<p>Another text.</p>")
    with pytest.raises(Refused, match="another text"):
        decide(assignment, place=place_of(assignment, "11"))


def test_two_assessors_in_two_orders_judge_what_they_saw(assignment: Assignment, cast: Cast) -> None:
    emmys = make_assignment(assignment.round.pool, cast.emmy, kind="dual")
    assert sorted(emmys.order) == sorted(assignment.order)
    assert emmys.order != assignment.order
    for own in (assignment, emmys):
        for place in range(1, len(own.order) + 1):
            decide(own, place=place, word="3" if unit_at(own, place) == "11" else "0")
    high = Judgment.objects.filter(grade=3).values_list("instance__doc_id", flat=True)
    assert list(high) == ["11", "11"]


def test_each_instance_of_a_formula_is_judged_for_itself(formulas: Assignment) -> None:
    place = place_of(formulas, "v1")
    for card, word in enumerate(["3", "0", "not_matching"]):
        decide(formulas, place=place, card=card, word=word)
    kept = [card.judgment.decision for card in documents.open_item(formulas, place).cards]
    assert kept == ["3", "0", "not_matching"]


def test_the_instances_of_a_formula_come_in_an_order_that_hides_their_votes(formulas: Assignment) -> None:
    pool, cast = formulas.round.pool, make_cast(formulas.topic.campaign)
    others = [make_assignment(pool, user, kind="dual") for user in (cast.emmy, cast.kurt)]
    orders = set()
    for assignment in (formulas, *others):
        item = documents.open_item(assignment, place_of(assignment, "v1"))
        orders.add(tuple(card.instance.doc_id for card in item.cards))
    assert {tuple(sorted(order)) for order in orders} == {("110", "120", "210")}
    assert len(orders) > 1


def test_an_assessor_with_a_new_name_finds_everything_in_the_same_order(formulas: Assignment) -> None:
    def met() -> list[int]:
        assignment = access.assignment_for(formulas.assessor, formulas.pk)
        return [card.instance.pk for place in (1, 2) for card in documents.open_item(assignment, place).cards]

    before = met()
    User.objects.filter(pk=formulas.assessor_id).update(username="lovelace")
    assert met() == before == formulas.instance_order


def test_what_was_judged_before_it_was_taken_back_is_kept_when_it_arrives(assignment: Assignment, cast: Cast) -> None:
    shown = documents.open_item(assignment, 1).cards[0]
    assignments.take_back_assignments([Assignment.objects.get(pk=assignment.pk)], cast.olga)
    emmys = make_assignment(assignment.round.pool, cast.emmy)
    decisions.save_decisions(assignment.pk, cast.ada, [Decision(shown.instance.pk, shown.content_hash, "2")])
    assert [judgment.grade for judgment in assignment.judgments.all()] == [2]
    assert list(Assignment.objects.all()) == [emmys]
    again = make_assignment(assignment.round.pool, cast.ada, kind="dual")  # a second opinion, from another round
    assert again.pk != assignment.pk
    assignments.take_back_assignments([emmys], cast.olga)
    assert make_assignment(assignment.round.pool, cast.emmy).pk == emmys.pk


def test_a_half_judged_formula_is_still_open(formulas: Assignment) -> None:
    decide(formulas, place=place_of(formulas, "v1"))
    assert documents.states(formulas) == "oo"


def test_each_place_has_its_state(assignment: Assignment) -> None:
    decide(assignment, place=1, word="2")
    decide(assignment, place=2, word="do_not_know", comment="too hard")
    decisions.defer_entry(assignment.pk, assignment.assessor, 3)
    assert documents.states(assignment) == "judo"
    decide(assignment, place=3)
    assert documents.place_states(assignment) == ("jujo", [3])


def test_what_was_put_off_can_be_taken_up_and_put_off_twice(assignment: Assignment) -> None:
    for is_deferred, state in [(True, "d"), (True, "d"), (False, "o"), (False, "o")]:
        decisions.defer_entry(assignment.pk, assignment.assessor, 4, is_deferred)
        assert documents.states(assignment) == "ooo" + state


@pytest.mark.parametrize("place", [0, 5])
def test_a_place_that_there_is_not_is_neither_opened_nor_put_off(assignment: Assignment, place: int) -> None:
    with pytest.raises(Http404):
        documents.open_item(assignment, place)
    with pytest.raises(Http404):
        decisions.defer_entry(assignment.pk, assignment.assessor, place)


@pytest.mark.parametrize(
    ("states", "after", "place"),
    [
        ("oooo", 1, 2),
        ("ojoo", 4, 1),
        ("jjoj", 3, 3),  # only here
        ("djod", 2, 3),  # put off comes after open
        ("djud", 1, 4),  # then in their order, after this place
        ("djud", 4, 1),
        ("jujj", 2, None),
    ],
)
def test_open_places_come_first_and_those_put_off_last(states: str, after: int, place: int) -> None:
    assert documents.first_open(states, after) == place


def test_a_decision_that_comes_twice_is_kept_once(assignment: Assignment) -> None:
    first = decide(assignment, word="2", key="k1", after="")
    assert decide(assignment, word="2", key="k1", after="").key == first.key
    assert [event.key for event in JudgmentEvent.objects.all()] == ["k1"]


def test_a_decision_that_comes_again_after_a_later_one_changes_nothing(assignment: Assignment) -> None:
    decide(assignment, word="2", key="k1", after="")
    decide(assignment, word="3", key="k2", after="k1")
    assert decide(assignment, word="2", key="k1", after="").grade == 3
    decide(assignment, word="", key="k3", after="k2")
    assert decide(assignment, word="2", key="k1", after="") is None
    assert [event.key for event in JudgmentEvent.objects.all()] == ["k1", "k2", "k3"]


def test_who_did_not_know_of_the_other_decision_is_told_and_nothing_is_overwritten(assignment: Assignment) -> None:
    decide(assignment, word="2", key="k1", after="")
    with pytest.raises(Conflict) as caught:
        decide(assignment, word="0", key="k2", after="")
    assert caught.value.standing.grade == 2
    assert JudgmentEvent.objects.count() == 1
    assert decide(assignment, word="0", key="k3", after="k1").grade == 0  # knowing of it


def test_the_same_decision_in_two_windows_is_no_conflict(assignment: Assignment) -> None:
    decide(assignment, word="2", key="k1", after="")
    assert decide(assignment, word="2", key="k2", after="").key == "k1"


def test_a_judgment_taken_back_leaves_its_history(assignment: Assignment) -> None:
    decide(assignment, word="2", key="k1")
    assert decide(assignment, word="", key="k2", after="k1") is None
    assert not Judgment.objects.exists()
    assert list(JudgmentEvent.objects.values_list("old_decision", "decision")) == [("", "2"), ("2", "")]
    assert documents.states(assignment) == "oooo"
    assert decide(assignment, word="1", after="").grade == 1  # judged anew


@pytest.mark.parametrize(
    "fields",
    [
        {"grade": None, "outcome": ""},
        {"grade": 2, "outcome": "do_not_know", "comment": "x"},
    ],
)
def test_the_database_refuses_what_no_judgment_can_be(assignment: Assignment, fields: dict[str, Any]) -> None:
    instance = Instance.objects.filter(entry__topic=assignment.topic).first()
    with pytest.raises(IntegrityError), transaction.atomic():
        Judgment.objects.create(assignment=assignment, instance=instance, **fields)


def test_opening_takes_few_queries(assignment: Assignment, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    own = access.assignment_for(assignment.assessor, assignment.pk)
    with django_assert_num_queries(2):  # instances with judgments, posts
        documents.open_item(own, 1)
    with django_assert_num_queries(2):  # instances with judgments, deferrals
        documents.states(own)


def test_saving_takes_few_queries(assignment: Assignment, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    shown = documents.open_item(assignment, 1).cards[0]
    decision = Decision(shown.instance.pk, shown.content_hash, "3", key="k1", after="")
    # Assignment, savepoint, lock, document with judgment, event, judgment, release.
    with django_assert_num_queries(7):
        decisions.save_decisions(assignment.pk, assignment.assessor, [decision])


def test_no_deletion_reaches_a_judgment(assignment: Assignment) -> None:
    decide(assignment, place=1)
    topic, campaign = assignment.topic, assignment.topic.campaign
    for row in (campaign, campaign.collection, campaign.frozen_pool(), topic, assignment.round, assignment.assessor):
        with pytest.raises(ProtectedError):
            row.delete()
    assert Judgment.objects.count() == JudgmentEvent.objects.count() == 1


def test_a_page_that_is_used_again_says_something_new(assignment: Assignment) -> None:
    decide(assignment, word="3", key="k1", after="")
    for _ in range(2):  # back in the browser, another grade; and that once more
        assert decide(assignment, word="1", key="k1", after="").grade == 1
    assert list(JudgmentEvent.objects.values_list("old_decision", "decision")) == [("", "3"), ("3", "1")]


def test_a_page_that_took_a_judgment_back_can_judge_anew(assignment: Assignment) -> None:
    decide(assignment, word="3", key="k1", after="")
    decide(assignment, word="", key="k2", after="k1")
    assert decide(assignment, word="0", key="k2", after="k1").grade == 0


def test_a_key_used_for_another_document_hides_no_decision(assignment: Assignment) -> None:
    for place in (1, 2):
        assert decide(assignment, place=place, word="3", key="k1", after="").grade == 3
    assert Judgment.objects.count() == 2


def test_a_page_that_is_used_again_after_another_decision_overwrites_nothing(assignment: Assignment) -> None:
    decide(assignment, word="3", key="k1", after="")
    decide(assignment, word="2", key="k2", after="k1")
    with pytest.raises(Conflict):
        decide(assignment, word="1", key="k1", after="")
    assert Judgment.objects.get().grade == 2


def test_a_list_that_comes_again_is_kept_once_though_one_of_it_was_changed_since(assignment: Assignment) -> None:
    shown = [documents.open_item(assignment, place).cards[0] for place in (1, 2)]
    both = [Decision(card.instance.pk, card.content_hash, "2", key=f"k{n}") for n, card in enumerate(shown)]
    decisions.save_decisions(assignment.pk, assignment.assessor, both)
    decide(assignment, place=1, word="3", key="later")
    decide(assignment, place=2, word="", key="gone")
    again = decisions.save_decisions(assignment.pk, assignment.assessor, [*both, both[0]._replace(key="new", word="1")])
    assert [card and card.decision for card in again.judgments] == ["3", None, "1"]
    assert JudgmentEvent.objects.count() == 5
