"""Questions and rulings: their content, their order, and who sees them."""

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.http import Http404
from pytest_django import DjangoAssertNumQueries

from assess.models import Assignment, JudgmentEvent, Pool, Question, Ruling, Topic
from assess.services.campaign import campaigns
from assess.services.common.access import campaign_for
from assess.services.common.errors import Refused
from assess.services.desk import decisions, rulings
from assess.services.rounds import assignments
from tests.cast import Cast, make_assignment, make_campaign
from tests.desk import card_of, place_of
from tests.lab import judge

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment(pool: Pool, cast: Cast) -> Assignment:
    """ada's assignment of A.1; emmy has A.2."""
    make_assignment(pool, cast.emmy, topic="A.2")
    return make_assignment(pool, cast.ada)


@pytest.fixture
def olga(cast: Cast) -> User:
    return cast.olga


def fresh(assignment: Assignment) -> Assignment:
    return Assignment.objects.get(pk=assignment.pk)


def entry_ids(assignment: Assignment, *units: str) -> set[int]:
    return {assignment.order[place_of(assignment, unit) - 1] for unit in units}


def asked(assignment: Assignment, text: str = "May I use Lean?") -> Question:
    return rulings.ask_question(assignment.pk, assignment.assessor, place_of(assignment, "11"), text)


