"""Pools: built from runs or imported from a file, stored with a version, written as files."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, BinaryIO, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Max
from django.utils import timezone

from assess import models
from assess.ir.campaign.protocol import Protocol
from assess.ir.common.problems import Problems
from assess.ir.common.rows import PoolLine
from assess.ir.formats.pools import read_pool, write_pool
from assess.ir.pool.pooling import PooledRun, build_pool
from assess.ir.runs.ranking import resolve, with_units
from assess.models import Campaign, Instance, JudgmentSource, OnProgress, Pool, PoolEntry
from assess.models.run import LONGEST_FILE_NAME
from assess.services.campaign.campaigns import lock_for_change, require_unfrozen
from assess.services.collection import collections
from assess.services.common import history
from assess.services.common.errors import Refused
from assess.services.formulas import visual_ids
from assess.services.jobs import job_queue
from assess.services.pool import freezing
from assess.services.runs import runs

BATCH = 1000
STORED = attrgetter("topic_id", "unit_id", "doc_id")
"""The order in which a pool is stored. Not by votes: assessors can see the keys of these rows in the source of a
page."""


def build(campaign: Campaign, on_progress: OnProgress) -> Pool:
    """Pool the runs by the protocol, in place of an open pool. Raises Refused if runs or topics are missing."""
    require_unfrozen(campaign, "the pool")
    pooled = pooled_runs(campaign, on_progress)
    on_progress(0, 0, "counting votes")
    lines = build_pool(pooled, campaign.rules, campaign.seed)
    if not lines:
        raise Refused("No run has anything to pool for the campaign’s topics. Check topics, pool roles and collection.")
    return store_pool(campaign, lines)


def pooled_runs(campaign: Campaign, on_progress: OnProgress) -> list[PooledRun]:
    """The runs with a pool role, without documents that cannot be judged and topics of other campaigns."""
    roles = [(run, run.pool_role) for run in campaign.pooled_runs()]
    if not roles or not campaign.topics.exists():
        raise Refused("A pool needs topics and at least one run with a pool role. Import them first.")
    return as_pooled(campaign, campaign.rules, roles, on_progress)


def as_pooled(
    campaign: Campaign,
    rules: Protocol,
    roles: Sequence[tuple[models.Run, str]],
    on_progress: OnProgress,
    visual_map: models.VisualMap | None = None,
) -> list[PooledRun]:
    """These runs with their roles, without documents that cannot be judged, by the current or these visual ids."""
    topics = list(campaign.topics.values_list("topic_id", flat=True))
    on_progress(0, 0, f"reading {len(roles)} runs")
    rankings = runs.load_poolable([run for run, _ in roles], topics)
    if rules.unit == "document":
        rankings = [resolve(ranking, None) for ranking in rankings]
    elif visual_map and not visual_ids.is_current(campaign.collection, visual_map):
        units = visual_ids.units_of_rankings(visual_map, rankings)
        rankings = [with_units(ranking, units) for ranking in rankings]
    return [
        PooledRun(run.name, role, ranking, run.is_written)  # type: ignore[arg-type]
        for (run, role), ranking in zip(roles, rankings, strict=True)
    ]


def runs_in_pool(pool: Pool) -> list[tuple[models.Run, str]]:
    """The runs of the pool that the campaign still has, with their roles in the pool."""
    roles = {record["sha256"]: record["role"] for record in pool.runs}
    return [(run, roles[run.sha256]) for run in pool.campaign.runs.filter(sha256__in=roles)]


def import_pool(campaign: Campaign, source: BinaryIO, name: str) -> Pool:
    """Import a pool made elsewhere, in the format of ``manage.py pool``. Raises BadInput unless the topics are the
    campaign's, the units of formulas are their visual ids in the index, and those of answers the answers themselves."""
    require_unfrozen(campaign, "the pool")
    lines = read_pool(source, name)
    topics = set(campaign.topics.values_list("topic_id", flat=True))
    units = {line.doc_id: line.doc_id for line in lines}
    if campaign.has_visual_ids:
        units = visual_ids.unit_ids(campaign.collection, units)
    problems = Problems(name)
    for number, line in enumerate(lines, start=2):
        unit = units.get(line.doc_id, line.unit_id)
        if line.topic_id not in topics:
            problems.add(number, f"unknown topic {line.topic_id}: import its topics first")
        elif unit != line.unit_id:
            problems.add(number, f"unit {line.unit_id} of document {line.doc_id} should be {unit}")
    problems.check()
    return store_pool(campaign, lines, source=name)


def store_pool(campaign: Campaign, lines: list[PoolLine], *, source: str = "") -> Pool:
    """Write a pool, replacing one that is not frozen. ``source``: the name of its file, if imported."""
    lines = sorted(lines, key=STORED)
    instances = as_instances(campaign, lines)
    with transaction.atomic():
        delete_open_pool(campaign)
        runs = [] if source else freezing.run_records(campaign.pooled_runs())
        return create_pool(campaign, lines, instances, source, version=next_version(campaign), runs=runs)


