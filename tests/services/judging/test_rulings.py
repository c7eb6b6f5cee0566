"""Questions and rulings: what they hold, in what order, and for whom."""

import pytest
from django.http import Http404

from assess.models import JudgmentEvent, Question, Ruling
from assess.services.common.errors import Refused
from assess.services.judging import assignments, judging, rulings
from tests import cast
from tests.desk import card_of, place_of
from tests.lab import judge

pytestmark = pytest.mark.django_db


@pytest.fixture
def mine():
    """ada's assignment of A.1; emmy has A.2."""
    campaign = cast.make_campaign()
    people = cast.make_cast(campaign)
    pool = cast.make_pool(campaign)
    cast.make_assignment(pool, people.emmy, topic="A.2")
    return cast.make_assignment(pool, people.ada)


@pytest.fixture
def olga(mine):
    return mine.topic.campaign.members.get(role="organizer").user


def fresh(assignment):
    return type(assignment).objects.get(pk=assignment.pk)


def asked(mine, text="May I use Lean?"):
    return rulings.ask(mine.pk, mine.assessor, place_of(mine, "11"), text)


def test_a_question_remembers_where_it_was_asked(mine):
    document = mine.round.pool.entries.get(topic=mine.topic, unit_id="11").instances.get()
    question = rulings.ask(mine.pk, mine.assessor, place_of(mine, "11"), "  Why? ", document.pk)
    assert (question.topic, question.entry.unit_id, question.instance, question.text) == (
        mine.topic,
        "11",
        document,
        "Why?",
    )
    assert [one.place for one in rulings.open_questions(mine)] == [place_of(mine, "11")]


def test_a_document_of_another_entry_is_not_remembered(mine):
    other = mine.round.pool.entries.get(topic=mine.topic, unit_id="12").instances.get()
    assert rulings.ask(mine.pk, mine.assessor, place_of(mine, "11"), "Why?", other.pk).instance is None


@pytest.mark.parametrize("text", ["", " \n ", "x" * 2001])
def test_no_words_and_too_many_are_refused(mine, olga, text):
    with pytest.raises(Refused):
        asked(mine, text)
    with pytest.raises(Refused):
        rulings.rule(mine.topic, olga, text)
    assert not Question.objects.exists()
    assert not Ruling.objects.exists()


@pytest.mark.parametrize("place", [0, 5])
def test_there_is_nothing_to_ask_about_beyond_the_order(mine, place):
    with pytest.raises(IndexError):
        rulings.ask(mine.pk, mine.assessor, place, "Why?")


def test_an_answer_is_a_ruling_for_all_who_judge_the_topic(mine, olga):
    emmy = assignments.assign(mine.round.pool, mine.topic, cast.User.objects.get(username="emmy"), "dual")
    rulings.answer(mine.topic.campaign, asked(mine).pk, olga, "Yes.")
    assert rulings.open_questions(mine) == []
    (seen,) = rulings.posted(fresh(mine))
    assert (seen.ruling.text, seen.asked, seen.is_new) == ("Yes.", "May I use Lean?", True)
    (theirs,) = rulings.posted(fresh(emmy))
    assert (theirs.ruling.text, theirs.asked) == ("Yes.", "")  # not who asked, nor what


def test_a_ruling_is_for_its_topic_only(mine, olga):
    rulings.rule(mine.topic, olga, "Proofs by picture count.")
    other = mine.round.assignments.get(topic__topic_id="A.2")
    assert rulings.posted(other) == []
    with pytest.raises(Http404):
        rulings.look_again(other.pk, other.assessor, Ruling.objects.get().pk)


def test_a_question_is_answered_once(mine, olga):
    question = asked(mine)
    rulings.answer(mine.topic.campaign, question.pk, olga, "Yes.")
    with pytest.raises(Refused, match="answered meanwhile"):
        rulings.answer(mine.topic.campaign, question.pk, olga, "No.")
    assert Ruling.objects.get().text == "Yes."


def test_questions_and_rulings_of_another_campaign_are_not_found(mine, olga):
    other = cast.make_campaign(name="Other lab")
    question, ruling = asked(mine), rulings.rule(mine.topic, olga, "Yes.")
    with pytest.raises(Http404):
        rulings.answer(other, question.pk, olga, "Yes.")
    with pytest.raises(Http404):
        rulings.change(other, ruling.pk, olga, "No.")


