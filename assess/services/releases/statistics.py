"""The statistics of a campaign, as the labs' overview papers report them."""

from collections import Counter, defaultdict
from statistics import fmean, median
from typing import NamedTuple

from django.db.models import Count

from assess.ir.common.rows import GRADES
from assess.ir.releases.retention import REMOVED, TEST
from assess.ir.scores.breakdowns import NOT_NOTED, order_categories
from assess.ir.scores.statistics import Spread, highest_p10, spread
from assess.models import Campaign, Judgment, Pool
from assess.services.releases.qrels import official_grades
from assess.services.releases.topic_set import TopicCounts, count_topics


class Statistics(NamedTuple):
    """Over the topics of the test set. ``spreads``: by topic, of units and, for formulas, of instances; ``highest``:
    the highest possible P'@10; ``mean_seconds``, ``median_seconds``: of attention, over all official judgments
    that were timed, None without any; ``categories``: each category of the topic sheet with its number of topics, and
    how many official judgments have each grade, the highest first."""

    topics: list[TopicCounts]
    removed: list[str]
    spreads: list[Spread]
    highest: float
    mean_seconds: float | None
    median_seconds: float | None
    categories: list[tuple[str | int, ...]]


def campaign_statistics(campaign: Campaign) -> Statistics | None:
    """None before a topic has a grade. In a fixed number of queries."""
    pool = campaign.frozen_pool()
    rows = count_topics(campaign, pool)
    topics = [row for row in rows if row.kind == TEST]
    if pool is None or not topics:
        return None
    sizes = dict(pool.entries.order_by().values_list("topic").annotate(Count("pk")))
    pooled = {row.topic.topic_id: sizes.get(row.topic.pk, 0) for row in topics}
    relevant = {row.topic.topic_id: row.counts.hm_units for row in topics}
    removed = [row.topic.topic_id for row in rows if row.kind == REMOVED]
    units = "formulas" if campaign.is_formulas else "answers"
    spreads = [spread(f"Pooled {units}", pooled), *spreads_of(topics, "units", units)]
    spreads += spreads_of(topics, "documents", "instances") if campaign.is_formulas else []
    timed = Judgment.objects.filter(assignment__round__pool=pool, assignment__official=True, active_ms__gt=0)
    times = list(timed.order_by().values_list("active_ms", flat=True))
    return Statistics(
        topics,
        removed,
        spreads,
        highest_p10(relevant),
        fmean(times) / 1000 if times else None,
        median(times) / 1000 if times else None,
        count_by_category(pool, topics),
    )


def spreads_of(topics: list[TopicCounts], field: str, word: str) -> list[Spread]:
    names = {field: f"Judged {word}", f"hml_{field}": f"H+M+L {word}", f"hm_{field}": f"H+M {word}"}
    return [
        spread(name, {row.topic.topic_id: getattr(row.counts, count) for row in topics})
        for count, name in names.items()
    ]


def count_by_category(pool: Pool, topics: list[TopicCounts]) -> list[tuple[str | int, ...]]:
    counts: defaultdict[str, Counter[int]] = defaultdict(Counter)
    chosen = official_grades(pool).filter(assignment__topic__in=[row.topic.pk for row in topics])
    for category, grade, count in chosen.values_list("assignment__topic__category", "grade").annotate(Count("pk")):
        counts[category][grade] = count
    sizes = Counter(row.topic.category for row in topics)
    return [
        (category or NOT_NOTED, sizes[category], *(counts[category][grade] for grade in GRADES))
        for category in order_categories(sizes)
    ]
