"""A decision is kept as it was made, by whom it was made, on what was on the screen; outcomes can be sent back."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DataError, IntegrityError, transaction
from django.db.models import BigIntegerField, ProtectedError
from django.http import Http404
from django.utils import timezone

from assess.models import Assignment, Instance, Judgment, JudgmentEvent, Pool, Post
from assess.services.common import access
from assess.services.common.errors import Conflict, Refused
from assess.services.desk import decisions, documents
from assess.services.desk.decisions import Decision
from assess.services.rounds import assignments, progress
from tests.cast import Cast, make_assignment, make_campaign, make_cast, make_pool
from tests.desk import place_of
from tests.lab import judge

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


def test_a_changed_judgment_keeps_its_history(assignment: Assignment) -> None:
    assert decide(assignment, word="2", active_ms=1000, wall_ms=90_000).grade == 2
    assert JudgmentEvent.objects.get().wall_ms == 90_000
    judgment = decide(assignment, word="system_failure", comment="no math", active_ms=500)
    assert (judgment.grade, judgment.outcome, judgment.active_ms) == (None, "system_failure", 1500)
    assert decide(assignment, place=2, active_ms=10**9).active_ms == decisions.MAX_ACTIVE_MS
    assert events(judgment) == [("", "2", "", 1000), ("2", "system_failure", "no math", 500)]


def test_a_passage_is_kept_with_its_judgment_if_the_document_holds_it(assignment: Assignment) -> None:
    place, passage = place_of(assignment, "11"), "11 says $x+1$."
    assert decide(assignment, place, passage=passage).passage == passage
    assert decide(assignment, place, passage="Answer 11").passage == "Answer 11"
    for other in ("Answer 12", "11 says $x+2$."):
        with pytest.raises(Refused, match="marked passage"):
            decide(assignment, place, passage=other)
    assert decide(assignment, place, "", passage="Answer 11") is None
    assert [event.passage for event in JudgmentEvent.objects.all()] == [passage, "Answer 11", ""]


def test_only_the_assessor_judges_and_only_documents_of_the_topic(assignment: Assignment, cast: Cast) -> None:
    with pytest.raises(Http404):
        decisions.save_decisions(assignment.pk, cast.emmy, [])
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
    assert decide(formulas, place=place_of(formulas, "v1"), word="not_matching").outcome == "not_matching"
    assert documents.states(formulas) == "oo"


def test_each_place_has_its_state(assignment: Assignment) -> None:
    decide(assignment, place=1, word="2")
    decide(assignment, place=2, word="do_not_know", comment="too hard")
    for is_deferred, state in [(True, "d"), (True, "d"), (False, "o"), (False, "o"), (True, "d")]:
        decisions.defer_entry(assignment.pk, assignment.assessor, 3, is_deferred)
        assert documents.states(assignment) == f"ju{state}o"
    decide(assignment, place=3)
    assert documents.place_states(assignment) == ("jujo", [3])


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


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (["2 k1 -> 2", "2 k1 -> 2"], ["2"]),  # comes twice
        (["2 k1 -> 2", "3 k2 k1 -> 3", "2 k1 -> 3"], ["2", "3"]),  # comes again after a later one
        (["2 k1 -> 2", "3 k2 k1 -> 3", "- k3 k2 -> -", "2 k1 -> -"], ["2", "3", ""]),
        (["2 k1 -> 2", "0 k2 -> 2!", "0 k3 k1 -> 0"], ["2", "0"]),  # first without knowing of the other
        (["2 k1 -> 2", "2 k2 -> 2"], ["2"]),  # in two windows
        (["2 k1 -> 2", "- k2 k1 -> -", "1 k3 -> 1"], ["2", "", "1"]),  # taken back, and judged anew
        (["3 k1 -> 3", "1 k1 -> 1", "1 k1 -> 1"], ["3", "1"]),  # back in the browser, another grade; that once more
        (["3 k1 -> 3", "- k2 k1 -> -", "0 k2 k1 -> 0"], ["3", "", "0"]),  # by a page that took it back
        (["3 k1 -> 3", "2 k2 k1 -> 2", "1 k1 -> 2!"], ["3", "2"]),  # by a page that knows only the first
    ],
)
def test_each_decision_is_kept_once_and_none_overwrites_another_unseen(
    assignment: Assignment, sent: list[str], kept: list[str]
) -> None:
    """Word, key and the key before that the page knows, and what then stands: - is nothing, ! after a conflict."""
    for step in sent:
        (word, key, *after), stands = step.split(" -> ")[0].split(), step.split(" -> ")[1]
        try:
            standing, mark = decide(assignment, word=word.strip("-"), key=key, after="".join(after)), ""
        except Conflict as conflict:
            standing, mark = conflict.standing, "!"
        assert (standing.decision if standing else "-") + mark == stands
    assert list(JudgmentEvent.objects.order_by("pk").values_list("decision", flat=True)) == kept
    assert documents.states(assignment) == ("jooo" if kept[-1] else "oooo")


def test_the_database_refuses_what_no_judgment_can_be(assignment: Assignment) -> None:
    instance = Instance.objects.filter(entry__topic=assignment.topic).first()
    fields: list[dict[str, Any]] = [{"outcome": ""}, {"grade": 2, "outcome": "do_not_know", "comment": "x"}]
    for wrong in fields:
        with pytest.raises(IntegrityError), transaction.atomic():
            Judgment.objects.create(assignment=assignment, instance=instance, **wrong)


def test_no_deletion_reaches_a_judgment(assignment: Assignment) -> None:
    decide(assignment, place=1)
    topic, campaign = assignment.topic, assignment.topic.campaign
    for row in (campaign, campaign.collection, campaign.frozen_pool(), topic, assignment.round, assignment.assessor):
        with pytest.raises(ProtectedError):
            row.delete()
    assert Judgment.objects.count() == JudgmentEvent.objects.count() == 1


def test_a_key_used_for_another_document_hides_no_decision(assignment: Assignment) -> None:
    for place in (1, 2):
        assert decide(assignment, place=place, word="3", key="k1", after="").grade == 3
    assert Judgment.objects.count() == 2


def test_a_list_that_comes_again_is_kept_once_though_one_of_it_was_changed_since(assignment: Assignment) -> None:
    shown = [documents.open_item(assignment, place).cards[0] for place in (1, 2)]
    both = [Decision(card.instance.pk, card.content_hash, "2", key=f"k{n}") for n, card in enumerate(shown)]
    decisions.save_decisions(assignment.pk, assignment.assessor, both)
    decide(assignment, place=1, word="3", key="later")
    decide(assignment, place=2, word="", key="gone")
    again = decisions.save_decisions(assignment.pk, assignment.assessor, [*both, both[0]._replace(key="new", word="1")])
    assert [card and card.decision for card in again.judgments] == ["3", None, "1"]
    assert JudgmentEvent.objects.count() == 5


@pytest.fixture
def mixed(assignment: Assignment) -> Assignment:
    """ada's: a system failure for 11, a do-not-know for 12, a grade for 21."""
    judge(assignment, {"11": "system_failure", "12": "do_not_know", "21": "3"})
    return assignment


