"""The report on a pool counts the contributions of runs and checks the pool."""

from pathlib import Path

import pytest
from pytest_django import Settings

from assess.models import Campaign, Instance
from assess.services.pool import freezing, pools, reports
from assess.services.pool.reports import PoolReport
from tests.cast import import_texts, make_campaign, make_pool, on_progress
from tests.lab import add_run, make_shallow_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    return make_shallow_campaign(tmp_path)


FIRST_TEN, FROM_RUNS = "The first 10 units of each run are in the pool", "Every unit was brought in by a run"


def failed(report: PoolReport) -> dict[str, str]:
    """The details of failed checks, by name."""
    return {check.name: check.detail for check in report.checks if not check.is_met}


def test_a_report_counts_the_contributions_of_runs_and_teams(campaign: Campaign) -> None:
    pool = pools.build(campaign, on_progress)
    report = reports.report_on_pool(pool)
    assert [(role, tuple(contribution)) for _, role, contribution in report.runs] == [
        ("primary", ("alpha", 2, 1, 3, 2)),
        ("alternate", ("beta", 1, 0, 3, 2)),
        ("primary", ("floor", 1, 0, 1, 1)),
    ]
    assert [team.name for team in report.teams] == ["Alpha", "Beta", "Organizers"]
    assert report.topics == [("A.1", 2, 2, 0), ("A.2", 0, 0, 0)]
    empty = {"Every topic has units to judge": "A.2", "Every document has a text": "0 of 2"}
    assert failed(report) == {FIRST_TEN: "alpha (2 of 3), beta (2 of 3)"} | empty
    assert list(reports.effects_of_leaving_out(pool)) == [
        "Nothing would be left to judge in 1 topic: A.1.",
        "Judged@10 falls: alpha (from 67 to 0 %), beta (from 67 to 0 %) and floor (from 100 to 0 %).",
    ]
    campaign.runs.filter(name="alpha").delete()
    assert failed(reports.report_on_pool(pool))["All runs exist"] == "2 of 3"
    campaign.runs.all().delete()
    assert failed(reports.report_on_pool(pool)) == {"All runs exist": "0 of 3", FROM_RUNS: "0 of 2"} | empty


def test_a_pool_that_is_deep_enough_passes_all_checks(campaign: Campaign) -> None:
    campaign.protocol |= {"primary_depth": 10, "alternate_depth": 10}
    campaign.save()
    campaign.topics.filter(topic_id="A.2").delete()
    pool = freezing.freeze(pools.build(campaign, on_progress), on_progress)
    assert failed(reports.report_on_pool(pool)) == {}


def test_a_report_on_an_imported_pool_has_sizes_and_checks_of_documents(campaign: Campaign) -> None:
    report = reports.report_on_pool(make_pool(campaign))
    assert (report.runs, report.teams) == ([], [])
    assert report.topics[0] == ("A.1", 4, 4, 0)
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
    assert reports.report_on_pool(pool).topics == [("B.1", 2, 6, 1), ("B.2", 0, 0, 0)]
    Instance.objects.exclude(doc_id__in=["100", "110"]).delete()
    assert "Every formula is in a post" not in failed(reports.report_on_pool(pool))
    Instance.objects.filter(doc_id="110").update(doc_id="200")
    assert failed(reports.report_on_pool(pool))["Every formula is in a post"] == "1 of 2"
