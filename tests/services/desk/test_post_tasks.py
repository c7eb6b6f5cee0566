"""Two questions about written answers: when they are asked, what is stored and counted."""

from pathlib import Path
from typing import Any

import pytest
from django.http import Http404

from assess.models import Assignment, PostTask
from assess.services.common.errors import Refused
from assess.services.desk import decisions, post_tasks
from assess.services.desk.post_tasks import ReplyCounts as Counts
from assess.services.desk.post_tasks import Written
from tests.cast import make_assignment
from tests.desk import card_of
from tests.lab import judge
from tests.written import WrittenLab, make_written

pytestmark = pytest.mark.django_db


@pytest.fixture
def two(tmp_path: Path) -> WrittenLab:
    return make_written(tmp_path)


def reply(
    assignment: Assignment, number: int, machine: str = "yes", unrelated: str = "no", **page: Any
) -> list[Written]:
    """Sends the page of an answer; ``page`` replaces what it holds."""
    answers = post_tasks.written_of(assignment)
    shown = answers[min(max(number, 1), len(answers)) - 1].card
    held = {"instance_id": shown.instance.pk, "content_hash": shown.content_hash, **page}
    sent = PostTask(machine=machine, unrelated=unrelated, instance_id=held["instance_id"])
    return post_tasks.save_replies(assignment.pk, assignment.assessor, number, sent, held["content_hash"])


def say(two: WrittenLab, run: str, machine: str, unrelated: str, assignment: Assignment | None = None) -> list[Written]:
    """Sends replies about a run's answer."""
    assignment = assignment or two.assignment
    documents = [answer.card.instance.doc_id for answer in post_tasks.written_of(assignment)]
    return reply(assignment, documents.index(two.documents[run]) + 1, machine, unrelated)


def test_nothing_is_asked_while_an_answer_is_unjudged(two: WrittenLab) -> None:
    judge(two.assignment, {"11": "3", two.documents["gpt"]: "0", two.documents["ext"]: "0"})  # 12 is open
    with pytest.raises(Http404):
        post_tasks.written_of(two.assignment)
    with pytest.raises(Http404):
        post_tasks.save_replies(two.assignment.pk, two.assignment.assessor, 1, PostTask(), "")
    assert not PostTask.objects.exists()


def test_only_written_answers_are_asked_about_in_the_assessors_order(two: WrittenLab) -> None:
    two.judge_all()
    instances = [answer.card.instance for answer in post_tasks.written_of(two.assignment)]
    assert {instance.doc_id for instance in instances} == set(two.documents.values())
    places = [two.assignment.order.index(instance.entry_id) for instance in instances]
    assert places == sorted(places)
    assert post_tasks.waiting_answers(two.assignment) == (2, 2)


def test_a_change_is_stored_beside_the_earlier_replies(two: WrittenLab) -> None:
    two.judge_all()
    say(two, "gpt", "yes", "cannot_tell")
    say(two, "gpt", "yes", "cannot_tell")  # the same again
    answers = say(two, "gpt", "no", "cannot_tell")
    assert list(PostTask.objects.values_list("machine", "unrelated")) == [("yes", "cannot_tell"), ("no", "cannot_tell")]
    latest = {answer.card.instance.doc_id: answer.replies and answer.replies.machine for answer in answers}
    assert latest == {two.documents["gpt"]: "no", two.documents["ext"]: None}
    assert post_tasks.waiting_answers(two.assignment) == (2, 1)


def test_replies_that_are_not_whole_or_of_another_page_are_refused(two: WrittenLab) -> None:
    two.judge_all()
    for machine, unrelated in (("", "no"), ("yes", ""), ("perhaps", "no")):
        with pytest.raises(Refused, match="both questions"):
            say(two, "gpt", machine, unrelated)
    for number in (0, 3):
        with pytest.raises(Http404):
            reply(two.assignment, number)
    second = post_tasks.written_of(two.assignment)[1].card
    for page in ({"instance_id": second.instance.pk}, {"content_hash": second.content_hash}, {"instance_id": 0}):
        with pytest.raises(Refused, match="another answer"):
            reply(two.assignment, 1, **page)
    assert not PostTask.objects.exists()


def test_the_report_counts_by_system_and_by_grade(two: WrittenLab) -> None:
    two.judge_all(gpt="0", ext="2")
    say(two, "gpt", "yes", "yes")
    say(two, "ext", "no", "cannot_tell")
    report = post_tasks.report_replies(two.assignment.round.pool)
    systems = {system.run.name: system[1:] for system in report.systems}
    assert systems == {"gpt": (1, Counts(1, 0, 0), Counts(1, 0, 0)), "ext": (1, Counts(0, 1, 0), Counts(0, 0, 1))}
    assert report.crossed == [("2", Counts(0, 0, 1)), ("0", Counts(1, 0, 0))]
    assert (report.answers, report.topics, len(report.replies)) == (2, 1, 2)
    assert (report.low, report.whole) == (Counts(1, 0, 0), Counts(1, 0, 1))
    judge(two.assignment, {two.documents["gpt"]: "do_not_know"})  # an outcome is not relevant
    assert post_tasks.report_replies(two.assignment.round.pool).low == Counts(1, 0, 0)

    assert Counts(1, 2, 1).percent == 25  # "cannot tell" counts as no
    assert Counts(0, 0, 0).percent is None


def test_only_the_latest_replies_of_the_official_assessor_count(two: WrittenLab) -> None:
    two.judge_all()
    dual = make_assignment(two.assignment.round.pool, two.cast.emmy, kind="dual")
    two.judge_all(assignment=dual)
    say(two, "gpt", "no", "no", dual)
    say(two, "gpt", "no", "no")
    say(two, "gpt", "yes", "no")
    (latest,) = post_tasks.report_replies(two.assignment.round.pool).replies
    assert (latest.doc_id, latest.machine, latest.decision) == (two.documents["gpt"], "yes", "0")
    document = card_of(two.assignment, two.documents["gpt"])
    taken_back = decisions.Decision(document.instance.pk, document.content_hash, "")
    decisions.save_decisions(two.assignment.pk, two.assignment.assessor, [taken_back])
    assert post_tasks.report_replies(two.assignment.round.pool).replies == []
