"""A pool in a few words: its size and its missing texts."""

from typing import NamedTuple

from django.db.models import Count

from assess.ir.common.percent import percent
from assess.models import Instance, Pool, PoolEntry
from assess.services.common.wording import document_word, number, unit_word
from assess.services.pool import freezing


class Missing(NamedTuple):
    """How many of the different documents have no text."""

    documents: int
    of: int

    def __str__(self) -> str:
        share = percent(self.documents, self.of)
        return f"{self.documents:,} of {number(self.of, 'different document')} ({share:.1f} %)"


def missing_of(pool: Pool) -> Missing:
    documents = Instance.objects.filter(entry__pool=pool).values("doc_id").distinct().count()
    return Missing(len(freezing.missing_texts(pool)), documents)


def pool_summary(pool: Pool) -> list[str]:
    counts = PoolEntry.objects.filter(pool=pool).aggregate(
        units=Count("pk", distinct=True), documents=Count("instances"), topics=Count("topic", distinct=True)
    )
    size = number(counts["units"], unit_word(pool.rules))
    if pool.rules.has_visual_ids:
        size += f" with {number(counts['documents'], document_word(pool.campaign))}"
    missing = missing_of(pool)
    return [
        f"{size} for {number(counts['topics'], 'topic')}",
        f"{missing} without a text" if missing.documents else "every document has a text",
    ]
