"""The report on a pool counts what its runs brought in and checks what a pool promises."""

import pytest

from assess.models import Instance, Job
from assess.services.collection.preparing import SourceFile
from assess.services.jobs import job_queue
from assess.services.pool import pools, reports
from assess.services.runs import runs
from assess.services.steps import STEPS
from tests.cast import import_files, make_campaign, make_pool, on_progress
from tests.lab import make_shallow_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(tmp_path):
    return make_shallow_campaign(tmp_path)


def report_on(pool):
    reports.compute(pool, on_progress)
    return reports.find(pool)


def failed(report):
    return {check["name"]: check["detail"] for check in report["checks"] if not check["is_met"]}


def test_runs_and_teams_brought_in_what_the_pool_holds(campaign):
    report = report_on(pools.build(campaign, on_progress))
    rows = [[row[name] for name in ("name", "role", "units", "unique", "judged", "top")] for row in report["runs"]]
    assert rows == [
        ["alpha", "primary", 2, 1, 2, 3],
        ["beta", "alternate", 1, 0, 2, 3],
        ["floor", "primary", 1, 0, 1, 1],
    ]
    assert [row["name"] for row in report["teams"]] == ["Alpha", "Beta", "Organizers"]
    assert report["topics"] == [["A.1", 2, 2, 0], ["A.2", 0, 0, 0]]


def test_checks_name_runs_that_are_not_judged_deep_enough_and_empty_topics(campaign):
    found = failed(report_on(pools.build(campaign, on_progress)))
    assert found["Every pooled run is judged down to its unit 10"] == "alpha (2 of 3), beta (2 of 3)"
    assert found["Every topic has something to judge"] == "A.2"
    assert "All its runs are here" not in found


def test_a_pool_deep_enough_passes(campaign):
    campaign.protocol |= {"primary_depth": 10, "alternate_depth": 10}
    campaign.save()
    campaign.topics.filter(topic_id="A.2").delete()
    found = failed(report_on(pools.freeze(pools.build(campaign, on_progress), on_progress)))
    assert found == {}


def test_a_run_that_has_gone_and_a_unit_that_no_run_retrieved_are_told(campaign):
    pool = pools.build(campaign, on_progress)
    campaign.runs.filter(name="alpha").delete()
    found = failed(report_on(pool))
    assert found["All its runs are here"] == "2 of 3"
    campaign.runs.all().delete()
    found = failed(report_on(pool))
    assert found["Every unit was retrieved by one of the runs"] == "0 of 2"


def test_a_pool_from_a_file_has_sizes_and_checks_of_its_documents(campaign):
    report = report_on(make_pool(campaign))
    assert report["runs"] == report["teams"] == []
    assert report["topics"][0] == ["A.1", 4, 4, 0]
    assert failed(report) == {"Every document has a text": "3 of 4 have one"}  # 99


def test_each_version_has_its_own_report(campaign):
    pool = pools.build(campaign, on_progress)
    report_on(pool)
    pool.version += 1
    assert reports.find(pool) is None


@pytest.fixture
def formulas(tmp_path, settings):
    """Six instances of v1, one of v2; the pool keeps five."""
    settings.MEDIA_ROOT = tmp_path / "media"
    campaign = make_campaign("arqmath3-task2")
    lines = ["id\tpost_id\tthread_id\ttype\tvisual_id\tformula"]
    lines += [f"{n}\t11\t10\tanswer\tv1\tx" for n in range(100, 106)] + ["200\t12\t10\tcomment\tv3\tz"]
    lines += ["110\t11\t10\tanswer\tv2\ty"]
    path = tmp_path / "index.tsv"
    path.write_text("\n".join(lines) + "\n")
    import_files(campaign.collection, [SourceFile("formulas", path.name, path)], on_progress)
    rows = [*range(100, 106), 110, 200]
    (tmp_path / "run.tsv").write_text("".join(f"B.1\t{one}\t11\t{n}\t{-n}\tr\n" for n, one in enumerate(rows, start=1)))
    runs.import_runs(campaign, [runs.RunUpload(tmp_path / "run.tsv", runs.RunMeta("run.tsv", "T"))], on_progress)
    return campaign


def test_formulas_with_more_instances_than_are_judged_are_crowded(formulas):
    report = report_on(pools.build(formulas, on_progress))
    assert report["topics"] == [["B.1", 2, 6, 1], ["B.2", 0, 0, 0]]
    assert "No formula is of a comment or spurious" not in failed(report)


def test_a_formula_of_a_comment_in_the_pool_is_told(formulas):
    pool = pools.build(formulas, on_progress)
    Instance.objects.exclude(doc_id__in=["100", "110"]).delete()
    Instance.objects.filter(doc_id="110").update(doc_id="200")
    assert failed(report_on(pool))["No formula is of a comment or spurious"] == "1 of 2 stand in posts"


def test_reports_are_made_by_a_job(campaign):
    pool = pools.build(campaign, on_progress)
    job = job_queue.submit(campaign, Job.Kind.POOL_REPORT, campaign.members.get().user, pool=pool.pk)
    job_queue.perform(job_queue.claim(job.pk), STEPS[job.kind])
    job.refresh_from_db()
    assert (job.state, job.result) == (Job.State.DONE, {"report_on": pool.version}), job.error
    assert reports.find(pool)


def test_reports_go_with_their_pool(campaign, django_capture_on_commit_callbacks):
    pool = pools.build(campaign, on_progress)
    report_on(pool)
    with django_capture_on_commit_callbacks() as callbacks:
        pools.discard(campaign)
    assert reports.place(pool).exists()  # as long as the pool could come back
    for callback in callbacks:
        callback()
    assert not reports.place(pool).parent.exists()
