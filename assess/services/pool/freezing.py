"""Frozen pools: each document is sealed with the hash of what is shown for it. Until the first judgment one can be
unfrozen."""

from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from assess.models import Assignment, Campaign, Instance, Job, JudgmentEvent, Pool, PoolEntry, Topic
from assess.services.collection import collections
from assess.services.common.errors import Refused
from assess.services.jobs import job_queue
from assess.services.jobs.job_queue import OnProgress
from assess.services.pool import staleness
from assess.services.pool.content import cards_of


def freeze(pool: Pool, on_progress: OnProgress, by: User | None = None, job: Job | None = None) -> Pool:
    """Load the threads to show, record missing texts, and seal every document with the hash of what is shown for it.
    After this, nothing that assessors see can change."""
    if pool.frozen:
        raise Refused("The pool is already frozen.")
    require_current(pool)
    campaign = pool.campaign
    on_progress(0, 0, "looking up the documents")
    instances = list(Instance.objects.filter(entry__pool=pool).select_related("entry__topic").order_by("entry__topic"))
    load_threads(campaign, instances, on_progress)
    without_text = seal_all(campaign, instances, on_progress)
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)  # so that its rules do not change meanwhile
        require_current(pool)
        Pool.objects.filter(pk=pool.pk).update(frozen=timezone.now(), frozen_by=by, missing=without_text, job=job)
    pool.refresh_from_db()
    return pool


def require_current(pool: Pool) -> None:
    if reason := staleness.outdated(pool):
        raise Refused(f"Rebuild the pool before you freeze it: {reason}.")


def load_threads(campaign: Campaign, instances: list[Instance], on_progress: OnProgress) -> None:
    """Load the threads with the posts of these documents, so that they can be shown."""
    if campaign.collection and campaign.collection.has_posts:
        posts = {instance.post_id for instance in instances if instance.post_id}
        collections.load_threads(campaign.collection, posts, on_progress)


def seal_all(campaign: Campaign, instances: Iterable[Instance], on_progress: OnProgress) -> list[str]:
    """Store the hashes of documents, grouped by topic; returns the sorted ids of those without a text. One topic at a
    time, to keep locks short: the hashes are not used before the pool is frozen."""
    missing: set[str] = set()
    groups = [(topic, list(group)) for topic, group in groupby(instances, attrgetter("entry.topic"))]
    for number, (topic, group) in enumerate(groups):
        on_progress(number, len(groups), f"sealing topic {topic}")
        missing.update(hash_contents(campaign, topic, group))
        Instance.objects.bulk_update(group, ["content_hash"], batch_size=500)
    return sorted(missing)


def hash_contents(campaign: Campaign, topic: Topic, instances: list[Instance]) -> list[str]:
    """Set the hashes of a topic's documents, without storing them; returns those without a text."""
    documents = cards_of(campaign, topic, instances)
    for document in documents:
        document.instance.content_hash = document.content_hash
    return [document.instance.doc_id for document in documents if not document.body]


def missing(pool: Pool) -> set[str]:
    """The documents without a text: as recorded when the pool was frozen, or else by the current collection. A formula
    has the text of its post, a written answer its own."""
    if pool.frozen:
        return set(pool.missing)
    rows = Instance.objects.filter(entry__pool=pool).exclude(kind=Instance.Kind.WRITTEN)
    return collections.without_text(pool.campaign.collection, dict(rows.values_list("doc_id", "post_id")))


@transaction.atomic
def leave_out_missing(pool: Pool) -> int:
    """Take the documents without a text out of an open pool, and entries of which nothing is left; returns how many
    documents these were. The pool records them, and an extension does not add them again."""
    job_queue.require_free(pool.campaign, {"pooling"})
    current = Pool.objects.select_for_update().get(pk=pool.pk)
    if current.frozen:
        raise Refused("The pool is frozen: its documents can no longer change.")
    rows = Instance.objects.filter(entry__pool=pool, doc_id__in=missing(pool))
    gone = list(rows.order_by("pk").values_list("entry__topic__topic_id", "entry__unit_id", "doc_id"))
    rows.delete()
    PoolEntry.objects.filter(pool=pool, instances=None).delete()
    if not pool.entries.exists():
        raise Refused("No document of the pool has a text. Import its collection first.")
    Pool.objects.filter(pk=pool.pk).update(left_out=[*current.left_out, *map(list, gone)])
    return len(gone)


def is_judged(pool: Pool) -> bool:
    """Whether the pool was ever judged; undone judgments count, too."""
    return JudgmentEvent.objects.filter(instance__entry__pool=pool).exists()


@transaction.atomic
def unfreeze(pool: Pool) -> None:
    """Open a frozen pool again and delete its assignments. Raises Refused after the first judgment, and while a job
    changes or reads it."""
    job_queue.require_free(pool.campaign, {"pool", "pooling"})
    # A save references its assignment, so it commits before this or waits for it.
    assignments = Assignment.every.filter(round__pool=pool)
    list(assignments.select_for_update())
    if is_judged(pool):
        raise Refused("The pool has been judged, so it can no longer be unfrozen.")
    assignments.delete()
    Pool.objects.filter(pk=pool.pk).update(frozen=None, frozen_by=None)
    pool.refresh_from_db()