def test_a_change_is_a_ruling_of_its_own_and_the_old_words_stay(mine, olga):
    first = rulings.answer(mine.topic.campaign, asked(mine).pk, olga, "Yes.")
    rulings.look_again(mine.pk, mine.assessor, first.pk)
    second = rulings.change(mine.topic.campaign, first.pk, olga, "No.")
    third = rulings.change(mine.topic.campaign, second.pk, olga, "Only for part b.")
    (seen,) = rulings.posted(fresh(mine))
    assert (seen.ruling, seen.earlier, seen.asked, seen.is_new) == (third, [second, first], "May I use Lean?", True)
    assert fresh(mine).topic.ruling_version == 3
    with pytest.raises(Refused, match="changed meanwhile"):
        rulings.change(mine.topic.campaign, first.pk, olga, "Perhaps.")
    with pytest.raises(Refused, match="hold already"):
        rulings.change(mine.topic.campaign, third.pk, olga, " Only for part b. ")


def test_a_ruling_lists_what_was_judged_before_it_until_the_assessor_has_looked(mine, olga):
    judge(mine, {"11": "3", "12": "0"})
    ruling = rulings.rule(mine.topic, olga, "Proofs by picture count.")
    judge(mine, {"21": "1"})
    entries = {one.unit_id: one.pk for one in mine.round.pool.entries.filter(topic=mine.topic)}
    assert rulings.entries_before(mine, ruling) == {entries["11"], entries["12"]}
    assert rulings.posted(fresh(mine))[0].before == 2
    judge(mine, {"12": "2"})  # changed since
    assert rulings.entries_before(mine, ruling) == {entries["11"]}
    for _ in range(2):
        rulings.look_again(mine.pk, mine.assessor, ruling.pk)
    (seen,) = rulings.posted(fresh(mine))
    assert (seen.is_new, seen.before) == (False, 0)


def test_what_was_judged_before_the_assessor_saw_a_ruling_came_before_it(mine, olga):
    first = rulings.rule(mine.topic, olga, "Proofs by picture count.")
    second = rulings.rule(mine.topic, olga, "So do tables.")
    for unit, known in [("11", 0), ("12", 1), ("21", 2)]:  # all of them arrive after both
        shown = card_of(mine, unit).shown
        sent = judging.Decision(shown.instance.pk, shown.content_hash, "3", rulings=known)
        judging.record(mine.pk, mine.assessor, [sent])
    entries = {one.unit_id: one.pk for one in mine.round.pool.entries.filter(topic=mine.topic)}
    assert rulings.entries_before(mine, first) == {entries["11"]}
    assert rulings.entries_before(mine, second) == {entries["11"], entries["12"]}
    assert [one.before for one in rulings.posted(fresh(mine))] == [2, 1]  # the latest first


def test_a_judgment_from_before_rulings_were_counted_came_before_them(mine, olga):
    judge(mine, {"11": "3"})
    JudgmentEvent.objects.update(guide="")
    ruling = rulings.rule(mine.topic, olga, "Proofs by picture count.")
    assert len(rulings.entries_before(mine, ruling)) == 1


def test_a_judgment_said_again_under_a_ruling_came_after_it(mine, olga):
    judge(mine, {"11": "3"})
    ruling = rulings.rule(mine.topic, olga, "Proofs by picture count.")
    judge(mine, {"11": "3"})
    assert rulings.entries_before(mine, ruling) == set()


def test_the_latest_ruling_comes_first(mine, olga):
    for text in ("One.", "Two."):
        rulings.rule(mine.topic, olga, text)
    assert [one.ruling.text for one in rulings.posted(fresh(mine))] == ["Two.", "One."]


def test_each_decision_carries_the_words_and_the_rulings_by_which_it_was_made(mine, olga):
    judge(mine, {"11": "3"})
    rulings.rule(mine.topic, olga, "Proofs by picture count.")
    judge(mine, {"12": "3"})
    other = mine.round.assignments.get(topic__topic_id="A.2")
    judge(other, {"11": "3"})
    words, numbers = zip(*(one.guide.split(".") for one in JudgmentEvent.objects.order_by("pk")), strict=True)
    assert numbers == ("0", "1", "0")
    assert len(set(words)) == 1
    assert all(len(one) == 10 for one in words)


def test_a_topic_without_rulings_asks_the_database_nothing(mine, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert rulings.posted(mine) == []


def test_an_assignment_without_judgments_can_be_taken_back_and_its_question_stays(mine, olga):
    question = asked(mine)
    rulings.look_again(mine.pk, mine.assessor, rulings.rule(mine.topic, olga, "Yes.").pk)
    assignments.take_back(mine)
    question.refresh_from_db()
    assert (question.assignment, question.topic) == (mine, mine.topic)
