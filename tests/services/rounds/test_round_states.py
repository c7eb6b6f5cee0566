"""How far each round is."""

import pytest

from assess.models import Assignment, Campaign
from assess.services.rounds import assignments
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
    second = make_assignment(pool, cast.emmy, topic="A.2")
    judge(second, ALL)
    assert said(campaign) == ["all judged"]
    assert round_states(campaign) == [RoundState(first.round, people=2, judged=8, documents=8, open_topics=0)]


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
