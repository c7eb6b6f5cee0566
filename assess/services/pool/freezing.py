"""Frozen pools: each document is sealed with the hash of what is shown for it. Until the first judgment one can be
unfrozen."""

from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from assess.ir.common.figures import percent
from assess.ir.common.rows import SYSTEM_FAILURE
from assess.models import Action, Assignment, Campaign, Instance, Job, JudgmentEvent, OnProgress, Pool, PoolEntry, Run
from assess.services.collection import collections
from assess.services.common import history
from assess.services.common.errors import Refused
from assess.services.common.wording import number, unit_word
from assess.services.formulas import visual_ids
from assess.services.jobs import job_queue
from assess.services.pool.content import cards_of


def freeze(pool: Pool, on_progress: OnProgress, by: User | None = None, job: Job | None = None) -> Pool:
    """Load the threads to show and seal every document; after this, nothing that assessors see can change."""
    if pool.frozen:
        raise Refused("The pool is already frozen.")
    require_up_to_date(pool)
    campaign = pool.campaign
    on_progress(0, 0, "looking up the documents")
    instances = list(Instance.objects.filter(entry__pool=pool).select_related("entry__topic").order_by("entry__topic"))
    load_pooled_threads(campaign, instances, on_progress)
    without_text = seal_all(campaign, instances, on_progress)
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)  # so that its rules do not change meanwhile
        require_up_to_date(pool)
        Pool.objects.filter(pk=pool.pk).update(frozen=timezone.now(), frozen_by=by, missing=without_text, job=job)
    pool.refresh_from_db()
    return pool


def require_up_to_date(pool: Pool) -> None:
    if reason := reason_to_rebuild(pool):
        raise Refused(f"Rebuild the pool before you freeze it: {reason}.")


def load_pooled_threads(campaign: Campaign, instances: list[Instance], on_progress: OnProgress) -> None:
    """Load the threads with the posts of these documents, so that they can be shown."""
    if campaign.collection and campaign.collection.has_posts:
        posts = {instance.post_id for instance in instances if instance.post_id}
        collections.load_threads(campaign.collection, posts, on_progress)


def seal_all(campaign: Campaign, instances: Iterable[Instance], on_progress: OnProgress) -> list[str]:
    """Store the hashes of documents, grouped by topic; returns the sorted ids of those without a text. One topic at a
    time, to keep locks short: the hashes are not used before the pool is frozen."""
    missing: set[str] = set()
    groups = [(topic, list(group)) for topic, group in groupby(instances, attrgetter("entry.topic"))]
    for place, (topic, group) in enumerate(groups):
        on_progress(place, len(groups), f"sealing topic {topic}")
        for document in cards_of(campaign, topic, group):
            document.instance.content_hash = document.content_hash
            if not document.body:
                missing.add(document.instance.doc_id)
        Instance.objects.bulk_update(group, ["content_hash"], batch_size=500)
    return sorted(missing)


def missing_texts(pool: Pool) -> set[str]:
    """The documents without a text: as recorded when the pool was frozen, or else by the current collection. A formula
    has the text of its post, a written answer its own."""
    if pool.frozen:
        return set(pool.missing)
    rows = Instance.objects.filter(entry__pool=pool).exclude(kind=Instance.Kind.WRITTEN)
    return collections.documents_without_text(pool.campaign.collection, dict(rows.values_list("doc_id", "post_id")))


def list_missing_texts(pool: Pool) -> list[tuple[Any, ...]]:
    """Topic, document, post (empty for a formula that is not in the index), runs and votes of each document without a
    text, in the order of the topics, most votes first."""
    missing = missing_texts(pool)
    instances = Instance.objects.filter(entry__pool=pool)
    instances = instances.order_by("entry__topic__number", "entry__topic__topic_id", "-votes", "doc_id")
    rows = instances.values_list("entry__topic__topic_id", "doc_id", "post_id", "runs", "votes")
    return [row for row in rows if row[1] in missing]  # Not in SQL: too many for a query.


def emptied_topics(pool: Pool) -> list[str]:
    """The topics that lost all of their documents when those without a text were left out."""
    left = set(pool.entries.values_list("topic__topic_id", flat=True).distinct()) if pool.left_out else set()
    return list(dict.fromkeys(topic for topic, _, _ in pool.left_out if topic not in left))


