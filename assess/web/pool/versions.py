"""The versions of a pool, for all pages about it."""

from datetime import datetime
from typing import Any

from django.http import Http404

from assess.models import Campaign, Pool
from assess.services.pool import extension

SHOWN = 500
"""Documents without a text that a page lists; the file has all."""


def pool_with(campaign: Campaign, version: int) -> Pool:
    """The pool that has this version, or had it before it was extended. Raises Http404."""
    for pool in campaign.pools.all():
        if version in (pool.version, *(old["version"] for old in pool.history)):
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
