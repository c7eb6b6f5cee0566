"""A decision is kept as it was made, by whom it was made, on what was on the screen."""

import pytest
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from assess.models import Assignment, Instance, Judgment, JudgmentEvent, Post
from assess.services import judging, rounds
from assess.services.errors import Refused
from assess.services.judging import Decision
from tests.cast import make_assignment, make_campaign, make_cast, make_pool

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment():
    campaign = make_campaign()
    return make_assignment(make_pool(campaign), make_cast(campaign).ada)


@pytest.fixture
def formula_assignment():
    campaign = make_campaign("arqmath3-task2")
    return make_assignment(make_pool(campaign), make_cast(campaign).ada)


def decide(assignment, place=1, word="3", card=0, **fields):
    """The assessor's decision on a card of a place, as the page would send it."""
    shown = judging.open_page(assignment, place).cards[card].shown
    decision = Decision(shown.instance.pk, shown.content_hash, word, **fields)
    return judging.record(assignment, assignment.assessor, [decision])[0]


def events(judgment):
    found = JudgmentEvent.objects.filter(assignment=judgment.assignment, instance=judgment.instance)
    return [(event.old_decision, event.decision, event.comment, event.active_ms) for event in found]


def test_a_grade_is_kept_with_its_event(assignment):
    judgment = decide(assignment, word="2", active_ms=1500)
    assert (judgment.grade, judgment.outcome, judgment.active_ms) == (2, "", 1500)
    assert events(judgment) == [("", "2", "", 1500)]


def test_a_changed_judgment_keeps_its_history(assignment):
    decide(assignment, word="2", active_ms=1000)
    judgment = decide(assignment, word="system_failure", comment="no math", active_ms=500)
    assert (judgment.grade, judgment.outcome, judgment.active_ms) == (None, "system_failure", 1500)
    assert events(judgment) == [("", "2", "", 1000), ("2", "system_failure", "no math", 500)]


def test_the_same_decision_again_is_no_event(assignment):
    decide(assignment, word="2")
    assert events(decide(assignment, word="2")) == [("", "2", "", 0)]


@pytest.mark.parametrize("outcome", ["system_failure", "do_not_know"])
def test_these_outcomes_need_a_comment(assignment, outcome):
    with pytest.raises(Refused, match="comment"):
        decide(assignment, word=outcome, comment="   ")
    assert not Judgment.objects.exists()


def test_not_matching_is_for_formulas(assignment, formula_assignment):
    assert decide(formula_assignment, word="not_matching").outcome == "not_matching"
    with pytest.raises(Refused, match="not_matching"):
        decide(assignment, word="not_matching")


@pytest.mark.parametrize("word", ["4", "-1", "", "high", "²"])
def test_other_words_are_refused(assignment, word):
    with pytest.raises(Refused):
        decide(assignment, word=word)


def test_only_the_assessor_of_the_topic_can_judge(assignment):
    emmy = make_cast().emmy
    with pytest.raises(Refused, match="assessor"):
        judging.record(assignment, emmy, [])


def test_a_document_of_another_topic_is_refused(assignment):
    other = Instance.objects.exclude(entry__topic=assignment.topic).first()
    with pytest.raises(Refused, match="not in this assignment"):
        judging.record(assignment, assignment.assessor, [Decision(other.pk, other.content_hash, "3")])


def test_a_page_with_another_text_saves_nothing(assignment):
    first, second = (judging.open_page(assignment, place).cards[0].shown for place in (1, 2))
    swapped = Decision(second.instance.pk, first.content_hash, "3")
    with pytest.raises(Refused, match="another text"):
        judging.record(assignment, assignment.assessor, [Decision(first.instance.pk, first.content_hash, "3"), swapped])
    assert not Judgment.objects.exists()


def test_a_text_changed_behind_our_back_is_noticed(assignment):
    Post.objects.filter(post_id="11").update(body="<p>Another text.</p>")
    places = range(1, len(assignment.order) + 1)
    changed = next(place for place in places if judging.open_page(assignment, place).entry.unit_id == "11")
    with pytest.raises(Refused, match="another text"):
        decide(assignment, place=changed)


