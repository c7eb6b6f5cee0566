"""A job that failed is started again, and all is as if it had not failed."""

from typing import Any

import pytest

from assess.models import Job, OnProgress, VisualMap, kinds_of_jobs
from assess.services import job_kinds
from assess.services.formulas import visual_ids
from assess.services.jobs import job_queue
from tests import lab_steps as steps
from tests.snapshot import leftovers, snapshot

pytestmark = pytest.mark.django_db(transaction=True)


def fail(job: Job, *, is_late: bool = True) -> None:
    """The disk is full before the first step or after the last."""

    def step(job: Job, progress: OnProgress) -> dict[str, Any]:
        if is_late:
            kinds_of_jobs()[job.kind].step(job, progress)
        raise OSError("No space left on device")

    job_queue.perform(job_queue.claim(job.pk), step)
    job.refresh_from_db()
    assert (job.state, "No space left" in job.error) == ("failed", True)


@pytest.mark.parametrize("preset", steps.LAB_STEPS)
def test_every_kind_of_job_can_be_started_again(preset: str) -> None:
    undisturbed, disturbed = steps.new_campaign(preset), steps.new_campaign(preset)
    for job in steps.submitted(preset, undisturbed, disturbed):
        if job.campaign == disturbed:
            fail(job, is_late=False)
            assert job_queue.restart(job, job.created_by)
            fail(job)
            assert job_queue.restart(job, job.created_by)
        steps.done(job)
    assert snapshot(disturbed) == snapshot(undisturbed)
    assert leftovers() == []


def test_visual_ids_are_computed_anew_if_the_index_has_changed_since() -> None:
    campaign = steps.campaign_before("arqmath2-task2", job_kinds.compute_visual_ids)
    job = steps.submit(campaign, job_kinds.compute_visual_ids, steps.of_formulas)
    version = visual_ids.compute_version(campaign.collection, job.created_by, lambda *_: None, job=job)
    job_queue.finish(job, Job.State.FAILED)
    files = [
        {"kind": "formulas", "name": "new.tsv", "path": steps.uploaded(steps.FILES["formulas"].replace("v1", "v9"))}
    ]
    index = {"collection": campaign.collection_id, "files": files}
    steps.done(job_queue.submit(campaign, job_kinds.import_collection, job.created_by, **index))
    campaign.collection.refresh_from_db()
    assert visual_ids.is_outdated(version)
    assert job_queue.restart(job, job.created_by)
    steps.done(job)
    assert not VisualMap.objects.filter(pk=version.pk).exists()


def test_a_job_about_what_is_gone_says_so() -> None:
    campaign = steps.campaign_before("arqmath3-task1", job_kinds.freeze_pool)
    job = steps.submit(campaign, job_kinds.freeze_pool, lambda campaign: {"pool": 0})
    assert not job_queue.restart(job, job.created_by)  # it waits
    job_queue.perform(job_queue.claim(job.pk), job_kinds.freeze_pool.step)
    job.refresh_from_db()
    assert "no longer exists" in job.error