@transaction.atomic
def leave_out_missing(pool: Pool, by: User) -> Action:
    """Take the documents without a text, and emptied entries, out of an open pool, which records them."""
    job_queue.require_free(pool.campaign, {"pooling"})
    current = Pool.objects.select_for_update().get(pk=pool.pk)
    if current.frozen:
        raise Refused("The pool is frozen: its documents can no longer change.")
    rows = Instance.objects.filter(entry__pool=pool, doc_id__in=missing_texts(pool))
    gone = list(rows.order_by("pk").values_list("entry__topic__topic_id", "entry__unit_id", "doc_id"))
    rows.delete()
    PoolEntry.objects.filter(pool=pool, instances=None).delete()
    if not pool.entries.exists():
        raise Refused("No document of the pool has a text. Import its collection first.")
    Pool.objects.filter(pk=pool.pk).update(left_out=[*current.left_out, *map(list, gone)])
    action = f"Left {number(len(gone), 'document')} out of the pool. Rebuilding it brings them back"
    return history.note(by, action, pool.campaign, page="pool")


def is_judged(pool: Pool) -> bool:
    """Whether the pool was ever judged; undone judgments count, too."""
    return JudgmentEvent.objects.filter(instance__entry__pool=pool).exists()


@transaction.atomic
def unfreeze(pool: Pool, by: User) -> Action:
    """Open a frozen pool and delete its assignments. Raises Refused after the first judgment and beside a job."""
    job_queue.require_free(pool.campaign, {"pool", "pooling"})
    # A save references its assignment, so it commits before this or waits for it.
    assignments = Assignment.every.filter(round__pool=pool)
    list(assignments.select_for_update())
    if is_judged(pool):
        raise Refused("The pool has been judged, so it can no longer be unfrozen.")
    deleted = "Its assignments were deleted" if assignments.delete()[0] else "Nothing was assigned"
    Pool.objects.filter(pk=pool.pk).update(frozen=None, frozen_by=None)
    pool.refresh_from_db()
    return history.note(by, f"Pool unfrozen. {deleted}", pool.campaign, page="pool")


def run_records(runs: Iterable[Run]) -> list[dict[str, Any]]:
    """Runs as a pool records them. ``known``: how many of its documents are in the collection; of formulas, only these
    are pooled."""
    return [
        {
            "name": run.name,
            "team": run.team,
            "role": run.pool_role,
            "order": run.order,
            "sha256": run.sha256,
            "known": run.coverage.get("known"),
        }
        for run in runs
    ]


def reason_to_rebuild(pool: Pool) -> str:
    """Why an open pool must be built again before it is frozen, as the end of a sentence; empty if nothing has
    changed. The runs of an imported pool are unknown."""
    campaign = pool.campaign
    current = run_facts(run_records(campaign.pooled_runs()), campaign)
    changes = {
        "runs have changed": not pool.source and run_facts(pool.runs, campaign) != current,
        "rules have changed": pool.rules != campaign.rules,
        "the seed has changed": pool.seed != campaign.seed,
        "visual ids have changed": campaign.has_visual_ids
        and not visual_ids.is_current(campaign.collection, pool.visual_map),
    }
    reasons = [reason for reason, is_true in changes.items() if is_true]
    return f"{' and '.join(reasons)} since" if reasons else ""


def run_facts(records: list[dict[str, Any]], campaign: Campaign) -> set[tuple[Any, ...]]:
    names = ("sha256", "role", "known") if campaign.is_formulas else ("sha256", "role")
    return {tuple(record.get(name) for name in names) for record in records}


class Missing(NamedTuple):
    """How many of the different documents have no text."""

    documents: int
    of: int

    def __str__(self) -> str:
        share = percent(self.documents, self.of)
        return f"{self.documents:,} of {number(self.of, 'different document')} ({share:.1f} %)"


def missing_of(pool: Pool) -> Missing:
    documents = Instance.objects.filter(entry__pool=pool).values("doc_id").distinct().count()
    return Missing(len(missing_texts(pool)), documents)


def freeze_warning(pool: Pool, missing: Missing | None = None) -> str:
    """What an organizer should know before the freeze; ``missing``: if it is counted already."""
    if pool.frozen or not (missing := missing or missing_of(pool)).documents:
        return ""
    asked = ": assessors will be asked to choose “System failure” for each" * (SYSTEM_FAILURE in pool.rules.names)
    return f"{missing} without a text{asked}. Import a collection that has them first, or leave them out."


def require_frozen(campaign: Campaign) -> Pool:
    """The frozen pool. Raises Refused if there is none."""
    if pool := campaign.frozen_pool():
        return pool
    raise Refused("Nothing has been judged: the pool is not frozen.")


def pool_summary(pool: Pool) -> list[str]:
    counts = PoolEntry.objects.filter(pool=pool).aggregate(
        units=Count("pk", distinct=True), documents=Count("instances"), topics=Count("topic", distinct=True)
    )
    size = number(counts["units"], unit_word(pool.rules))
    if pool.rules.has_visual_ids:
        size += f" with {number(counts['documents'], pool.campaign.words.document)}"
    missing = missing_of(pool)
    whole = "every document has a text" if pool.frozen else "the collection has every document"
    return [
        f"{size} for {number(counts['topics'], 'topic')}",
        f"{missing} without a text" if missing.documents else whole,
    ]
