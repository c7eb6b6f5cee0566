"""The statistics of a campaign, as the labs' overview papers report them."""

from collections import Counter, defaultdict
from statistics import fmean, median
from typing import NamedTuple

from django.db.models import Count

from assess.ir.common.rows import GRADES
from assess.ir.releases.retention import REMOVED, TEST
from assess.ir.scores.breakdowns import NOT_NOTED, in_order
from assess.ir.scores.statistics import Spread, highest_p10, spread
from assess.models import Campaign, Judgment, Pool
from assess.services.releases.grades import official_grades
from assess.services.releases.topic_set import TopicCounts, topic_set


class CategoryCounts(NamedTuple):
    """The topics of a category of the topic sheet, and how many official judgments have each grade."""

    category: str
    topics: int
    high: int
    medium: int
    low: int
    not_relevant: int


class Statistics(NamedTuple):
    """Over the topics of the test set. ``spreads``: by topic, of units and, for formulas, of instances; ``highest``:
    the highest possible P'@10; ``mean_seconds``, ``median_seconds``: of attention, over all official judgments
    that were timed, None without any."""

    topics: list[TopicCounts]
    removed: list[str]
    spreads: list[Spread]
    highest: float
    mean_seconds: float | None
    median_seconds: float | None
    categories: list[CategoryCounts]


def statistics(campaign: Campaign, pool: Pool) -> Statistics | None:
    """None before a topic has a grade. In a fixed number of queries."""
    rows = topic_set(campaign, pool)
    topics = [row for row in rows if row.kind == TEST]
    if not topics:
        return None
    sizes = dict(pool.entries.order_by().values_list("topic").annotate(Count("pk")))
    pooled = {row.topic.topic_id: sizes.get(row.topic.pk, 0) for row in topics}
    relevant = {row.topic.topic_id: row.counts.hm_units for row in topics}
    removed = [row.topic.topic_id for row in rows if row.kind == REMOVED]
    units = "formulas" if campaign.is_formulas else "answers"
    spreads = [spread(f"Pooled {units}", pooled), *of_counts(topics, "units", units)]
    spreads += of_counts(topics, "documents", "instances") if campaign.is_formulas else []
    return Statistics(topics, removed, spreads, highest_p10(relevant), *seconds(pool), categories(pool, topics))


def seconds(pool: Pool) -> tuple[float | None, float | None]:
    """Mean and median of attention for an official judgment, None if none was timed. One query."""
    timed = Judgment.objects.filter(assignment__round__pool=pool, assignment__official=True, active_ms__gt=0)
    times = list(timed.order_by().values_list("active_ms", flat=True))
    return (fmean(times) / 1000, median(times) / 1000) if times else (None, None)


def of_counts(topics: list[TopicCounts], field: str, word: str) -> list[Spread]:
    names = {field: f"Judged {word}", f"hml_{field}": f"H+M+L {word}", f"hm_{field}": f"H+M {word}"}
    return [
        spread(name, {row.topic.topic_id: getattr(row.counts, count) for row in topics})
        for count, name in names.items()
    ]


def categories(pool: Pool, topics: list[TopicCounts]) -> list[CategoryCounts]:
    """One query."""
    counts: defaultdict[str, Counter[int]] = defaultdict(Counter)
    chosen = official_grades(pool).filter(assignment__topic__in=[row.topic.pk for row in topics])
    for category, grade, count in chosen.values_list("assignment__topic__category", "grade").annotate(Count("pk")):
        counts[category][grade] = count
    sizes = Counter(row.topic.category for row in topics)
    return [
        CategoryCounts(category or NOT_NOTED, sizes[category], *(counts[category][grade] for grade in GRADES))
        for category in in_order(sizes)
    ]