@transaction.atomic
def store_training_pool(
    campaign: Campaign, lines: list[PoolLine], source: str, by: User, judgment_source: JudgmentSource | None = None
) -> Pool:
    """Write the pool of a training or qualification round, frozen at once. The threads of its documents must be
    stored. ``judgment_source``: where its gold grades come from, if not from a file."""
    lines = sorted(lines, key=STORED)
    version = 1 + Pool.every.filter(campaign=campaign, is_training=True).count()
    frozen = {"frozen": timezone.now(), "frozen_by": by, "is_training": True, "judgment_source": judgment_source}
    pool = create_pool(campaign, lines, as_instances(campaign, lines), source, version=version, **frozen)
    instances = list(Instance.objects.filter(entry__pool=pool).select_related("entry__topic").order_by("entry__topic"))
    freezing.seal_all(campaign, instances, lambda *_: None)
    return pool


def next_version(campaign: Campaign) -> int:
    return int(campaign.pools.aggregate(last=Max("version"))["last"] or 0) + 1


def create_pool(
    campaign: Campaign, lines: list[PoolLine], instances: list[Instance], source: str, **fields: Any
) -> Pool:
    """A pool by the rules of its campaign as they are now, with its entries."""
    version = visual_ids.current_version(campaign.collection) if campaign.has_visual_ids else None
    made_by = {"protocol": campaign.protocol, "seed": campaign.seed, "visual_map": version}
    pool = Pool.every.create(campaign=campaign, source=source[:LONGEST_FILE_NAME], **made_by, **fields)
    create_entries(pool, lines, instances, pool.version)
    return pool


def create_entries(pool: Pool, lines: list[PoolLine], instances: list[Instance], version: int) -> None:
    chosen = models.Topic.every.filter(campaign=pool.campaign, is_training=pool.is_training)
    topics = {topic.topic_id: topic for topic in chosen}
    units = sorted({(line.topic_id, line.unit_id) for line in lines})
    PoolEntry.objects.bulk_create(
        [PoolEntry(pool=pool, topic=topics[topic_id], unit_id=unit_id, version=version) for topic_id, unit_id in units],
        batch_size=BATCH,
    )
    rows = pool.entries.values_list("pk", "topic__topic_id", "unit_id")
    entries = {(topic, unit): pk for pk, topic, unit in rows}
    for line, instance in zip(lines, instances, strict=True):
        instance.entry_id, instance.version = entries[line.topic_id, line.unit_id], version
    Instance.objects.bulk_create(instances, batch_size=BATCH)


def as_instances(campaign: Campaign, lines: list[PoolLine]) -> list[Instance]:
    documents = {line.doc_id for line in lines}
    if campaign.is_formulas:
        rows = collections.index_rows(campaign.collection, documents) if campaign.collection else {}
        places = dict.fromkeys(documents, (Instance.Kind.FORMULA, ""))
        places |= {doc_id: (Instance.Kind.FORMULA, row.post_id) for doc_id, row in rows.items()}
    else:
        written = models.WrittenAnswer.objects.filter(topic__campaign=campaign).values_list("doc_id", flat=True)
        places = {doc_id: (Instance.Kind(campaign.rules.kind.instance), doc_id) for doc_id in documents}
        places |= dict.fromkeys(written, (Instance.Kind.WRITTEN, ""))
    return [
        Instance(doc_id=doc_id, kind=kind, post_id=post_id, votes=votes, runs=runs)
        for _, _, doc_id, votes, runs in lines
        for kind, post_id in [places[doc_id]]
    ]


@transaction.atomic
def discard_pool(campaign: Campaign, by: User) -> models.Action:
    """Delete a pool that is not frozen. Raises Refused for a frozen one, and while a job changes or reads it."""
    job_queue.require_free(campaign, {"pool"})
    lock_for_change(campaign, "the pool")
    delete_open_pool(campaign)
    return history.note(by, "Pool discarded", campaign, page="pool")


def delete_open_pool(campaign: Campaign) -> None:
    if (pool := campaign.current_pool()) and not pool.frozen:
        pool.delete()


def pool_as_file(pool: Pool, version: int | None = None) -> str:
    """The pool in the format of ``manage.py pool``; an earlier version of it if given."""
    instances = Instance.objects.filter(entry__pool=pool, version__lte=version or pool.version)
    rows = instances.values_list("entry__topic__topic_id", "entry__unit_id", "doc_id", "votes", "runs")
    lines = [PoolLine(*row) for row in rows]
    return write_pool(sorted(lines, key=lambda line: (line.topic_id, -line.votes, line.unit_id, line.doc_id)))


class TopicCount(NamedTuple):
    """The size of a topic in a pool: units to judge, and their documents."""

    topic: models.Topic
    entries: int
    documents: int


def topic_counts(pool: Pool) -> list[TopicCount]:
    """The sizes of the pool's topics, in two queries."""
    counted = pool.entries.order_by("topic_id").values("topic_id")
    rows = counted.annotate(units=Count("pk", distinct=True), documents=Count("instances"))
    sizes = {row["topic_id"]: (row["units"], row["documents"]) for row in rows}
    return [TopicCount(topic, *sizes[topic.pk]) for topic in pool.campaign.topics.all() if topic.pk in sizes]
