"""Pools: built from runs or taken from a file, frozen for judging, unfrozen until the first judgment."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO, NamedTuple

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Max
from django.utils import timezone

from assess.ir.campaign.presets import Protocol
from assess.ir.common.problems import Problems
from assess.ir.common.rows import PoolLine
from assess.ir.formats.pools import read_pool, write_pool
from assess.ir.pool.pooling import PooledRun, build_pool, in_order
from assess.ir.runs.ranking import resolve, with_units
from assess.models import (
    Assignment,
    Campaign,
    Instance,
    Job,
    JudgmentEvent,
    Pool,
    PoolEntry,
    Run,
    Topic,
    VisualMap,
    WrittenAnswer,
)
from assess.services.campaign.campaigns import hold, require_open
from assess.services.collection import collections
from assess.services.common import workspace
from assess.services.common.errors import Refused
from assess.services.formulas import visual_ids
from assess.services.jobs import job_queue
from assess.services.jobs.job_queue import OnProgress
from assess.services.pool import seeding, staleness
from assess.services.pool.content import shown
from assess.services.runs import runs

BATCH = 1000


def build(campaign: Campaign, on_progress: OnProgress) -> Pool:
    """Pool the runs by the campaign's protocol; replaces a pool that is not frozen. Raises Refused where runs or
    topics are missing."""
    require_open(campaign, "the pool")
    pooled, answer_pool = pooled_runs(campaign, on_progress), seeding.answer_pool_of(campaign)
    on_progress(0, 0, "counting votes")
    places = seeding.places(campaign, campaign.rules, pooled, answer_pool)
    lines = build_pool(pooled, campaign.rules, campaign.seed, *places)
    if not lines:
        raise Refused(
            "No run retrieved anything for the campaign's topics that could be pooled. Check topics, "
            "pool roles and, for formulas, the index."
        )
    return store(campaign, lines, answer_pool)


def pooled_runs(campaign: Campaign, on_progress: OnProgress) -> list[PooledRun]:
    """The runs with a pool role, without what cannot be judged and topics that the campaign does not have."""
    taken = list(campaign.runs.pooled())
    if not taken or not campaign.topics.exists():
        raise Refused("A pool needs topics and at least one run with a pool role. Import them first.")
    return as_pooled(campaign, campaign.rules, [(run, run.pool_role) for run in taken], on_progress)


def as_pooled(
    campaign: Campaign,
    rules: Protocol,
    taken: Sequence[tuple[Run, str]],
    on_progress: OnProgress,
    visual_map: VisualMap | None = None,
) -> list[PooledRun]:
    """These runs with the roles they have in the pool, without what cannot be judged; formulas under the visual ids of
    this version, the current one unless told."""
    topics = list(campaign.topics.values_list("topic_id", flat=True))
    on_progress(0, 0, f"reading {len(taken)} runs")
    rankings = runs.load_poolable([run for run, _ in taken], topics)
    if rules.unit == "document":
        rankings = [resolve(ranking, None) for ranking in rankings]
    elif visual_map and not visual_ids.is_current(campaign.collection, visual_map):
        units = visual_ids.units_of(visual_map, rankings)
        rankings = [with_units(ranking, units) for ranking in rankings]
    return [
        PooledRun(run.name, role, ranking, run.is_written, run.kind == Run.Kind.BASELINE)  # type: ignore[arg-type]
        for (run, role), ranking in zip(taken, rankings, strict=True)
    ]


def import_file(campaign: Campaign, source: BinaryIO, name: str) -> Pool:
    """Take over a pool made elsewhere, in the format that ``manage.py pool`` prints. Raises BadInput for lines of
    topics that the campaign does not have and for formulas whose visual id is not the index's."""
    require_open(campaign, "the pool")
    lines = read_pool(source, name)
    check_fits(campaign, lines, name)
    return store(campaign, lines, seeding.answer_pool_of(campaign), source=name)


def check_fits(campaign: Campaign, lines: list[PoolLine], name: str) -> None:
    """Raises BadInput unless the topics are the campaign's, formulas stand under the visual id that the index gives
    them, and answers under their own id."""
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


