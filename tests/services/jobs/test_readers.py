"""Nothing is deleted while an unfinished job reads it."""

import pytest
from django.utils import timezone

from assess.models import Campaign, Job, Pool, Run, Topic
from assess.services import removal
from assess.services.campaign import campaigns
from assess.services.common.errors import Refused
from assess.services.jobs import job_queue
from assess.services.pool import freezing, pools
from assess.services.runs import runs
from tests.cast import make_campaign, make_pool

pytestmark = [pytest.mark.django_db, pytest.mark.engines]

Kind = Job.Kind
State = Job.State
STATES = (State.QUEUED, State.RUNNING)


def unfinished(campaign: Campaign, kind: str, state: str = State.QUEUED) -> Job:
    """A job that no worker ends."""
    by = campaign.members.get().user
    return Job.objects.create(campaign=campaign, kind=kind, state=state, created_by=by, heartbeat=timezone.now())


def make_run(campaign: Campaign) -> Run:
    return Run.objects.create(campaign=campaign, name="R", pool_role=Run.PoolRole.NONE, lines=0, topics=0)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("kind", job_queue.READ_RUNS)
def test_a_run_stays_while_a_job_reads_it(campaign: Campaign, kind: Kind, state: State) -> None:
    run = make_run(campaign)
    job = unfinished(campaign, kind, state)
    with pytest.raises(Refused, match=kind.label):
        runs.delete(run)
    assert Run.objects.filter(pk=run.pk).exists()
    job_queue.finish(job, State.CANCELLED)
    runs.delete(run)
    assert not campaign.runs.exists()


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("kind", job_queue.READ_POOL)
def test_an_open_pool_stays_while_a_job_reads_it(campaign: Campaign, kind: Kind, state: State) -> None:
    pool = make_pool(campaign, frozen=False)
    job = unfinished(campaign, kind, state)
    with pytest.raises(Refused, match=kind.label):
        pools.discard(campaign)
    assert Pool.objects.filter(pk=pool.pk).exists()
    job_queue.finish(job, State.CANCELLED)
    pools.discard(campaign)
    assert not campaign.pools.exists()


@pytest.mark.parametrize("kind", [Kind.AGREEMENT, Kind.RELEASE, Kind.EVALUATE, Kind.POOL_REPORT, Kind.EXTEND])
def test_a_frozen_pool_is_not_opened_while_a_job_reads_it(campaign: Campaign, kind: Kind) -> None:
    pool = make_pool(campaign)
    unfinished(campaign, kind, State.RUNNING)
    with pytest.raises(Refused, match=kind.label):
        freezing.unfreeze(pool)
    assert Pool.objects.get(pk=pool.pk).frozen


@pytest.mark.parametrize("kind", job_queue.READ_TOPICS)
def test_topics_stay_while_a_job_reads_them(campaign: Campaign, kind: Kind) -> None:
    topic = campaign.topics.all()[0]
    unfinished(campaign, kind)
    with pytest.raises(Refused, match=kind.label):
        campaigns.delete_topics(campaign)
    with pytest.raises(Refused, match=kind.label):
        campaigns.delete_topic(topic)
    assert Topic.objects.filter(pk=topic.pk).exists()


@pytest.mark.parametrize("kind", Kind)
def test_a_campaign_stays_while_a_job_of_it_is_at_work(campaign: Campaign, kind: Kind) -> None:
    unfinished(campaign, kind, State.RUNNING)
    with pytest.raises(Refused, match=kind.label):
        removal.delete(campaign)
    assert Campaign.objects.filter(pk=campaign.pk).exists()


def test_changes_of_a_shared_collection_count_and_other_jobs_do_not(campaign: Campaign) -> None:
    other = make_campaign(name="Other")
    other.collection = campaign.collection
    other.save()
    run = make_run(campaign)
    job = unfinished(other, Kind.VISUAL_IDS)
    by_other = r"Compute visual ids .* of Other"
    with pytest.raises(Refused, match=by_other):
        runs.delete(run)
    with pytest.raises(Refused, match=by_other):
        removal.delete(campaign)
    job_queue.finish(job, State.CANCELLED)
    for kind in (Kind.EVALUATE, Kind.POOL):
        unfinished(other, kind)
    for kind in (Kind.RELEASE, Kind.AGREEMENT, Kind.TOPIC_THREADS):
        unfinished(campaign, kind)
    runs.delete(run)
    assert not campaign.runs.exists()