def test_two_assessors_in_two_orders_judge_what_they_saw(assignment):
    cast = make_cast(assignment.topic.campaign)
    emmys = make_assignment(assignment.round.pool, cast.emmy, kind="dual")
    assert sorted(emmys.order) == sorted(assignment.order)
    assert emmys.order != assignment.order
    for mine in (assignment, emmys):
        for place in range(1, len(mine.order) + 1):
            entry = judging.open_page(mine, place).entry
            decide(mine, place=place, word="3" if entry.unit_id == "11" else "0")
    high = Judgment.objects.filter(grade=3).values_list("instance__doc_id", flat=True)
    assert list(high) == ["11", "11"]


def test_each_instance_of_a_formula_is_judged_for_itself(formula_assignment):
    place = next(p for p in (1, 2) if len(judging.open_page(formula_assignment, p).cards) == 3)
    for card, word in enumerate(["3", "0", "not_matching"]):
        decide(formula_assignment, place=place, card=card, word=word)
    assert [card.judgment.decision for card in judging.open_page(formula_assignment, place).cards] == [
        "3",
        "0",
        "not_matching",
    ]


def test_the_instances_of_a_formula_come_in_an_order_that_hides_their_votes(formula_assignment):
    pool, cast = formula_assignment.round.pool, make_cast(formula_assignment.topic.campaign)
    others = [make_assignment(pool, user, kind="dual") for user in (cast.emmy, cast.kurt)]
    orders = set()
    for assignment in (formula_assignment, *others):
        place = next(p for p in (1, 2) if len(judging.open_page(assignment, p).cards) == 3)
        orders.add(tuple(card.shown.instance.doc_id for card in judging.open_page(assignment, place).cards))
    assert {tuple(sorted(order)) for order in orders} == {("110", "120", "210")}
    assert len(orders) > 1


def test_what_is_judged_after_it_was_taken_back_is_refused(assignment):
    shown = judging.open_page(assignment, 1).cards[0].shown
    rounds.take_back(Assignment.objects.get(pk=assignment.pk))
    with pytest.raises(Refused, match="taken back"):
        judging.record(assignment, assignment.assessor, [Decision(shown.instance.pk, shown.content_hash, "2")])


def test_the_page_leads_to_the_next_open_place(assignment):
    decide(assignment, place=2)
    page = judging.open_page(assignment, 1)
    assert (page.place, page.total, page.judged, page.first_open) == (1, 4, 1, 3)


def test_when_all_is_judged_no_place_is_open(assignment):
    for place in range(1, 5):
        decide(assignment, place=place)
    assert judging.open_page(assignment, 4).first_open is None


def test_a_half_judged_formula_is_still_open(formula_assignment):
    place = next(p for p in (1, 2) if len(judging.open_page(formula_assignment, p).cards) == 3)
    decide(formula_assignment, place=place)
    assert judging.open_page(formula_assignment, place).judged == 0


@pytest.mark.parametrize("place", [0, 5])
def test_there_is_no_such_place(assignment, place):
    with pytest.raises(IndexError):
        judging.open_page(assignment, place)


def test_a_visit_counts_at_most_an_hour(assignment):
    assert decide(assignment, active_ms=10**9).active_ms == judging.MAX_ACTIVE_MS


@pytest.mark.parametrize(
    "fields",
    [
        {"grade": 4},
        {"grade": None, "outcome": ""},
        {"grade": 2, "outcome": "do_not_know", "comment": "x"},
        {"grade": None, "outcome": "do_not_know", "comment": ""},
        {"grade": None, "outcome": "maybe", "comment": "x"},
    ],
)
def test_the_database_refuses_what_no_judgment_can_be(assignment, fields):
    instance = Instance.objects.filter(entry__topic=assignment.topic).first()
    with pytest.raises(IntegrityError), transaction.atomic():
        Judgment.objects.create(assignment=assignment, instance=instance, **fields)


def test_opening_a_page_takes_the_same_few_queries_whatever_the_pool(assignment, django_assert_num_queries):
    with django_assert_num_queries(6):
        judging.open_page(assignment, 1)


def test_no_deletion_reaches_a_judgment(assignment):
    decide(assignment, place=1)
    campaign = assignment.topic.campaign
    found = (
        campaign,
        campaign.frozen_pool(),
        assignment.topic,
        assignment.round,
        assignment.assessor,
        campaign.collection,
    )
    for one in found:
        with pytest.raises(ProtectedError):
            one.delete()
    assert Judgment.objects.count() == JudgmentEvent.objects.count() == 1