def store(campaign: Campaign, lines: list[PoolLine], answer_pool: seeding.AnswerPool, *, source: str = "") -> Pool:
    """Write a pool, from a file or made from the runs; one that was not frozen gives way to it."""
    # By id, not by votes: assessors can read the numbers of these rows in the source of a page.
    lines = sorted(lines, key=attrgetter("topic_id", "unit_id", "doc_id"))
    instances = as_instances(campaign, lines)
    with transaction.atomic():
        drop_open_pool(campaign)
        version = (campaign.pools.aggregate(last=Max("version"))["last"] or 0) + 1
        pool = Pool.objects.create(
            campaign=campaign,
            version=version,
            protocol=campaign.protocol,
            seed=campaign.seed,
            runs=[] if source else staleness.origin(campaign),
            source=source,
            answer_pool=answer_pool,
            visual_map=visual_ids.current(campaign.collection) if campaign.has_visual_ids else None,
        )
        entries = create_entries(pool, lines, version)
        for line, instance in zip(lines, instances, strict=True):
            instance.entry_id, instance.version = entries[line.topic_id, line.unit_id], version
        Instance.objects.bulk_create(instances, batch_size=BATCH)
    return pool


def create_entries(pool: Pool, lines: Iterable[PoolLine], version: int) -> dict[tuple[str, str], int]:
    """An entry for each unit, which come with this version; returns the keys of all by topic and unit."""
    topics = {topic.topic_id: topic for topic in pool.campaign.topics.all()}
    units = sorted({(line.topic_id, line.unit_id) for line in lines})
    PoolEntry.objects.bulk_create(
        [PoolEntry(pool=pool, topic=topics[topic_id], unit_id=unit_id, version=version) for topic_id, unit_id in units],
        batch_size=BATCH,
    )
    return {(topic, unit): pk for pk, topic, unit in pool.entries.values_list("pk", "topic__topic_id", "unit_id")}


def as_instances(campaign: Campaign, lines: list[PoolLine]) -> list[Instance]:
    """One row for each line, with the post in which the document stands."""
    documents = {line.doc_id for line in lines}
    if campaign.is_formulas:
        found = collections.formula_rows(campaign.collection, documents) if campaign.collection else {}
        places = dict.fromkeys(documents, (Instance.Kind.FORMULA, ""))
        places |= {doc_id: (Instance.Kind.FORMULA, row.post_id) for doc_id, row in found.items()}
    else:
        written = WrittenAnswer.objects.filter(topic__campaign=campaign).values_list("doc_id", flat=True)
        places = {doc_id: (Instance.Kind.POST, doc_id) for doc_id in documents}
        places |= dict.fromkeys(written, (Instance.Kind.WRITTEN, ""))
    return [
        Instance(
            doc_id=line.doc_id,
            kind=places[line.doc_id][0],
            post_id=places[line.doc_id][1],
            votes=line.votes,
            runs=line.runs,
        )
        for line in lines
    ]


@transaction.atomic
def discard(campaign: Campaign) -> None:
    """Throw away a pool that is not frozen. Raises Refused for a frozen one, and while a job is at work on it."""
    hold(campaign, "the pool")
    drop_open_pool(campaign)


def folder(pool: Pool) -> Path:
    """Where what is found out about a pool lies."""
    return Path(settings.MEDIA_ROOT, "pools", str(pool.pk))


def drop_open_pool(campaign: Campaign) -> None:
    if (pool := campaign.current_pool()) and not pool.frozen:
        workspace.discard(folder(pool))
        pool.delete()


def with_version(campaign: Campaign, version: int) -> Pool | None:
    """The pool that has this version or had it before it was extended."""
    pools = campaign.pools.all()
    return next((one for one in pools if version in (one.version, *(was["version"] for was in one.history))), None)


def as_file(pool: Pool, version: int | None = None) -> str:
    """The pool in the format of ``manage.py pool``; with a version, as it was before it was extended."""
    found = Instance.objects.filter(entry__pool=pool, version__lte=version or pool.version)
    rows = found.values_list("entry__topic__topic_id", "entry__unit_id", "doc_id", "votes", "runs")
    return write_pool(in_order(PoolLine(*row) for row in rows))


