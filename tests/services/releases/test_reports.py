"""Agreement, qrels, scores and progress of a campaign small enough to check by hand."""

import pytest
from django.db import IntegrityError, transaction
from pytest_django import DjangoAssertNumQueries

from assess.models import Campaign, Job
from assess.services import job_kinds
from assess.services.agreement import agreement
from assess.services.common.errors import Refused
from assess.services.jobs import job_queue
from assess.services.releases import qrels
from assess.services.rounds import progress
from tests.cast import make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.lab import judge

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    """A.1: ada is official, emmy dual. Document 99 has no text."""
    campaign = make_campaign()
    cast, pool = make_cast(campaign), make_pool(campaign)
    judge(make_assignment(pool, cast.ada), {"11": "3", "12": "0", "21": "2", "99": "system_failure"})
    judge(make_assignment(pool, cast.emmy, kind="dual"), {"11": "2", "12": "0", "21": "0", "99": "1"})
    return campaign


def test_agreement_leaves_out_items_with_an_outcome(campaign: Campaign) -> None:
    report = agreement.report(campaign.frozen_pool(), on_progress)
    (pair,) = report.pairs
    assert (pair["first"], pair["second"], pair["n"]) == ("ada", "emmy", 3)
    # ada 3 0 2, emmy 2 0 0: equal 1 of 3; by chance (0·1/3·…): p(0)=1/3·2/3, p(2)=1/3·1/3 → 1/3. kappa 0
    assert pair["kappa"]["value"] == pytest.approx(0)
    # relevant: ada 1 0 1, emmy 1 0 0: equal 2/3; by chance 2/3·1/3 + 1/3·2/3 = 4/9; (2/3 − 4/9)/(5/9) = 0.4
    assert pair["kappa_hm"]["value"] == pytest.approx(0.4)
    assert report.assessors[0]["kappa_hm"] == pytest.approx(0.4)
    assert [topic["topic"] for topic in report.topics] == ["A.1"]
    assert report.judgments == 8


def test_agreement_needs_judgments() -> None:
    with pytest.raises(Refused, match="Nothing has been judged"):
        agreement.report(make_pool(make_campaign()), on_progress)


def test_a_job_that_is_done_again_ends_with_its_own_results_and_no_others(campaign: Campaign) -> None:
    pool, olga = campaign.frozen_pool(), make_cast().olga
    assert pool
    agreement.report(pool, on_progress), qrels.release(pool, olga, on_progress)  # by nobody's job, at the same time
    for kind in (job_kinds.compute_agreement, job_kinds.release_qrels):
        job = job_queue.submit(campaign, kind, olga, pool=pool.pk)
        assert kind.step(job, on_progress) == kind.step(job, on_progress)
    assert (pool.agreement_reports.count(), pool.qrels.count()) == (2, 2)
    with pytest.raises(IntegrityError), transaction.atomic():
        agreement.report(pool, on_progress, job=Job.objects.get(kind="agreement"))


def test_progress_by_topic_and_assessor(campaign: Campaign, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    pool = campaign.frozen_pool()
    with django_assert_num_queries(5):
        whole = progress.overview(pool, in_detail=True).whole
    assert (whole.judged, whole.mean_seconds, whole.median_seconds) == (4, 2.0, 2.0)
    assert whole.grades == {"3": 1, "0": 1, "2": 1, "system_failure": 1}
    with django_assert_num_queries(4):
        view = progress.overview(pool)
    assert (view.whole.judged, view.whole.total, view.whole.percent) == (4, 8, 50)
    topics = [(row.topic.topic_id, row.pace.judged, row.pace.total) for row in view.topics]
    assert topics == [("A.1", 4, 4), ("A.2", 0, 4)]
    assessors = [(row.assessor, row.pace.judged, row.pace.mean_seconds) for row in view.assessors]
    assert assessors == [("ada", 4, 2.0), ("emmy", 4, 2.0)]
