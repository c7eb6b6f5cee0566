"""A plan is what the pool would be with other depths, and the pace says what that costs; a report counts what runs
bring into a pool and checks it."""

from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from assess.ir.pool.pooling import PoolContribution
from assess.models import Campaign, Instance
from assess.services.pool import freezing, planning, pools
from tests.cast import import_texts, make_assignment, make_campaign, make_pool, make_user, on_progress
from tests.lab import add_run, judge, make_shallow_campaign

pytestmark = pytest.mark.django_db

DEPTHS = {"primary_depth": 2, "alternate_depth": 1}


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    return make_shallow_campaign(tmp_path)


def test_a_plan_is_what_the_pool_would_be(campaign: Campaign) -> None:
    plan = planning.plan_pool(campaign, DEPTHS)
    pool = pools.build(campaign, on_progress)
    assert plan.topics == [{"topic_id": "A.1", "units": 2, "documents": 2}]  # A.2 has no results
    assert pool.entries.count() == 2
    # alpha 11 12 | 21; beta 12 | 21 11; floor 12: 21 is not judged
    assert [(run.name, role, contribution) for run, role, contribution in plan.runs] == [
        ("alpha", "primary", PoolContribution("alpha", 2, 1, 3, 2)),
        ("beta", "alternate", PoolContribution("beta", 1, 0, 3, 2)),
        ("floor", "primary", PoolContribution("floor", 1, 0, 1, 1)),
    ]
    assert [team.name for team in plan.teams] == ["Alpha", "Beta", "Organizers"]
    assert plan.overlap[0] == [1, 0.5, 0.5]


def costs(campaign: Campaign, **sizes: int) -> list[tuple[Any, ...]]:
    """Sizes, units, how many units more than asked for, documents."""
    return [tuple(row.values()) for row in planning.plan_pool(campaign, sizes).costs]


def test_deeper_pools_and_that_of_the_protocol_are_compared(campaign: Campaign) -> None:
    assert costs(campaign, primary_depth=1, alternate_depth=1) == [
        ({"primary_depth": 1, "alternate_depth": 1}, 2, 0, 2),  # 11; 12
        ({"primary_depth": 6, "alternate_depth": 1}, 3, 1, 3),
        ({"primary_depth": 1, "alternate_depth": 6}, 3, 1, 3),
        (DEPTHS, 2, 0, 2),
    ]
    assert len(costs(campaign, **DEPTHS)) == 3


def test_a_protocol_with_a_pool_size_has_one_number(campaign: Campaign) -> None:
    campaign.protocol |= {"pool_rule": "rank_by_rank", "pool_size": 2}
    campaign.save()
    assert costs(campaign, pool_size=3) == [
        ({"pool_size": 3}, 3, 0, 3),
        ({"pool_size": 8}, 3, 0, 3),
        ({"pool_size": 2}, 2, -1, 2),  # rank 1 brings 11 and 12, rank 2 brings 21
    ]


def test_the_pace_is_the_campaigns_or_assumed(campaign: Campaign) -> None:
    ada = make_user("ada")
    judge(make_assignment(make_pool(make_campaign()), ada), {"11": "3"}, 2000)  # elsewhere
    assignment = make_assignment(make_pool(campaign), ada)
    judge(assignment, {"12": "0"}, 0)  # not timed
    assert planning.estimate_pace(campaign) == planning.PaceEstimate(60, 0)
    judge(assignment, {"11": "3"}, 8000)
    assert planning.estimate_pace(campaign) == planning.PaceEstimate(8.0, 1)


FIRST_TEN, FROM_RUNS = "The first 10 units of each run are in the pool", "Every unit was brought in by a run"


def failed(report: planning.PoolReport) -> dict[str, str]:
    """The details of failed checks, by name."""
    return {name: detail for name, is_met, detail in report.checks if not is_met}


def test_a_report_counts_the_contributions_of_runs_and_teams(campaign: Campaign) -> None:
    pool = pools.build(campaign, on_progress)
    report = planning.report_on_pool(pool)
    assert [(role, tuple(contribution)) for _, role, contribution in report.runs] == [
        ("primary", ("alpha", 2, 1, 3, 2)),
        ("alternate", ("beta", 1, 0, 3, 2)),
        ("primary", ("floor", 1, 0, 1, 1)),
    ]
    assert [team.name for team in report.teams] == ["Alpha", "Beta", "Organizers"]
    assert report[:4] == (1, 2, 2, 0)  # topics, units, documents, crowded
    empty = {"Every topic has units to judge": "A.2", "Every document has a text": "0 of 2"}
    assert failed(report) == {FIRST_TEN: "alpha (2 of 3), beta (2 of 3)"} | empty
    assert list(planning.effects_of_leaving_out(pool)) == [
        "Nothing would be left to judge in 1 topic: A.1.",
        "Judged@10 falls: alpha (from 67 to 0 %), beta (from 67 to 0 %) and floor (from 100 to 0 %).",
    ]
    campaign.runs.filter(name="alpha").delete()
    assert failed(planning.report_on_pool(pool))["All runs exist"] == "2 of 3"
    campaign.runs.all().delete()
    assert failed(planning.report_on_pool(pool)) == {"All runs exist": "0 of 3", FROM_RUNS: "0 of 2"} | empty


def test_a_pool_that_is_deep_enough_passes_all_checks(campaign: Campaign) -> None:
    campaign.protocol |= {"primary_depth": 10, "alternate_depth": 10}
    campaign.save()
    campaign.topics.filter(topic_id="A.2").delete()
    pool = freezing.freeze(pools.build(campaign, on_progress), on_progress)
    assert failed(planning.report_on_pool(pool)) == {}


def test_a_report_on_an_imported_pool_has_sizes_and_checks_of_documents(campaign: Campaign) -> None:
    report = planning.report_on_pool(make_pool(campaign))
    assert (report.runs, report.teams) == ([], [])
    assert report[:4] == (2, 8, 8, 0)
    assert failed(report) == {"Every document has a text": "3 of 4"}  # 99


@pytest.fixture
def formulas(tmp_path: Path, settings: Settings) -> Campaign:
    """Six instances of v1, one of v2; the pool keeps five."""
    settings.MEDIA_ROOT = tmp_path / "media"
    campaign = make_campaign("arqmath3-task2")
    lines = ["id\tpost_id\tthread_id\ttype\tvisual_id\tformula"]
    lines += [f"{n}\t11\t10\tanswer\tv1\tx" for n in range(100, 106)] + ["200\t12\t10\tcomment\tv3\tz"]
    lines += ["110\t11\t10\tanswer\tv2\ty"]
    import_texts(campaign.collection, tmp_path, formulas="\n".join(lines) + "\n")
    ranks = enumerate([*range(100, 106), 110, 200], start=1)
    add_run(campaign, tmp_path, "".join(f"B.1\t{formula}\t11\t{rank}\t{-rank}\tr\n" for rank, formula in ranks))
    return campaign


def test_crowded_formulas_are_counted_and_those_of_comments_fail_a_check(formulas: Campaign) -> None:
    pool = pools.build(formulas, on_progress)
    assert planning.report_on_pool(pool)[:4] == (1, 2, 6, 1)
    Instance.objects.exclude(doc_id__in=["100", "110"]).delete()
    assert "Every formula is in a post" not in failed(planning.report_on_pool(pool))
    Instance.objects.filter(doc_id="110").update(doc_id="200")
    assert failed(planning.report_on_pool(pool))["Every formula is in a post"] == "1 of 2"
