"""Agreement, qrels, scores and progress of a campaign small enough to check by hand."""

from pathlib import Path

import pytest
from django.db import IntegrityError, transaction
from pytest_django import DjangoAssertNumQueries

from assess.models import Campaign, Job, Run, Score
from assess.services import job_kinds
from assess.services.agreement import agreement
from assess.services.common.errors import Refused
from assess.services.jobs import job_queue
from assess.services.pool import freezing, pools
from assess.services.releases import qrels
from assess.services.rounds import progress
from assess.services.scores import evaluation
from tests.cast import make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.lab import add_run, judge

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


def test_runs_are_scored_over_judged_documents(campaign: Campaign, tmp_path: Path) -> None:
    released = qrels.release(campaign.frozen_pool(), make_cast().olga, on_progress)
    campaign.pools.update(frozen=None)  # so that a run can be added
    # 99 is unjudged (an outcome), 12 not relevant, 11 high, 21 medium
    add_run(campaign, tmp_path, "A.1\t99\t1\t4\tr\nA.1\t12\t2\t3\tr\nA.1\t11\t3\t2\tr\nA.1\t21\t4\t1\tr\n")
    result = evaluation.evaluate(released, "qrels", on_progress)
    means = {mean["measure"]: round(mean["value"], 4) for mean in result.means}
    # after dropping 99: 12, 11, 21. MAP' = (1/2 + 2/3)/2; P'@10 = 2/10;
    # nDCG' = (3/log2(3) + 2/log2(4)) / (3 + 2/log2(3)); bpref: one non-relevant above both: 1 − 1/1 = 0
    assert means == {"nDCG'": 0.6788, "MAP'": 0.5833, "P'@10": 0.2, "bpref": 0.0}
    assert {mean["topics"] for mean in result.means} == {1}
    assert Score.objects.filter(evaluation=result, run=Run.objects.get()).count() == 4


def test_written_answers_are_released_and_scored_separately(tmp_path: Path) -> None:
    campaign = make_campaign()
    for name, text in (("good", "Because."), ("odd", "???")):
        add_run(campaign, tmp_path, f"A.1\t1\t1.0\t{name}\tnone\t{text}\n", name=name)
    pool = freezing.freeze(pools.build(campaign, on_progress), on_progress)
    cast = make_cast(campaign)
    ids = {answer.body: answer.doc_id for topic in campaign.topics.all() for answer in topic.written_answers.all()}
    judge(make_assignment(pool, cast.ada), {ids["<p>Because.</p>"]: "2", ids["<p>???</p>"]: "system_failure"})
    released = qrels.release(pool, cast.olga, on_progress)
    assert {line.grade for line in released.lines_of("written")} == {2, 0}  # an outcome counts 0
    result = evaluation.evaluate(released, "qrels", on_progress)
    assert {(mean["run"], mean["measure"], mean["value"], mean["topics"]) for mean in result.means} == {
        ("good", "AR", 2.0, 1), ("good", "P@1", 1.0, 1), ("odd", "AR", 0.0, 1), ("odd", "P@1", 0.0, 1),
    }  # fmt: skip


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
