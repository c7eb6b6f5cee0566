"""How far each round is, and the forecast of a pool by measured pace."""

from datetime import timedelta

import pytest
from django.utils import timezone

from assess.models import Assignment, Campaign, JudgmentEvent, Pool
from assess.services.rounds import adjudication, assignments, forecast, progress
from assess.services.rounds.progress import RoundState, round_states
from tests.cast import Cast, make_assignment, make_cast, make_pool
from tests.lab import judge

pytestmark = pytest.mark.django_db
ALL = dict.fromkeys(("11", "12", "21", "99"), "1")
"""Every document of a topic."""


def said(campaign: Campaign) -> list[str]:
    """The state of each round in words."""
    return [state.state.label for state in round_states(campaign)]


def test_the_main_round_is_assigned_then_being_judged_then_all_judged(campaign: Campaign, cast: Cast) -> None:
    assert said(campaign) == []
    pool = make_pool(campaign)
    assignments.take_back_assignments([make_assignment(pool, cast.ada)], cast.olga)
    assert [(each.state.label, each.people) for each in round_states(campaign)] == [("not assigned", 0)]
    first = make_assignment(pool, cast.ada)
    assert (said(campaign), round_states(campaign)[0].open_topics) == (["assigned"], 1)
    judge(first, {"11": "1"})
    assert said(campaign) == ["being judged"]
    judge(first, ALL)
    assert said(campaign) == ["being judged"]  # A.2 is nobody's
    second = make_assignment(pool, cast.ada, topic="A.2")
    judge(second, ALL)
    assert said(campaign) == ["all judged"]
    assert round_states(campaign) == [RoundState(first.round, people=1, judged=8, documents=8, open_topics=0)]


def test_a_dual_round_depends_on_what_is_assigned_in_it(campaign: Campaign, cast: Cast) -> None:
    make_cast(campaign)
    second = make_assignment(make_pool(campaign), cast.emmy, kind="dual")
    assert said(campaign) == ["assigned", "not assigned"]
    judge(second, {"11": "1"})
    assignments.hand_over_topic(second, cast.ada, cast.olga)
    assert round_states(campaign)[0] == RoundState(second.round, people=2, judged=1, documents=4)
    second = Assignment.objects.get(assessor=cast.ada)
    judge(second, {unit: "1" for unit in ALL if unit != "11"})
    assert said(campaign) == ["all judged", "not assigned"]


def forecast_of(pool: Pool) -> forecast.Forecast:
    return forecast.make_forecast(progress.overview(pool), timezone.now())


def days_until(expected: forecast.Expected) -> int:
    return round((expected.end - timezone.now()) / timedelta(days=1))


def test_what_is_left_takes_as_long_as_what_was_judged(cast: Cast, pool: Pool) -> None:
    judge(make_assignment(pool, cast.ada), {"11": "1", "12": "0"}, 70_000)  # 140 s in 14 days: 10 s a day
    Assignment.objects.update(created=timezone.now() - timedelta(days=15))
    make_assignment(pool, cast.ada, topic="A.2")
    expected = forecast_of(pool)
    [ada] = expected.assessors
    assert (ada.name, ada.left, round(ada.hours * 3600)) == ("ada", 6, 420)
    assert [(topic.name, topic.left, days_until(topic)) for topic in expected.topics] == [
        ("A.1", 2, 14),
        ("A.2", 4, 42),
    ]
    assert (days_until(ada), expected.end) == (42, ada.end)


@pytest.mark.parametrize(("begun", "days"), [(timedelta(hours=1), 1), (timedelta(days=2), 2)])
def test_who_has_just_begun_is_measured_since_then(cast: Cast, pool: Pool, begun: timedelta, days: int) -> None:
    judge(make_assignment(pool, cast.ada), {"11": "1", "12": "0"}, 70_000)
    Assignment.objects.update(created=timezone.now() - begun)
    assert days_until(forecast_of(pool).topics[0]) == days  # as much is left as was judged


def test_who_judged_nothing_lately_has_no_end(cast: Cast, pool: Pool) -> None:
    judge(make_assignment(pool, cast.ada), {"11": "1"})
    make_assignment(pool, cast.emmy, kind="dual")
    expected = forecast_of(pool)
    assert expected.idle == ["emmy"]
    assert expected.end == expected.assessors[0].end
    assert expected.topics[0].end is None  # emmy's part of it is not known
    JudgmentEvent.objects.update(at=timezone.now() - timedelta(days=15))
    assert (forecast_of(pool).end, forecast_of(pool).idle) == (None, ["ada", "emmy"])


def test_what_nobody_can_judge_now_is_left_out(cast: Cast, pool: Pool) -> None:
    for user, kind, grade in ((cast.ada, "main", "3"), (cast.emmy, "dual", "0")):
        judge(make_assignment(pool, user, kind=kind), dict.fromkeys(("11", "12", "21", "99"), grade))
    adjudication.adjudicate(pool, cast.kurt, cast.olga)  # it follows judging
    assignments.pause_assignment(make_assignment(pool, cast.emmy, topic="A.2"), cast.olga)
    assert forecast_of(pool) == forecast.Forecast(None, [], [])
