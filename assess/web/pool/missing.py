"""The documents of a pool whose text the collection lacks: assessors are asked to call them a system failure."""

from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.views.decorators.http import require_safe

from assess.models import Instance, Pool
from assess.services.common.access import campaign_for
from assess.services.pool import pools
from assess.web.common.responses import attachment

SHOWN = 500
"""So many are listed on the page; the file has them all."""


class Row(NamedTuple):
    """A document that a topic's runs retrieved. ``post`` is empty for a formula that the index lacks."""

    topic: str
    document: str
    post: str
    runs: int
    votes: float


def rows_of(pool: Pool) -> list[Row]:
    """The documents without a text, in the order of the topics, those with most votes first."""
    missing = pools.missing(pool)
    found = Instance.objects.filter(entry__pool=pool)
    found = found.order_by("entry__topic__number", "entry__topic__topic_id", "-votes", "doc_id")
    rows = found.values_list("entry__topic__topic_id", "doc_id", "post_id", "runs", "votes")
    return [Row(*row) for row in rows if row[1] in missing]  # Not in SQL: they may be more than a query can name.


@require_safe
def pool_missing(request: HttpRequest, slug: str, version: int) -> HttpResponse:
    campaign = campaign_for(request.user, slug)
    found = get_object_or_404(campaign.pools, version=version)
    rows = rows_of(found)
    context = {
        "campaign": campaign,
        "section": "pool",
        "pool": found,
        "rows": rows[:SHOWN],
        "count": len(rows),
        "topics": len({row.topic for row in rows}),
        "shown": SHOWN,
    }
    return render(request, "pool/missing.html", context)


@require_safe
def pool_missing_file(request: HttpRequest, slug: str, version: int) -> HttpResponse:
    """The same to download: a line for each topic and document."""
    campaign = campaign_for(request.user, slug)
    found = get_object_or_404(campaign.pools, version=version)
    lines = ["\t".join(Row._fields), *("\t".join(map(str, row)) for row in rows_of(found))]
    text = "".join(f"{line}\n" for line in lines)
    return attachment(text, f"{campaign.slug}.pool-{version}.missing.tsv")


urlpatterns = [
    path("c/<slug:slug>/pool/<int:version>/missing/", pool_missing, name="pool_missing"),
    path("c/<slug:slug>/pool/<int:version>/missing/file/", pool_missing_file, name="pool_missing_file"),
]