def test_a_question_remembers_where_it_was_asked(
    assignment: Assignment, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    document, other = (
        assignment.round.pool.entries.get(topic=assignment.topic, unit_id=unit).instances.get() for unit in ("11", "12")
    )
    place = place_of(assignment, "11")
    question = rulings.ask_question(assignment.pk, assignment.assessor, place, "  Why? ", document.pk)
    assert (question.topic, question.instance, question.text) == (assignment.topic, document, "Why?")
    assert question.entry == document.entry
    assert rulings.open_questions(assignment) == [(place, question)]
    assert rulings.ask_question(assignment.pk, assignment.assessor, place, "Why?", other.pk).instance is None
    for beyond in (0, 5):
        with pytest.raises(Http404):
            rulings.ask_question(assignment.pk, assignment.assessor, beyond, "Why?")
    with django_assert_num_queries(0):  # as long as there is no ruling
        assert rulings.rulings_for_assessor(assignment) == []


def test_questions_without_a_ruling_are_counted_in_their_campaign(assignment: Assignment, olga: User) -> None:
    for text in ("One?", "Two?", "Three?"):
        question = asked(assignment, text)
    rulings.answer_question(assignment.campaign, question.pk, olga, "Yes.")
    other = make_campaign(name="Other")
    found = [campaign_for(olga, each.slug) for each in (assignment.campaign, other)]
    assert [vars(each)["open_questions"] for each in found] == [2, 0]


@pytest.mark.parametrize("text", ["", " \n ", "x" * 2001])
def test_an_empty_or_too_long_text_is_refused(assignment: Assignment, olga: User, text: str) -> None:
    with pytest.raises(Refused):
        asked(assignment, text)
    with pytest.raises(Refused):
        rulings.store_ruling(assignment.topic, olga, text)
    assert not Question.objects.exists()
    assert not Ruling.objects.exists()


def test_an_answer_is_a_ruling_for_all_who_judge_the_topic(assignment: Assignment, olga: User) -> None:
    emmy = assignments.assign_topic(assignment.round.pool, assignment.topic, User.objects.get(username="emmy"), "dual")
    rulings.answer_question(assignment.topic.campaign, asked(assignment).pk, olga, "Yes.")
    assert rulings.open_questions(assignment) == []
    (seen,) = rulings.rulings_for_assessor(fresh(assignment))
    assert (seen.ruling.text, seen.asked, seen.is_new) == ("Yes.", "May I use Lean?", True)
    (posted,) = rulings.rulings_for_assessor(fresh(emmy))
    assert (posted.ruling.text, posted.asked) == ("Yes.", "")  # not who asked, nor what


def test_a_question_is_answered_once_and_only_in_its_campaign(assignment: Assignment, olga: User) -> None:
    question, other = asked(assignment), make_campaign(name="Other lab")
    with pytest.raises(Http404):
        rulings.answer_question(other, question.pk, olga, "Yes.")
    rulings.answer_question(assignment.topic.campaign, question.pk, olga, "Yes.")
    with pytest.raises(Refused, match="already been answered"):
        rulings.answer_question(assignment.topic.campaign, question.pk, olga, "No.")
    assert Ruling.objects.get().text == "Yes."
    with pytest.raises(Http404):
        rulings.change_ruling(other, Ruling.objects.get().pk, olga, "No.")


def test_a_change_is_a_new_ruling_and_the_old_one_is_kept(assignment: Assignment, olga: User) -> None:
    rulings.answer_question(assignment.topic.campaign, asked(assignment).pk, olga, "Yes.")
    first = Ruling.objects.get()
    rulings.mark_ruling_seen(assignment.pk, assignment.assessor, first.pk)
    for text in ("No.", "Only for part b."):
        rulings.change_ruling(assignment.topic.campaign, Ruling.objects.latest("pk").pk, olga, text)
    _, second, third = Ruling.objects.order_by("pk")
    (seen,) = rulings.rulings_for_assessor(fresh(assignment))
    assert (seen.ruling, seen.earlier, seen.asked, seen.is_new) == (third, [second, first], "May I use Lean?", True)
    assert fresh(assignment).topic.ruling_version == 3
    with pytest.raises(Refused, match="already been changed"):
        rulings.change_ruling(assignment.topic.campaign, first.pk, olga, "Perhaps.")
    with pytest.raises(Refused, match="same as before"):
        rulings.change_ruling(assignment.topic.campaign, third.pk, olga, " Only for part b. ")


def test_ruling_lists_earlier_judgments_until_assessor_has_reviewed_them(assignment: Assignment, olga: User) -> None:
    judge(assignment, {"11": "3", "12": "0", "99": "1"})
    JudgmentEvent.objects.filter(instance__doc_id="11").update(guide="")  # from before there were rulings
    ruling = rulings.store_ruling(assignment.topic, olga, "Proofs by picture count.")
    judge(assignment, {"21": "1"})
    assert rulings.entries_before(assignment, ruling) == entry_ids(assignment, "11", "12", "99")
    assert rulings.rulings_for_assessor(fresh(assignment))[0].before == 3
    judge(assignment, {"12": "2", "99": "1"})  # changed since, and repeated
    assert rulings.entries_before(assignment, ruling) == entry_ids(assignment, "11")
    for _ in range(2):
        rulings.mark_ruling_seen(assignment.pk, assignment.assessor, ruling.pk)
    (seen,) = rulings.rulings_for_assessor(fresh(assignment))
    assert (seen.is_new, seen.before) == (False, 0)


def test_judgments_made_before_the_assessor_saw_a_ruling_come_before_it(assignment: Assignment, olga: User) -> None:
    first = rulings.store_ruling(assignment.topic, olga, "Proofs by picture count.")
    second = rulings.store_ruling(assignment.topic, olga, "So do tables.")
    for unit, known in [("11", 0), ("12", 1), ("21", 2)]:  # all of them arrive after both
        shown = card_of(assignment, unit)
        sent = decisions.Decision(shown.instance.pk, shown.content_hash, "3", rulings=known)
        decisions.save_decisions(assignment.pk, assignment.assessor, [sent])
    assert rulings.entries_before(assignment, first) == entry_ids(assignment, "11")
    assert rulings.entries_before(assignment, second) == entry_ids(assignment, "11", "12")
    assert [posted.before for posted in rulings.rulings_for_assessor(fresh(assignment))] == [2, 1]  # the latest first


def test_each_decision_records_version_of_words_and_the_number_of_rulings(assignment: Assignment, olga: User) -> None:
    judge(assignment, {"11": "3"})
    rulings.store_ruling(assignment.topic, olga, "Proofs by picture count.")
    judge(assignment, {"12": "3"})
    other = assignment.round.assignments.get(topic__topic_id="A.2")
    judge(other, {"11": "3"})
    words, numbers = zip(*(event.guide.split(".") for event in JudgmentEvent.objects.order_by("pk")), strict=True)
    assert numbers == ("0", "1", "0")
    assert len(set(words)) == 1
    assert {len(version) for version in words} == {10}


def test_a_ruling_about_all_topics_reaches_each_of_them(assignment: Assignment, olga: User) -> None:
    campaign = assignment.topic.campaign
    judge(assignment, {"11": "3"})
    first = rulings.store_ruling(assignment.topic, olga, "Hints are low.")
    second = rulings.store_ruling(campaign, olga, "Pictures count.")
    posted = rulings.rulings_for_assessor(fresh(assignment))
    assert [(each.ruling, each.before) for each in posted] == [(second, 1), (first, 1)]
    judge(fresh(assignment), {"12": "0"})
    assert [each.before for each in rulings.rulings_for_assessor(fresh(assignment))] == [1, 1]
    rulings.mark_ruling_seen(assignment.pk, assignment.assessor, second.pk)
    rulings.change_ruling(campaign, second.pk, olga, "Pictures do not count.")
    changed = Ruling.objects.latest("pk")
    assert (changed.campaign, changed.topic, changed.supersedes) == (campaign, None, second)
    assert set(campaign.topics.values_list("ruling_version", flat=True)) == {2, 3}


def test_topics_imported_later_know_the_rulings_about_all_topics(assignment: Assignment, olga: User) -> None:
    campaign = assignment.topic.campaign
    rulings.store_ruling(campaign, olga, "Pictures count.")
    new = Topic(campaign=campaign, topic_id="A.9", number=9, title="t", body="b")
    campaigns.store_topics(campaign, [new], "t.xml", olga)
    topic = campaign.topics.get(topic_id="A.9")
    assert topic.ruling_version == 1
    assert [ruling.text for ruling in rulings.rulings_of(topic)] == ["Pictures count."]


def test_a_ruling_about_another_campaign_or_topic_is_not_seen(assignment: Assignment, olga: User) -> None:
    other = make_campaign()
    ruling = rulings.store_ruling(other, olga, "Pictures count.")
    assert rulings.rulings_for_assessor(fresh(assignment)) == []
    of_topic = rulings.store_ruling(assignment.topic, olga, "Proofs by picture count.")
    emmys = assignment.round.assignments.get(topic__topic_id="A.2")
    assert rulings.rulings_for_assessor(emmys) == []
    for seen_by, seen in ((assignment, ruling), (emmys, of_topic)):
        with pytest.raises(Http404):
            rulings.mark_ruling_seen(seen_by.pk, seen_by.assessor, seen.pk)


@pytest.mark.parametrize("is_both", [True, False])
def test_a_ruling_is_about_a_topic_or_a_campaign(assignment: Assignment, olga: User, is_both: bool) -> None:
    about = {"topic": assignment.topic, "campaign": assignment.topic.campaign} if is_both else {}
    with pytest.raises(IntegrityError), transaction.atomic():
        Ruling.objects.create(**about, by=olga, text="Pictures count.")
