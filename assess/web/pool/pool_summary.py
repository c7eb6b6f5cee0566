"""Summaries of a pool: its size, missing texts and versions."""

from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count
from django.http import Http404

from assess.ir.common.percent import percent
from assess.models import Campaign, Instance, Pool, PoolEntry
from assess.services.common.wording import document_word, number, unit_word
from assess.services.pool import extension, freezing, pools


class Missing(NamedTuple):
    """How many of the different documents have no text."""

    documents: int
    of: int

    def __str__(self) -> str:
        share = percent(self.documents, self.of)
        return f"{self.documents:,} of {number(self.of, 'different document')} ({share:.1f} %)"


def missing_of(pool: Pool) -> Missing:
    documents = Instance.objects.filter(entry__pool=pool).values("doc_id").distinct().count()
    return Missing(len(freezing.missing(pool)), documents)


def pool_summary(pool: Pool) -> list[str]:
    """A pool in two lines."""
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


def pool_with(campaign: Campaign, version: int) -> Pool:
    """The pool that has this version, or had it before it was extended. Raises Http404."""
    if pool := pools.with_version(campaign, version):
        return pool
    raise Http404


def versions_of(pool: Pool) -> list[dict[str, Any]]:
    """The versions of an extended pool, newest first; empty if it was never extended."""
    if not pool.history:
        return []
    versions = [extension.version_summary(pool), *reversed(pool.history)]
    return [
        version | {"made": datetime.fromisoformat(version["made"]) if version["made"] else None} for version in versions
    ]
