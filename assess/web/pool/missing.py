"""The documents of a pool whose text is not in the collection: assessors are asked to choose "System failure"."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.views.decorators.http import require_safe

from assess.ir.formats.table import write_table
from assess.models import Campaign
from assess.services.common.access import ORGANIZER
from assess.services.pool.freezing import MissingText, list_missing_texts
from assess.web.common.doors import campaign_view
from assess.web.common.responses import attachment

SHOWN = 500
"""Documents listed on the page; the file has all."""


@require_safe
@campaign_view(ORGANIZER)
def pool_missing(request: HttpRequest, campaign: Campaign, version: int) -> HttpResponse:
    pool = get_object_or_404(campaign.pools, version=version)
    rows = list_missing_texts(pool)
    context = {
        "campaign": campaign,
        "section": "pool",
        "pool": pool,
        "rows": rows[:SHOWN],
        "count": len(rows),
        "topics": len({row.topic for row in rows}),
        "shown": SHOWN,
    }
    return render(request, "pool/missing.html", context)


@require_safe
@campaign_view(ORGANIZER)
def pool_missing_file(request: HttpRequest, campaign: Campaign, version: int) -> HttpResponse:
    """Download a line for each topic and document."""
    pool = get_object_or_404(campaign.pools, version=version)
    rows = [MissingText._fields, *list_missing_texts(pool)]
    return attachment(write_table(rows), f"{campaign.slug}.pool-{version}.missing.tsv")


urlpatterns = [
    path("c/<slug:slug>/pool/<int:version>/missing/", pool_missing, name="pool_missing"),
    path("c/<slug:slug>/pool/<int:version>/missing/file/", pool_missing_file, name="pool_missing_file"),
]
