"""A pool of exactly what a source of judgments has judged: for a collection whose judgments were published."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from assess.ir.common.ids import wrong_id
from assess.ir.common.problems import Problems
from assess.ir.common.rows import PoolLine, SourceRow
from assess.models import Assignment, Campaign, GoldGrade, Instance, Job, JudgmentSource, Pool
from assess.services.campaign.campaigns import require_open
from assess.services.common.errors import Refused
from assess.services.formulas import visual_ids
from assess.services.jobs import job_queue
from assess.services.jobs.job_queue import OnProgress
from assess.services.pool import freezing, judgment_sources, pools, seeding

Items = JudgmentSource.Items
OF_UNIT = "unit:"
"""Begins the id of the one document of a visual id whose judged instances are unknown."""


def make(campaign: Campaign, source: JudgmentSource, by: User, on_progress: OnProgress, job: Job | None = None) -> Pool:
    """Make a pool of the items of a source and freeze it. The grades of the source become the gold grades of its
    documents, which topic set and statistics count until somebody judges the pool. Raises BadInput for topics that the
    campaign does not have, and for formulas without a visual id."""
    require_open(campaign, "the pool")
    on_progress(0, 3, "reading the judgments")
    rows = judgment_sources.rows_of(source)
    lines = pools.in_store(lines_of(campaign, source, rows))
    instances = pools.as_instances(campaign, lines)
    freezing.load_threads(campaign, instances, on_progress)
    on_progress(1, 3, f"sealing {len(lines):,} documents")
    missing = seal(campaign, lines, instances)
    on_progress(2, 3, f"storing {len(lines):,} documents")
    about: dict[str, Any] = {
        "source": f"{source} ({source.file_name})",
        "judgment_source": source,
        "missing": missing,
        "job": job,
    }
    with transaction.atomic():
        # As in every freeze, the pool of answers must not be unfrozen meanwhile.
        list(job_queue.sharing(campaign).select_for_update().order_by("pk"))
        answers = seeding.answer_pool_of(campaign)
        about |= {"frozen": timezone.now(), "frozen_by": by}
        pool = pools.store(campaign, lines, answers, instances=instances, **about)
        store_gold(source, rows, lines, instances)
    return pool


def is_judged_elsewhere(pool: Pool | None) -> bool:
    """Whether it was made from a source of judgments and nobody judges it: then it needs no texts and no assessors."""
    if pool is None or pool.judgment_source_id is None:
        return False
    return not Assignment.objects.filter(round__pool=pool).exists()


def seal(campaign: Campaign, lines: Sequence[PoolLine], instances: Sequence[Instance]) -> list[str]:
    """Set the hashes of what is shown for the documents; returns those without a text, sorted."""
    by_topic: defaultdict[str, list[Instance]] = defaultdict(list)
    for line, instance in zip(lines, instances, strict=True):
        by_topic[line.topic_id].append(instance)
    topics = campaign.topics.filter(topic_id__in=by_topic)
    return sorted(
        {doc for topic in topics for doc in freezing.hash_contents(campaign, topic, by_topic[topic.topic_id])}
    )


def lines_of(campaign: Campaign, source: JudgmentSource, rows: Sequence[SourceRow]) -> list[PoolLine]:
    """A line for each item; without runs it has no votes."""
    units = units_of(campaign, source, {row.item_id for row in rows})
    topics = set(campaign.topics.values_list("topic_id", flat=True))
    problems, lines = Problems(source.file_name), []
    for row in rows:
        document = document_of(source, row)
        unit = units.get(row.item_id, "")
        if row.topic_id not in topics:
            problems.add(0, f"unknown topic {row.topic_id}: import its topics first")
        elif not unit:
            problems.add(
                0,
                f"formula {row.item_id} has no visual id: import an index that has it; if it is a visual id, "
                f"delete the source and import the file again as judgments of visual ids",
            )
        elif wrong := wrong_id(document):
            problems.add(0, f"the document {wrong}")
        lines.append(PoolLine(row.topic_id, unit, document, 0.0, 0))
    problems.check()
    return lines


def units_of(campaign: Campaign, source: JudgmentSource, items: Iterable[str]) -> dict[str, str]:
    """The unit of each item that has one. Raises Refused for formulas without an index."""
    if source.items == Items.UNIT or not campaign.has_visual_ids:
        return {item: item for item in items}
    if campaign.collection is None:
        raise Refused("Import the formula index first: it says which formulas look alike.")
    return visual_ids.unit_ids(campaign.collection, set(items))


def store_gold(
    source: JudgmentSource, rows: Iterable[SourceRow], lines: Iterable[PoolLine], instances: Iterable[Instance]
) -> None:
    """The grades of the source, by document; an outcome leaves it without."""
    grades = {(row.topic_id, document_of(source, row)): row.grade for row in rows}
    graded = ((instance, grades[line.topic_id, line.doc_id]) for line, instance in zip(lines, instances, strict=True))
    GoldGrade.objects.bulk_create(
        (GoldGrade(instance=instance, grade=grade) for instance, grade in graded if grade is not None),
        batch_size=pools.BATCH,
    )


def document_of(source: JudgmentSource, row: SourceRow) -> str:
    return OF_UNIT + row.item_id if source.items == Items.UNIT else row.item_id
