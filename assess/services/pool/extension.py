"""Extending a frozen pool: by late runs, later topics or more depth. Judgments are kept."""

from collections.abc import Mapping
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from assess.ir.campaign.protocol import OPTIONS, Protocol
from assess.ir.common.rows import PoolLine
from assess.ir.pool.pooling import build_pool
from assess.models import Assignment, Campaign, Instance, Job, OnProgress, Pool, PoolEntry, Round, Run
from assess.services.collection import collections
from assess.services.common.errors import Refused
from assess.services.pool import freezing, pools
from assess.services.pool.content import orders_of, presentation


class Extension(NamedTuple):
    """``roles``: the pool role of each late run, by its key; ``depths``: fields of the protocol that grow. Topics that
    are not in the pool yet are always added."""

    roles: Mapping[int, str]
    depths: Mapping[str, int]
    reason: str = ""


def late_runs(pool: Pool) -> list[Run]:
    return list(pool.campaign.runs.filter(pool_role__in=pool.rules.left_out))


def extended_rules(pool: Pool, change: Extension) -> Protocol:
    """The protocol with the new depths. Raises Refused if one shrinks, because judgments must be kept."""
    for name, value in change.depths.items():
        if name not in pool.rules.sizes:
            raise Refused(f"This pool has no {name}: it grows by {' or '.join(pool.rules.sizes)}.")
        if value > (most := int(OPTIONS[name].most or 0)):
            raise Refused(f"The {name.replace('_', ' ')} is at most {most}.")
        if value < (before := getattr(pool.rules, name)):
            raise Refused(f"The pool was made with {name.replace('_', ' ')} {before}. It can only grow.")
    return Protocol.from_dict({**pool.rules.to_dict(), **change.depths})


def new_lines(pool: Pool, change: Extension, on_progress: OnProgress) -> list[PoolLine]:
    """The units that the extension adds, with their documents. Units of the pool keep their documents, because these
    were judged together. Raises Refused for a pool that is open or not the newest."""
    if not pool.frozen:
        raise Refused("This pool is not frozen. Rebuild it instead.")
    if pool.campaign.current_pool() != pool:
        raise Refused("There is a newer pool. Reload the page.")
    rules = extended_rules(pool, change)
    late = {run.pk: run for run in late_runs(pool)}
    if unknown := set(change.roles) - set(late):
        raise Refused(f"{len(unknown)} of these runs are already in the pool or were deleted. Reload the page.")
    runs = [*pools.runs_in_pool(pool), *((late[key], role) for key, role in change.roles.items())]
    if not runs:
        raise Refused("This pool was imported from a file. Choose at least one run to extend it.")
    pooled = pools.as_pooled(pool.campaign, rules, runs, on_progress, pool.visual_map)
    lines = build_pool(pooled, rules, pool.seed)
    in_pool = set(pool.entries.values_list("topic__topic_id", "unit_id"))
    in_pool |= {(topic, unit) for topic, unit, _ in pool.left_out}
    new = [line for line in lines if (line.topic_id, line.unit_id) not in in_pool]
    if not new:
        raise Refused("This adds nothing: every unit is already in the pool.")
    return new


def missing_in(pool: Pool, lines: list[PoolLine]) -> freezing.Missing:
    instances = pools.as_instances(pool.campaign, lines)
    posts = {instance.doc_id: instance.post_id for instance in instances if instance.kind != Instance.Kind.WRITTEN}
    missing = collections.documents_without_text(pool.campaign.collection, posts)
    return freezing.Missing(len(missing), len({line.doc_id for line in lines}))


def extend(pool: Pool, change: Extension, by: User, on_progress: OnProgress, job: Job | None = None) -> Pool:
    """Make the next version of a frozen pool; assessors find the new entries last. Raises Refused if nothing is new."""
    lines = new_lines(pool, change, on_progress)
    instances = pools.as_instances(pool.campaign, lines)
    freezing.load_pooled_threads(pool.campaign, instances, on_progress)
    on_progress(0, 0, f"adding {len(lines)} documents")
    with transaction.atomic():
        pool.job = job
        return store_version(pool, change, by, lines, instances)


def store_version(pool: Pool, change: Extension, by: User, lines: list[PoolLine], instances: list[Instance]) -> Pool:
    # Assigning a topic locks the pool, too: an assignment is made before this, and grows, or after, with all entries.
    Pool.objects.select_for_update().get(pk=pool.pk)
    # A save references its assignment, so it commits before this or waits for it.
    assignments = list(
        Assignment.objects.select_for_update(of=("self",))
        .filter(round__pool=pool, handed_over=None)
        .exclude(round__kind=Round.Kind.ADJUDICATION)
        .select_related("topic", "assessor")
    )
    version = pools.next_version(pool.campaign)
    pools.create_entries(pool, lines, instances, version)
    new = Instance.objects.filter(entry__pool=pool, version=version)
    new = new.select_related("entry__topic").order_by("entry__topic")
    missing = freezing.seal_all(pool.campaign, new, lambda *_: None)
    for assignment in assignments:  # The new entries come after the old ones, in a random order for each assessor.
        orders = orders_of(presentation(pool, assignment.topic, assignment.assessor, version))
        assignment.order += orders["order"]
        assignment.instance_order += orders["instance_order"]
        assignment.save(update_fields=["order", "instance_order"])
    pool.missing = sorted({*pool.missing, *missing})
    record_version(pool, change, by, version)
    return pool


def record_version(pool: Pool, change: Extension, by: User, version: int) -> None:
    """Set the pool's new version, add the old one to its history, and update the campaign's rules and roles."""
    pool.history = [*pool.history, version_summary(pool)]
    pool.reason, pool.extended, pool.extended_by = change.reason, timezone.now(), by
    pool.version, pool.protocol = version, extended_rules(pool, change).to_dict()
    for key, role in change.roles.items():
        Run.objects.filter(pk=key).update(pool_role=role)
    pool.runs = [*pool.runs, *freezing.run_records(Run.objects.filter(pk__in=change.roles))]
    pool.save(
        update_fields=["history", "reason", "extended", "extended_by", "version", "protocol", "runs", "missing", "job"]
    )
    current = Campaign.objects.get(pk=pool.campaign_id).rules.guidelines  # they may have changed since the freeze
    Campaign.objects.filter(pk=pool.campaign_id).update(protocol=pool.protocol | {"guidelines": list(current)})
    pool.campaign.refresh_from_db()


def version_summary(pool: Pool) -> dict[str, object]:
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
