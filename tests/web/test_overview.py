"""The overview of a campaign: what needs a decision, and when judging will end."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from assess.models import Assignment, Campaign, Question
from assess.services.pipeline import steps
from assess.services.results import qrels
from tests.cast import Cast, make_assignment, make_pool, on_progress
from tests.lab import client_of, judge
from tests.web.organizer import queries_with, text_of, url_of

pytestmark = pytest.mark.django_db


def decisions(cast: Cast, campaign: Campaign) -> list[str]:
    """Where the list of what needs a decision leads to."""
    page = text_of(client_of(cast.olga), "campaign", campaign)
    part = page.partition('aria-labelledby="today"')[2].partition("</section>")[0]
    return re.findall(r'href="([^"]+)"', part)


def test_questions_and_stopped_assignments_need_a_decision(campaign: Campaign, cast: Cast) -> None:
    assert decisions(cast, campaign) == []
    pool = make_pool(campaign)
    for topic in ("A.1", "A.2"):
        make_assignment(pool, cast.ada, topic=topic)
    assert decisions(cast, campaign) == []
    Question.objects.create(topic=campaign.topics.all()[0], by=cast.ada, text="And this?")
    Assignment.objects.update(created=timezone.now() - timedelta(days=8))
    assert decisions(cast, campaign) == [url_of("questions", campaign), url_of("progress", campaign)]


def test_topics_without_an_assessor_need_a_decision_while_others_are_judged(campaign: Campaign, cast: Cast) -> None:
    pool = make_pool(campaign)
    assert decisions(cast, campaign) == []
    assignment = make_assignment(pool, cast.ada)
    judge(assignment, {"11": "1"})
    qrels.release(pool, cast.olga, on_progress)
    assert decisions(cast, campaign) == [url_of("assignments", campaign)]
    assert "assignments" in needed(campaign)  # although there is a release
    judge(assignment, dict.fromkeys(("12", "21", "99"), "0"))
    qrels.release(pool, cast.olga, on_progress)
    assert decisions(cast, campaign) == []  # A.2 was left out
    assert "assignments" not in needed(campaign)


def needed(campaign: Campaign) -> list[str]:
    return [step.key for step in steps(campaign) if step.is_needed]


def test_the_overview_says_when_judging_will_end(campaign: Campaign, cast: Cast) -> None:
    heading = "When judging will end"
    assert heading not in text_of(client_of(cast.olga), "campaign", campaign)
    assignment = make_assignment(make_pool(campaign), cast.ada)
    assert "no estimate" in text_of(client_of(cast.olga), "campaign", campaign)
    judge(assignment, {"11": "1", "12": "0"}, 70_000)
    end = timezone.localtime(timezone.now() + timedelta(days=1))
    page = text_of(client_of(cast.olga), "campaign", campaign)
    assert f"<strong>{end.day} {end:%B %Y}</strong>" in page


def test_the_overview_takes_as_many_queries_for_any_number_of_topics() -> None:
    assert queries_with(2, "campaign") == queries_with(6, "campaign")
