"""A frozen pool grows: by late runs, by topics that came later, by more depth. What was judged stays as it is."""

from collections.abc import Mapping
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from assess.ir.campaign.presets import Protocol
from assess.ir.common.rows import PoolLine
from assess.ir.pool.pooling import build_pool
from assess.models import Assignment, Campaign, Instance, Job, Pool, PoolEntry, Run
from assess.services.campaign.campaigns import topic_number
from assess.services.collection import collections
from assess.services.common.errors import Refused
from assess.services.jobs.job_queue import OnProgress
from assess.services.pool import pools, seeding, staleness
from assess.services.pool.presentation import presentation


class Change(NamedTuple):
    """What a pool is extended by. ``roles``: the pool role of each late run, by the run's key; ``depths``: fields of
    the protocol that grow; topics that the campaign has and the pool lacks come with it."""

    roles: Mapping[int, str]
    depths: Mapping[str, int]
    reason: str = ""


def late_runs(pool: Pool) -> list[Run]:
    """The runs that came after the pool was frozen, or were left out of it."""
    return list(pool.campaign.runs.filter(pool_role=Run.PoolRole.NONE))


def extended_rules(pool: Pool, change: Change) -> Protocol:
    """The protocol with the new depths. Raises Refused for one that shrinks, for what was judged must stay."""
    for name, value in change.depths.items():
        if value < (before := getattr(pool.rules, name)):
            raise Refused(f"The pool was made with {name.replace('_', ' ')} {before}; it can only grow.")
    return Protocol.from_dict({**pool.rules.to_dict(), **change.depths})


def fresh_lines(pool: Pool, change: Change, on_progress: OnProgress) -> list[PoolLine]:
    """What the change brings in: the units that the pool lacks, with their documents. A unit that is there keeps the
    documents it has, since they were judged together. Raises Refused for a pool that is open or not the newest."""
    require_extensible(pool)
    rules = extended_rules(pool, change)
    in_pool = {run["sha256"]: run["role"] for run in pool.runs}
    late = {run.pk: run for run in late_runs(pool)}
    if unknown := set(change.roles) - set(late):
        raise Refused(f"{len(unknown)} of these runs are in the pool already, or gone. Reload the page.")
    taken = [(run, in_pool[run.sha256]) for run in pool.campaign.runs.all() if run.sha256 in in_pool]
    taken += [(late[key], role) for key, role in change.roles.items()]
    if not taken:
        raise Refused("This pool came from a file. Choose at least one run to extend it with.")
    pooled = pools.as_pooled(pool.campaign, rules, taken, on_progress, pool.visual_map)
    lines = build_pool(pooled, rules, pool.seed, *seeding.places(pool.campaign, rules, pooled, pool.answer_pool))
    there = set(pool.entries.values_list("topic__topic_id", "unit_id"))
    fresh = [line for line in lines if (line.topic_id, line.unit_id) not in there]
    if not fresh:
        raise Refused("That brings nothing new into the pool: every unit is in it already.")
    return fresh


def require_extensible(pool: Pool) -> None:
    if not pool.frozen:
        raise Refused("This pool is not frozen. Build it again instead.")
    if pool.campaign.current_pool() != pool:
        raise Refused("There is a newer pool. Reload the page.")


class Growth(NamedTuple):
    """How much a topic gains."""

    topic_id: str
    units: int
    documents: int


def growth(lines: list[PoolLine]) -> list[Growth]:
    """By topic, in the order of their numbers, what an extension brings in."""
    found = [
        Growth(topic_id, len({line.unit_id for line in group}), len(group))
        for topic_id, rows in groupby(lines, attrgetter("topic_id"))
        for group in [list(rows)]
    ]
    return sorted(found, key=lambda one: (topic_number(one.topic_id), one.topic_id))


def without_text(pool: Pool, lines: list[PoolLine]) -> list[tuple[PoolLine, str]]:
    """What an extension brings in that has no text in the collection, by topic and votes, each with the post in which
    it stands; empty for a formula that the index lacks."""
    instances = pools.as_instances(pool.campaign, lines)
    places = {one.doc_id: one.post_id for one in instances if one.kind != Instance.Kind.WRITTEN}
    missing = collections.without_text(pool.campaign.collection, places)
    found = [line for line in lines if line.doc_id in missing]
    found.sort(key=lambda line: (topic_number(line.topic_id), line.topic_id, -line.votes, line.doc_id))
    return [(line, places[line.doc_id]) for line in found]