def keys(assignment: Assignment) -> dict[int, str]:
    return dict(assignment.judgments.values_list("pk", "key"))


def judged(assignment: Assignment) -> list[str]:
    return sorted(assignment.judgments.values_list("instance__doc_id", flat=True))


def test_outcomes_go_back_and_grades_stay(mixed: Assignment, cast: Cast) -> None:
    noted = decisions.send_back(mixed.round.pool, keys(mixed), cast.olga, " Picture added ")
    said = "Sent 2 judgments back to be made again; 1 stayed, changed by their assessors meanwhile: "
    assert str(noted) == f"{said}A.1 to ada. Reason: “Picture added”."
    assert judged(mixed) == ["21"]
    events = JudgmentEvent.objects.filter(by=cast.olga).order_by("old_decision")
    rows = [(event.old_decision, event.old_comment, event.decision, event.comment) for event in events]
    assert rows == [("do_not_know", "why", "", "Picture added"), ("system_failure", "why", "", "Picture added")]
    assert JudgmentEvent.objects.filter(by=cast.ada).count() == 3  # what ada decided stays hers


def test_a_desk_that_does_not_know_of_it_meets_a_conflict(mixed: Assignment, cast: Cast) -> None:
    failure = mixed.judgments.get(outcome="system_failure")
    decisions.send_back(mixed.round.pool, {failure.pk: failure.key}, cast.olga, "Mended")  # not the other outcome
    decision = decisions.Decision(failure.instance_id, failure.instance.content_hash, "1", after=failure.key, key="new")
    with pytest.raises(Conflict):
        decisions.save_decisions(mixed.pk, cast.ada, [decision])
    assert judged(mixed) == ["12", "21"]


def test_what_its_assessor_changed_meanwhile_stays(mixed: Assignment, cast: Cast) -> None:
    seen = keys(mixed)
    judge(mixed, {"11": "do_not_know"})  # another decision, still an outcome
    judge(mixed, {"12": "0"})  # a grade
    with pytest.raises(Refused, match="changed all of them"):
        decisions.send_back(mixed.round.pool, seen, cast.olga, "Mended")
    assert judged(mixed) == ["11", "12", "21"]


def test_judgments_of_other_pools_and_of_handed_over_topics_stay(mixed: Assignment, cast: Cast) -> None:
    pool, other = mixed.round.pool, make_pool(make_campaign())
    for place, reason in ((pool, ""), (pool, "  "), (pool, "x" * 5001), (other, "Mended")):
        with pytest.raises(Refused):
            decisions.send_back(place, keys(mixed), cast.olga, reason)
    assignments.hand_over_topic(mixed, cast.emmy, cast.olga)
    with pytest.raises(Refused):
        decisions.send_back(pool, keys(mixed), cast.olga, "Mended")
    assert len(judged(mixed)) == 3


def test_system_failures_are_new_for_a_week(mixed: Assignment) -> None:
    pool = mixed.round.pool
    assert progress.overview(pool).new_failures == 1
    Judgment.objects.update(changed=timezone.now() - timedelta(days=8))
    assert progress.overview(pool).new_failures == 0