def freeze(pool: Pool, on_progress: OnProgress, by: User | None = None, job: Job | None = None) -> Pool:
    """Load the threads to show, note which texts the collection lacks, seal every document with the hash of what
    is shown for it. From here on nothing that assessors see can change."""
    if pool.frozen:
        raise Refused("The pool is frozen already.")
    require_current(pool)
    campaign = pool.campaign
    on_progress(0, 0, "looking up the documents")
    instances = list(Instance.objects.filter(entry__pool=pool).select_related("entry__topic").order_by("entry__topic"))
    if campaign.collection and campaign.collection.has_posts:
        collections.load_threads(campaign.collection, {one.post_id for one in instances if one.post_id}, on_progress)
    without = seal_all(campaign, instances, on_progress)
    with transaction.atomic():
        list(
            job_queue.sharing(campaign).select_for_update().order_by("pk")
        )  # No pool of answers is unfrozen meanwhile.
        require_current(pool)
        Pool.objects.filter(pk=pool.pk).update(frozen=timezone.now(), frozen_by=by, missing=without, job=job)
    pool.refresh_from_db()
    return pool


def require_current(pool: Pool) -> None:
    if reason := staleness.outdated(pool):
        raise Refused(f"Make the pool again, then freeze it: {reason}.")


def seal_all(campaign: Campaign, instances: Iterable[Instance], on_progress: OnProgress) -> list[str]:
    """Store what documents show, which come topic by topic; returns those without a text, in their order."""
    missing: set[str] = set()
    groups = [(topic, list(group)) for topic, group in groupby(instances, attrgetter("entry.topic"))]
    for number, (topic, group) in enumerate(groups):
        on_progress(number, len(groups), f"sealing topic {topic}")
        missing.update(seal(campaign, topic, group))
    return sorted(missing)


def seal(campaign: Campaign, topic: Topic, instances: list[Instance]) -> list[str]:
    """Store the hashes of a topic's documents; returns those without a text. Topic by topic, so that nobody's save
    waits for long: until the pool is frozen the hashes mean nothing."""
    candidates = shown(campaign, topic, instances)
    for candidate in candidates:
        candidate.instance.content_hash = candidate.content_hash
    Instance.objects.bulk_update(instances, ["content_hash"], batch_size=500)
    return [one.instance.doc_id for one in candidates if not one.body]


def without_text(pool: Pool) -> set[str]:
    """The documents whose text the collection does not hold. A formula has the text of its post, a written answer
    its own."""
    rows = Instance.objects.filter(entry__pool=pool).exclude(kind=Instance.Kind.WRITTEN)
    return collections.without_text(pool.campaign.collection, dict(rows.values_list("doc_id", "post_id")))


def missing(pool: Pool) -> set[str]:
    """The documents without a text: of a frozen pool as it was frozen, of an open one as the collection is now."""
    return set(pool.missing) if pool.frozen else without_text(pool)


def is_judged(pool: Pool) -> bool:
    """Whether anything was ever decided in the pool; what was taken back counts, too."""
    return JudgmentEvent.objects.filter(instance__entry__pool=pool).exists()


@transaction.atomic
def unfreeze(pool: Pool) -> None:
    """Open a frozen pool again, which is possible until its first judgment; assignments are taken back. One that has
    seeded a frozen pool stays as it was."""
    job_queue.require_free(pool.campaign, Job.Kind.POOL)
    # The rows of a save refer to its assignment, so its commit comes before this or waits for it.
    assignments = Assignment.every.filter(round__pool=pool)
    list(assignments.select_for_update())
    if is_judged(pool):
        raise Refused("The pool has been judged; it stays as it is.")
    if formulas_pool := seeding.seeded_from(pool):
        raise Refused(f"The frozen pool of {formulas_pool.campaign} was seeded from this one. Unfreeze that one first.")
    assignments.delete()
    Pool.objects.filter(pk=pool.pk).update(frozen=None, frozen_by=None)
    pool.refresh_from_db()


class TopicCount(NamedTuple):
    """How much a topic brings to a pool: units to judge, and the documents that stand for them."""

    topic: Topic
    entries: int
    documents: int


def by_topic(pool: Pool) -> list[TopicCount]:
    """The topics of a pool with their sizes, in two queries."""
    counted = pool.entries.order_by("topic_id").values("topic_id")
    rows = counted.annotate(units=Count("pk", distinct=True), documents=Count("instances"))
    sizes = {row["topic_id"]: (row["units"], row["documents"]) for row in rows}
    return [TopicCount(topic, *sizes[topic.pk]) for topic in pool.campaign.topics.all() if topic.pk in sizes]
