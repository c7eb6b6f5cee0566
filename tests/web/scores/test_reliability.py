"""The page on reliability and its files."""

from pathlib import Path

import pytest
from django.urls import reverse

from assess.models import Evaluation, Job, ReliabilityReport
from assess.services.scores import evaluation, reliability
from tests.cast import on_progress
from tests.lab import Lab, add_run, client_of
from tests.web.reports import page_of, url_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def report(lab: Lab) -> ReliabilityReport:
    return reliability.report_reliability(lab.evaluation, on_progress)


def test_a_report_is_a_job_on_the_latest_scores(lab: Lab) -> None:
    assert "if another assessor had judged" in page_of(lab, "reliability")
    second = evaluation.evaluate(lab.release, "run", on_progress)
    client = client_of(lab.cast.olga)
    client.post(url_of("reliability_start", lab))
    assert (Job.objects.get().kind, Job.objects.get().params) == ("reliability", {"evaluation": second.pk})
    Evaluation.objects.all().delete()
    page = page_of(lab, "reliability")
    assert "evaluate the runs</a> with a release first" in page
    assert url_of("reliability_start", lab) not in page
    answer = client.post(url_of("reliability_start", lab), follow=True)
    assert "Nothing has been scored" in answer.content.decode()


def test_numbers_stand_in_tables_and_lead_to_what_is_behind_them(lab: Lab, report: ReliabilityReport) -> None:
    page = page_of(lab, "reliability")
    _, _, row = page[page.index('id="leaderboards"') :].partition(
        f'<a href="{url_of("evaluation_run", lab)}">alpha</a>'
    )
    assert '</th><td class="num">0.9386</td><td class="num">1</td><td class="num">1.0000</td>' in row[:90]
    assert "The pool was imported without its runs" in page
    page = page_of(lab, "reliability", query="?measure=bpref&assessors=99")
    assert 'aria-current="true">bpref</a>' in page
    assert page_of(lab, "reliability", query="?measure=x&assessors=z")


def test_older_reports_and_newer_scores_are_named(lab: Lab, report: ReliabilityReport, tmp_path: Path) -> None:
    assert "All reports" not in page_of(lab, "reliability")
    add_run(lab.campaign, tmp_path, "A.1\t77\t1\t9\tlate\n", pool_role="none")
    evaluation.evaluate(lab.release, "qrels", on_progress)
    assert "scored again since" in page_of(lab, "reliability")
    second = reliability.report_reliability(lab.evaluation, on_progress)
    page = page_of(lab, "reliability_report", pk=report.pk)
    assert "an older report" in page
    assert reverse("reliability_report", args=[lab.campaign.slug, second.pk]) in page


def test_a_run_that_is_not_pooled_is_marked(lab: Lab, tmp_path: Path) -> None:
    add_run(lab.campaign, tmp_path, "A.1\t77\t1\t9\tlate\nA.1\t11\t2\t8\tlate\n", pool_role="none")
    reliability.report_reliability(evaluation.evaluate(lab.release, "qrels", on_progress), on_progress)
    page = page_of(lab, "reliability")
    assert '<td colspan="4" class="quiet">not pooled</td><td class="num">50.0 %</td>' in page


def test_a_report_is_a_file_in_full(lab: Lab, report: ReliabilityReport) -> None:
    saved = client_of(lab.cast.olga).get(url_of("reliability_file", lab, pk=report.pk)).json()
    assert saved == {"assessors": report.assessors, "reusability": report.reusability}
    assert f'href="{url_of("reliability_file", lab, pk=report.pk)}"' in page_of(lab, "reliability")
