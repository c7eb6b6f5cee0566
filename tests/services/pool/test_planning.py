"""A plan is what the pool would be with other depths, and the pace says what that costs."""

from pathlib import Path

import pytest

from assess.ir.pool.contributions import PoolContribution
from assess.ir.pool.pooling import TopicSize
from assess.models import Campaign
from assess.services.pool import planning, pools
from assess.services.pool.planning import PlannedSize
from tests.cast import make_assignment, make_campaign, make_pool, make_user, on_progress
from tests.lab import judge, make_shallow_campaign

pytestmark = pytest.mark.django_db

DEPTHS = {"primary_depth": 2, "alternate_depth": 1}


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    return make_shallow_campaign(tmp_path)


def test_a_plan_is_what_the_pool_would_be(campaign: Campaign) -> None:
    plan = planning.plan_pool(campaign, DEPTHS)
    pool = pools.build(campaign, on_progress)
    assert plan.topics == [TopicSize("A.1", 2, 2)]  # A.2 has no results
    assert pool.entries.count() == 2
    # alpha 11 12 | 21; beta 12 | 21 11; floor 12: 21 is not judged
    assert [contribution for _, contribution in plan.runs] == [
        PoolContribution("alpha", 2, 1, 3, 2),
        PoolContribution("beta", 1, 0, 3, 2),
        PoolContribution("floor", 1, 0, 1, 1),
    ]
    assert [run.name for run, _ in plan.runs] == ["alpha", "beta", "floor"]
    assert [team.name for team in plan.teams] == ["Alpha", "Beta", "Organizers"]
    assert plan.overlap[0] == [1, 0.5, 0.5]


def test_deeper_pools_and_that_of_the_protocol_are_compared(campaign: Campaign) -> None:
    assert planning.plan_pool(campaign, {"primary_depth": 1, "alternate_depth": 1}).rows == [
        PlannedSize({"primary_depth": 1, "alternate_depth": 1}, 2, 0, 2),  # 11; 12
        PlannedSize({"primary_depth": 6, "alternate_depth": 1}, 3, 1, 3),
        PlannedSize({"primary_depth": 1, "alternate_depth": 6}, 3, 1, 3),
        PlannedSize(DEPTHS, 2, 0, 2),
    ]
    assert len(planning.plan_pool(campaign, DEPTHS).rows) == 3


def test_a_protocol_with_a_pool_size_has_one_number(campaign: Campaign) -> None:
    campaign.protocol |= {"pool_rule": "rank_by_rank", "pool_size": 2}
    campaign.save()
    assert planning.plan_pool(campaign, {"pool_size": 3}).rows == [
        PlannedSize({"pool_size": 3}, 3, 0, 3),
        PlannedSize({"pool_size": 8}, 3, 0, 3),
        PlannedSize({"pool_size": 2}, 2, -1, 2),  # rank 1 brings 11 and 12, rank 2 brings 21
    ]


def test_the_pace_is_the_campaigns_or_a_labs(monkeypatch: pytest.MonkeyPatch, campaign: Campaign) -> None:
    ada, lab = make_user("ada"), planning.PaceEstimate(44.1, source="overview of ARQMath-3 (CLEF 2022)")
    judge(make_assignment(make_pool(make_campaign()), ada), {"11": "3"}, 2000)  # elsewhere
    assignment = make_assignment(make_pool(campaign), ada)
    judge(assignment, {"11": "3"}, 8000)
    judge(assignment, {"12": "0"}, 0)  # not timed
    assert planning.estimate_pace(campaign) == lab  # a few judgments say little
    monkeypatch.setattr(planning, "MIN_JUDGMENTS", 1)
    assert planning.estimate_pace(campaign) == planning.PaceEstimate(8.0, 1)
    assert planning.estimate_pace(make_campaign("documents")) == planning.PaceEstimate(60)


def test_a_spread_has_minimum_mean_and_maximum() -> None:
    assert planning.spread_of([4, 2]) == {"least": 2, "mean": 3, "most": 4}
    assert planning.spread_of([]) == {"least": 0, "mean": 0, "most": 0}
