"""Nothing is deleted while an unfinished job reads or changes it."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from assess.models import Campaign, Job, Run, kinds_of_jobs
from assess.services import lifecycle
from assess.services.campaign import campaigns
from assess.services.common.errors import Refused
from assess.services.jobs import job_queue
from assess.services.pool import freezing, pools
from assess.services.runs import runs
from tests.cast import make_campaign, make_cast, make_pool

pytestmark = [pytest.mark.django_db, pytest.mark.engines]


def unfinished(campaign: Campaign, kind: str, state: str = "queued") -> Job:
    """A job that no worker ends."""
    by = campaign.members.get().user
    return Job.objects.create(campaign=campaign, kind=kind, state=state, created_by=by, heartbeat=timezone.now())


def delete_run(campaign: Campaign) -> None:
    run = campaign.runs.create(name="R", pool_role=Run.PoolRole.NONE, lines=0, topics=0)
    runs.delete_run(run, campaign.members.get().user)


def discard_pool(campaign: Campaign) -> None:
    if not campaign.pools.exists():
        make_pool(campaign, frozen=False)
    pools.discard_pool(campaign, make_cast().olga)


def delete_a_topic(campaign: Campaign) -> None:
    campaigns.delete_topics(campaign, make_cast().olga, campaign.topics.all()[0])


def delete_topics(campaign: Campaign) -> None:
    campaigns.delete_topics(campaign, make_cast().olga)


CHANGING = "collection visual_ids repair"
MAKING = "pool pool_file freeze extend"
SCORING = "verify evaluate what_if reliability"


@pytest.mark.parametrize(
    ("delete", "readers"),
    [
        (delete_run, f"{CHANGING} {MAKING} {SCORING} baseline fusion"),
        (discard_pool, f"{CHANGING} {MAKING} {SCORING} agreement baseline fusion release runs"),
        (delete_a_topic, f"{CHANGING} {MAKING} baseline fusion runs source topic_threads training"),
        (delete_topics, f"{CHANGING} {MAKING} baseline fusion runs source topic_threads training"),
        (lifecycle.delete_campaign, " ".join(kinds_of_jobs())),
    ],
)
def test_what_a_job_reads_stays(campaign: Campaign, delete: Callable[[Campaign], object], readers: str) -> None:
    for kind in kinds_of_jobs():
        job = unfinished(campaign, kind)
        if kind in readers.split():
            with pytest.raises(Refused, match=job.title):
                delete(campaign)
            campaign.runs.all().delete()
        job_queue.finish(job, Job.State.CANCELLED)
    delete(campaign)


@pytest.mark.parametrize("kind", ["agreement", "release", "evaluate", "extend"])
def test_a_frozen_pool_is_not_opened_while_a_job_reads_it(campaign: Campaign, kind: str) -> None:
    pool = make_pool(campaign)
    unfinished(campaign, kind, "running")
    with pytest.raises(Refused, match=kinds_of_jobs()[kind].title):
        freezing.unfreeze(pool, make_cast().olga)


def test_changes_of_a_shared_collection_count_and_other_jobs_do_not(campaign: Campaign) -> None:
    other = make_campaign(name="Other")
    other.collection = campaign.collection
    other.save()
    job = unfinished(other, "visual_ids")
    for delete in (delete_run, lifecycle.delete_campaign):
        with pytest.raises(Refused, match=r"Compute visual ids .* of Other"):
            delete(campaign)
    campaign.runs.all().delete()
    job_queue.finish(job, Job.State.CANCELLED)
    for kind in ("evaluate", "pool"):
        unfinished(other, kind)
    for kind in ("release", "agreement", "topic_threads"):
        unfinished(campaign, kind)
    delete_run(campaign)