def extend(pool: Pool, change: Change, by: User, on_progress: OnProgress, job: Job | None = None) -> Pool:
    """Make the next version of a frozen pool. Its judgments, entries and assignments stay; who has a topic finds the
    new entries behind the old ones, in an order of their own. Raises Refused where nothing would be new."""
    lines = fresh_lines(pool, change, on_progress)
    instances = pools.as_instances(pool.campaign, lines)
    collection = pool.campaign.collection
    if collection and collection.has_posts:
        collections.load_threads(collection, {one.post_id for one in instances if one.post_id}, on_progress)
    on_progress(0, 0, f"adding {len(lines)} documents")
    with transaction.atomic():
        pool.job = job
        return store(pool, change, by, lines, instances)


def store(pool: Pool, change: Change, by: User, lines: list[PoolLine], instances: list[Instance]) -> Pool:
    # Whoever assigns a topic holds the pool: the assignment comes before this, and grows, or after, and has it all.
    Pool.objects.select_for_update().get(pk=pool.pk)
    # The rows of a save refer to its assignment, so its commit comes before this or waits for it.
    assignments = list(
        Assignment.objects.select_for_update().filter(round__pool=pool).select_related("topic", "assessor")
    )
    latest: int = pool.campaign.pools.aggregate(last=Max("version"))["last"]
    version = latest + 1
    units = pools.create_entries(pool, lines, version)
    for line, instance in zip(lines, instances, strict=True):
        instance.entry_id, instance.version = units[line.topic_id, line.unit_id], version
    Instance.objects.bulk_create(instances, batch_size=pools.BATCH)
    fresh = Instance.objects.filter(entry__pool=pool, version=version)
    fresh = fresh.select_related("entry__topic").order_by("entry__topic")
    missing = pools.seal_all(pool.campaign, fresh, lambda *_: None)
    for assignment in assignments:
        give_new_entries(assignment, pool, version)
    write_down(pool, change, by, version, missing)
    return pool


def give_new_entries(assignment: Assignment, pool: Pool, version: int) -> None:
    """The new entries of the topic, random and different for each assessor, behind those that are there."""
    new = presentation(pool, assignment.topic, assignment.assessor, version)
    assignment.order += new.order
    assignment.instance_order += new.instance_order
    assignment.save(update_fields=["order", "instance_order"])


def write_down(pool: Pool, change: Change, by: User, version: int, missing: list[str]) -> None:
    """The pool's new version, with what it was before in its history; the campaign's rules and roles follow."""
    pool.history = [*pool.history, as_it_was(pool)]
    pool.reason, pool.extended, pool.extended_by = change.reason, timezone.now(), by
    pool.version, pool.protocol = version, extended_rules(pool, change).to_dict()
    for key, role in change.roles.items():
        Run.objects.filter(pk=key).update(pool_role=role)
    late = Run.objects.filter(pk__in=change.roles)
    pool.runs = [*pool.runs, *(staleness.origin_of(run) for run in late)]
    pool.missing = sorted({*pool.missing, *missing})
    pool.save(
        update_fields=["history", "reason", "extended", "extended_by", "version", "protocol", "runs", "missing", "job"]
    )
    Campaign.objects.filter(pk=pool.campaign_id).update(protocol=pool.protocol)
    pool.campaign.refresh_from_db()


def as_it_was(pool: Pool) -> dict[str, object]:
    """A version of a pool in short: number, time, reason, rules, number of runs and of entries."""
    made, by = (pool.extended, pool.extended_by) if pool.extended else (pool.frozen, pool.frozen_by)
    return {
        "version": pool.version,
        "made": made.isoformat() if made else "",
        "by": by.username if by else "",
        "reason": pool.reason,
        "protocol": pool.protocol,
        "runs": len(pool.runs),
        "entries": PoolEntry.objects.filter(pool=pool, version__lte=pool.version).count(),
    }
