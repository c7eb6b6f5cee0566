"""A pool of exactly what a source of judgments has judged: for a collection whose judgments were published."""

from collections.abc import Iterable, Sequence

from django.contrib.auth.models import User

from assess.ir.common.ids import wrong_id
from assess.ir.common.problems import Problems
from assess.ir.common.rows import PoolLine, SourceRow
from assess.models import Campaign, GoldGrade, Instance, Job, JudgmentSource, Pool
from assess.services.campaign.campaigns import require_open
from assess.services.common.errors import Refused
from assess.services.formulas import visual_ids
from assess.services.jobs.job_queue import OnProgress
from assess.services.pool import judgment_sources, pools, seeding

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
    lines = lines_of(campaign, source, rows)
    on_progress(1, 3, f"storing {len(lines):,} documents")
    name = f"{source} ({source.file_name})"
    pool = pools.store(campaign, lines, seeding.answer_pool_of(campaign), source=name, judgment_source=source)
    store_gold(pool, rows, lines)
    return pools.freeze(pool, on_progress, by, job)


def lines_of(campaign: Campaign, source: JudgmentSource, rows: Sequence[SourceRow]) -> list[PoolLine]:
    """A line for each item; without runs it has no votes."""
    units = units_of(campaign, source, {row.item_id for row in rows})
    topics = set(campaign.topics.values_list("topic_id", flat=True))
    problems, lines = Problems(source.file_name), []
    for row in rows:
        document = OF_UNIT + row.item_id if source.items == Items.UNIT else row.item_id
        unit = units.get(row.item_id, "")
        if row.topic_id not in topics:
            problems.add(0, f"unknown topic {row.topic_id}: import its topics first")
        elif not unit:
            problems.add(
                0, f"formula {row.item_id} has no visual id: import an index that has it, or qrels by visual id"
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
        raise Refused("Import the formula index first: it says which formulas look alike. Or use qrels by visual id.")
    return visual_ids.unit_ids(campaign.collection, set(items))


def store_gold(pool: Pool, rows: Iterable[SourceRow], lines: Iterable[PoolLine]) -> None:
    """The grades of the source, by document; an outcome leaves it without."""
    grades = {(line.topic_id, line.doc_id): row.grade for row, line in zip(rows, lines, strict=True)}
    instances = Instance.objects.filter(entry__pool=pool).values_list("pk", "entry__topic__topic_id", "doc_id")
    graded = ((pk, grades[topic, document]) for pk, topic, document in instances)
    GoldGrade.objects.bulk_create(
        (GoldGrade(instance_id=pk, grade=grade) for pk, grade in graded if grade is not None),
        batch_size=pools.BATCH,
    )
