"""Two questions about written answers: when they are asked, what is kept, what is counted."""

import pytest
from django.http import Http404

from assess.models import PostTask
from assess.services.common.errors import Refused
from assess.services.judging import judging, post_tasks
from assess.services.judging.post_tasks import Share
from tests.cast import make_assignment
from tests.desk import card_of
from tests.lab import judge
from tests.written import make_written

pytestmark = pytest.mark.django_db


@pytest.fixture
def two(tmp_path):
    return make_written(tmp_path)


def number_of(two, run, assignment=None):
    found = post_tasks.written_of(assignment or two.mine)
    return next(one.number for one in found if one.shown.instance.doc_id == two.documents[run])


def reply(mine, number, machine="yes", unrelated="no", **page):
    """What the page of the answer with that number sends; ``page`` replaces what it holds."""
    found = post_tasks.answers_of(mine)
    shown = found[min(max(number, 1), len(found)) - 1].shown
    held = {"instance_id": shown.instance.pk, "content_hash": shown.content_hash, **page}
    return post_tasks.reply(mine.pk, mine.assessor, number, post_tasks.Said(machine, unrelated, **held))


def say(two, run, machine, unrelated, assignment=None):
    mine = assignment or two.mine
    return reply(mine, number_of(two, run, mine), machine, unrelated)


def test_nothing_is_asked_while_something_of_the_topic_is_open(two):
    judge(two.mine, {"11": "3", two.documents["gpt"]: "0", two.documents["ext"]: "0"})  # 12 is open
    with pytest.raises(Http404):
        post_tasks.written_of(two.mine)
    with pytest.raises(Http404):
        reply(two.mine, 1)
    assert not PostTask.objects.exists()


def test_only_written_answers_are_asked_about_in_the_assessors_order(two):
    two.judge_all()
    found = post_tasks.written_of(two.mine)
    assert {one.shown.instance.doc_id for one in found} == set(two.documents.values())
    places = [two.mine.order.index(one.shown.instance.entry_id) for one in found]
    assert places == sorted(places)
    assert post_tasks.waiting(two.mine) == (2, 2)


def test_a_change_is_kept_beside_what_was_said_before(two):
    two.judge_all()
    say(two, "gpt", "yes", "cannot_tell")
    say(two, "gpt", "yes", "cannot_tell")  # the same again
    found = say(two, "gpt", "no", "cannot_tell")
    assert list(PostTask.objects.values_list("machine", "unrelated")) == [("yes", "cannot_tell"), ("no", "cannot_tell")]
    said = {one.shown.instance.doc_id: one.said and one.said.machine for one in found}
    assert said == {two.documents["gpt"]: "no", two.documents["ext"]: None}
    assert post_tasks.waiting(two.mine) == (2, 1)


@pytest.mark.parametrize(("machine", "unrelated"), [("", "no"), ("yes", ""), ("perhaps", "no")])
def test_both_questions_need_an_answer(two, machine, unrelated):
    two.judge_all()
    with pytest.raises(Refused, match="Both questions"):
        say(two, "gpt", machine, unrelated)
    assert not PostTask.objects.exists()


@pytest.mark.parametrize("number", [0, 3])
def test_there_is_no_answer_beyond_the_last(two, number):
    two.judge_all()
    with pytest.raises(Http404):
        reply(two.mine, number)


def test_a_page_of_another_answer_or_text_is_refused(two):
    two.judge_all()
    second = post_tasks.written_of(two.mine)[1].shown
    for page in ({"instance_id": second.instance.pk}, {"content_hash": second.content_hash}, {"instance_id": 0}):
        with pytest.raises(Refused, match="another answer"):
            reply(two.mine, 1, **page)
    assert not PostTask.objects.exists()


def test_the_report_counts_by_system_and_by_grade(two):
    two.judge_all(gpt="0", ext="2")
    say(two, "gpt", "yes", "yes")
    say(two, "ext", "no", "cannot_tell")
    found = post_tasks.report(two.mine.round.pool)
    systems = {one.run.name: (one.answers, one.machine, one.unrelated, one.crossed) for one in found.systems}
    assert systems == {
        "gpt": (1, Share(1, 0, 0), Share(1, 0, 0), {"0": Share(1, 0, 0)}),
        "ext": (1, Share(0, 1, 0), Share(0, 0, 1), {"2": Share(0, 0, 1)}),
    }
    assert found.crossed == {"0": Share(1, 0, 0), "2": Share(0, 0, 1)}
    assert (found.answers, found.topics, len(found.replies)) == (2, 1, 2)
    assert post_tasks.not_relevant(found.crossed, 2) == (Share(1, 0, 0), Share(1, 0, 1))


def test_an_outcome_counts_as_not_relevant():
    crossed = {"3": Share(1, 2, 0), "1": Share(0, 1, 0), "do_not_know": Share(4, 0, 1)}
    assert post_tasks.not_relevant(crossed, 2) == (Share(4, 1, 1), Share(5, 3, 1))
    assert post_tasks.not_relevant({}, 2) == (Share(0, 0, 0), Share(0, 0, 0))


def test_only_the_latest_word_of_the_official_assessor_counts(two):
    two.judge_all()
    dual = make_assignment(two.mine.round.pool, two.cast.emmy, kind="dual")
    two.judge_all(assignment=dual)
    say(two, "gpt", "no", "no", dual)
    say(two, "gpt", "no", "no")
    say(two, "gpt", "yes", "no")
    (only,) = post_tasks.report(two.mine.round.pool).replies
    assert (only.doc_id, only.machine, only.decision) == (two.documents["gpt"], "yes", "0")


def test_an_answer_whose_judgment_was_taken_back_does_not_count(two):
    two.judge_all()
    say(two, "gpt", "yes", "no")
    candidate = card_of(two.mine, two.documents["gpt"]).shown
    taken_back = judging.Decision(candidate.instance.pk, candidate.content_hash, "")
    judging.record(two.mine.pk, two.mine.assessor, [taken_back])
    assert post_tasks.report(two.mine.round.pool).replies == []


def test_the_fraction_counts_what_could_not_be_told():
    assert Share(1, 2, 1).percent == 25
    assert Share(0, 0, 0).percent is None
