"""The report on a pool counts the contributions of runs and checks the pool."""

from pathlib import Path
from typing import Any

import pytest
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from assess.models import Campaign, Instance, Pool
from assess.services.collection.preparing import CollectionFile
from assess.services.pool import freezing, pools, reports
from tests.cast import import_files, make_campaign, make_cast, make_pool, on_progress
from tests.lab import add_run, make_shallow_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    return make_shallow_campaign(tmp_path)


def report_on(pool: Pool) -> dict[str, Any]:
    reports.make_report(pool, on_progress)
    report = reports.stored_report(pool)
    assert report is not None
    return report


def failed(report: dict[str, Any]) -> list[str]:
    """The details of failed checks."""
    return [check["detail"] for check in report["checks"] if not check["is_met"]]


def test_a_report_counts_the_contributions_of_runs_and_teams(campaign: Campaign) -> None:
    report = report_on(pool := pools.build(campaign, on_progress))
    rows = [[row[name] for name in ("name", "role", "units", "unique", "judged", "top")] for row in report["runs"]]
    assert rows == [
        ["alpha", "primary", 2, 1, 2, 3],
        ["beta", "alternate", 1, 0, 2, 3],
        ["floor", "primary", 1, 0, 1, 1],
    ]
    assert [row["name"] for row in report["teams"]] == ["Alpha", "Beta", "Organizers"]
    assert report["topics"] == [["A.1", 2, 2, 0], ["A.2", 0, 0, 0]]
    assert {"alpha (2 of 3), beta (2 of 3)", "A.2"} <= set(failed(report))  # not deep enough, and empty
    pool.version += 1
    assert reports.stored_report(pool) is None  # each version has its own


def test_a_pool_that_is_deep_enough_passes_all_checks(campaign: Campaign) -> None:
    campaign.protocol |= {"primary_depth": 10, "alternate_depth": 10}
    campaign.save()
    campaign.topics.filter(topic_id="A.2").delete()
    assert failed(report_on(freezing.freeze(pools.build(campaign, on_progress), on_progress))) == []


def test_checks_fail_for_deleted_runs_and_units_that_no_run_retrieved(campaign: Campaign) -> None:
    pool = pools.build(campaign, on_progress)
    campaign.runs.filter(name="alpha").delete()
    assert failed(report_on(pool))[0] == "2 of 3"  # runs
    campaign.runs.all().delete()
    assert failed(report_on(pool))[:2] == ["0 of 3", "0 of 2"]  # runs, units


def test_a_report_on_an_imported_pool_has_sizes_and_checks_of_documents(campaign: Campaign) -> None:
    report = report_on(make_pool(campaign))
    assert report["runs"] == report["teams"] == []
    assert report["topics"][0] == ["A.1", 4, 4, 0]
    assert failed(report) == ["3 of 4"]  # 99 has no text


@pytest.fixture
def formulas(tmp_path: Path, settings: Settings) -> Campaign:
    """Six instances of v1, one of v2; the pool keeps five."""
    settings.MEDIA_ROOT = tmp_path / "media"
    campaign = make_campaign("arqmath3-task2")
    lines = ["id\tpost_id\tthread_id\ttype\tvisual_id\tformula"]
    lines += [f"{n}\t11\t10\tanswer\tv1\tx" for n in range(100, 106)] + ["200\t12\t10\tcomment\tv3\tz"]
    lines += ["110\t11\t10\tanswer\tv2\ty"]
    path = tmp_path / "index.tsv"
    path.write_text("\n".join(lines) + "\n")
    import_files(campaign.collection, [CollectionFile("formulas", path.name, path)], on_progress)
    ranks = enumerate([*range(100, 106), 110, 200], start=1)
    add_run(campaign, tmp_path, "".join(f"B.1\t{formula}\t11\t{rank}\t{-rank}\tr\n" for rank, formula in ranks))
    return campaign


def test_crowded_formulas_are_counted_and_those_of_comments_fail_a_check(formulas: Campaign) -> None:
    pool = pools.build(formulas, on_progress)
    assert report_on(pool)["topics"] == [["B.1", 2, 6, 1], ["B.2", 0, 0, 0]]
    Instance.objects.exclude(doc_id__in=["100", "110"]).delete()
    before = failed(report_on(pool))
    Instance.objects.filter(doc_id="110").update(doc_id="200")
    assert set(failed(report_on(pool))) - set(before) == {"1 of 2"}


def test_reports_end_with_pools(
    campaign: Campaign, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    pool = pools.build(campaign, on_progress)
    report_on(pool)
    with django_capture_on_commit_callbacks() as callbacks:
        pools.discard_pool(campaign, make_cast().olga)
    assert reports.report_path(pool).exists()  # until the deletion is committed
    for callback in callbacks:
        callback()
    assert not reports.report_path(pool).parent.exists()
