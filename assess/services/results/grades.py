"""The grades that count in a pool as it is now."""

from typing import Any, NamedTuple

from django.db.models import QuerySet

from assess.models import GoldGrade, Judgment, Pool


class Graded(NamedTuple):
    """Rows with an ``instance`` and a ``grade``; ``topic``: the way from a row to its topic."""

    rows: QuerySet[Any]
    topic: str


def of_pool(pool: Pool) -> Graded:
    """The official grades; those of the source that the pool was made from, until somebody has judged it officially."""
    official = Judgment.objects.filter(assignment__round__pool=pool, assignment__official=True, grade__isnull=False)
    if pool.judgment_source_id is None or official.exists():
        return Graded(official, "assignment__topic")
    return Graded(GoldGrade.objects.filter(instance__entry__pool=pool), "instance__entry__topic")
