"""The pages of progress and agreement show what the services computed."""

import json

import pytest
from django.urls import reverse

from assess.models import AgreementReport, Job
from assess.services.judging import assignments
from assess.services.results import agreement
from tests.cast import make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.lab import Lab, client_of, judge
from tests.web.reports import page_of, url_of

pytestmark = [pytest.mark.django_db, pytest.mark.engines]


def test_progress_shows_what_the_service_counts(lab: Lab) -> None:
    page = page_of(lab, "progress")
    assert "<strong>4</strong> of 8 answers judged (50 %), 4 left" in page
    assert "mean 2.0 s" in page  # ada's; emmy's 4.0 are not official
    assert "1 topic without an official assessor" in page
    assert '<span class="badge grade-3">High</span></th><td class="num">1</td><td class="num">25.0 %</td>' in page
    assert '<span class="badge outcome">System failure</span></th><td class="num">1</td>' in page
    emmy = page[page.rindex('<th scope="row">emmy</th>') :]
    assert '<td class="num">4</td><td class="num">4</td>' in emmy  # judged, of
    # H M L N, outcomes, mean, median
    assert "".join(f'<td class="num">{n}</td>' for n in (0, 1, 1, 2, 0, "4.0", "4.0")) in emmy


def test_without_a_pool_there_is_no_progress_yet() -> None:
    campaign = make_campaign()
    cast = make_cast(campaign)
    page = client_of(cast.kurt).get(reverse("progress", args=[campaign.slug])).content.decode()
    assert "<table" not in page


def test_agreement_is_shown_in_numbers_and_as_data_for_the_chart(lab: Lab) -> None:
    page = page_of(lab, "agreement")
    # by hand in tests/services/results/test_reports.py: 4-way 0, H+M 0.4 over three answers
    numbers = '<td class="num">3</td><td class="num">0.3333</td><td class="num">0.0000</td><td class="num">0.4000</td>'
    assert f'<th scope="row">ada, emmy</th>{numbers}<td class="quiet">1 with an outcome left out</td>' in page
    source = page.split('<script id="agreement-data" type="application/json">')[1].split("</script>")[0]
    assert json.loads(source) == [
        {"assessor": "ada", "kappa": pytest.approx(0), "kappa_hm": pytest.approx(0.4)},
        {"assessor": "emmy", "kappa": pytest.approx(0), "kappa_hm": pytest.approx(0.4)},
    ]
    # the one answer that ada finds high is medium for emmy
    high = '<th scope="row">3</th><td class="num">0</td><td class="num">0</td><td class="num">1</td>'
    assert high in page


def test_an_undefined_kappa_is_a_dash_with_its_reason() -> None:
    campaign = make_campaign()
    cast, pool = make_cast(campaign), make_pool(campaign)
    for person, kind in ((cast.ada, "main"), (cast.emmy, "dual")):
        judge(make_assignment(pool, person, kind=kind), {"11": "3", "12": "3"})
    agreement.report(pool, on_progress)
    page = " ".join(client_of(cast.olga).get(reverse("agreement", args=[campaign.slug])).content.decode().split())
    dash = '<td class="num"><span title="both raters constant">—</span></td>'
    assert f'{dash}{dash}<td class="quiet">kappa undefined: both raters constant</td>' in page


def test_judgments_of_a_topic_that_was_taken_back_are_not_compared() -> None:
    campaign = make_campaign()
    cast = make_cast(campaign)
    pool = make_pool(campaign)
    assignment = make_assignment(pool, cast.ada)
    assignments.take_back(assignment)
    judge(assignment, {"11": "3", "12": "0"})
    judge(make_assignment(pool, cast.ada, kind="dual"), {"11": "2"})
    judge(make_assignment(pool, cast.emmy), {"11": "2"})
    report = agreement.report(pool, on_progress)
    assert (report.judgments, [pair["n"] for pair in report.pairs]) == (2, [1])


@pytest.mark.parametrize("emmy", [{}, {"12": "2"}, {"11": "do_not_know"}])
def test_without_two_grades_for_one_answer_there_is_nothing_to_compare(emmy: dict[str, str]) -> None:
    campaign = make_campaign()
    cast, pool = make_cast(campaign), make_pool(campaign)
    judge(make_assignment(pool, cast.ada), {"11": "3"})
    judge(make_assignment(pool, cast.emmy, kind="dual"), emmy)
    report = agreement.report(pool, on_progress)
    client = client_of(cast.olga)
    job = Job.objects.create(
        campaign=campaign, kind="agreement", state="done", result={"report": report.pk}, created_by=cast.olga
    )
    for url in (job.get_absolute_url(), reverse("agreement", args=[campaign.slug])):
        assert "Nothing has been graded by two assessors yet" in client.get(url).content.decode()
    assert "<table" not in client.get(reverse("agreement", args=[campaign.slug])).content.decode()
    steps = {step.name: step for step in client.get(campaign.get_absolute_url()).context["steps"]}
    assert not steps["Agreement"].is_done


def test_the_job_of_agreement_counts_the_pairs(lab: Lab) -> None:
    job = Job.objects.create(
        campaign=lab.campaign,
        kind="agreement",
        state="done",
        result={"report": lab.report.pk},
        created_by=lab.cast.olga,
    )
    assert "1 pair of assessors compared" in client_of(lab.cast.olga).get(job.get_absolute_url()).content.decode()


def test_agreement_is_a_job(lab: Lab) -> None:
    client_of(lab.cast.olga).post(url_of("agreement_start", lab))
    job = Job.objects.get()
    assert (job.kind, job.params) == ("agreement", {"pool": lab.pool.pk})


def test_without_a_frozen_pool_agreement_is_refused() -> None:
    campaign = make_campaign()
    cast = make_cast(campaign)
    response = client_of(cast.olga).post(reverse("agreement_start", args=[campaign.slug]), follow=True)
    assert "not frozen" in response.content.decode()
    assert not Job.objects.exists()


def test_older_reports_stay_readable(lab: Lab) -> None:
    AgreementReport.objects.create(pool=lab.pool, judgments=9, pairs=lab.report.pairs, assessors=[], topics=[])
    assert "from 9 judgments" in page_of(lab, "agreement")
    older = page_of(lab, "agreement_report")
    assert "from 8 judgments" in older
    assert "an older report" in older
