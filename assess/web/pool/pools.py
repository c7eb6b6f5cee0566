"""The page of the pool with its buttons, and the documents whose text is not in the collection."""

from datetime import datetime
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from assess.ir.formats.table import write_table
from assess.models import Action, Assignment, Campaign, Pool
from assess.services import job_kinds, pipeline
from assess.services.common import workspace
from assess.services.common.access import ORGANIZER
from assess.services.common.errors import Refused
from assess.services.pool import extension, freezing, planning, pools
from assess.web.common.doors import campaign_action, campaign_page, campaign_view
from assess.web.common.html import query_html
from assess.web.common.jobs import start_job
from assess.web.common.responses import attachment, confirm, person, render_form, unfinished


class PoolFileForm(forms.Form):
    file = forms.FileField(
        label="Pool file",
        help_text="Tab-separated, with the header topic, unit, doc, votes, runs, as printed by “manage.py pool”.",
    )


@campaign_view(ORGANIZER)
def pool(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The current pool, and a form to import one."""
    form = PoolFileForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        file = form.cleaned_data["file"]
        return start_job(request, campaign, job_kinds.import_pool, path=workspace.keep_file(file), name=file.name)
    current = campaign.current_pool()
    topics = pools.topic_counts(current) if current else []
    missing = freezing.missing_of(current) if current else None
    context = {
        "pool": current,
        "rules": current.rules if current else campaign.rules,
        "outdated": freezing.reason_to_rebuild(current) if current and not current.frozen else "",
        "topics": topics,
        "rows": [(row, query_html(row.topic)) for row in topics],
        "versions": versions_of(current) if current else [],
        "entries": sum(row.entries for row in topics),
        "documents": sum(row.documents for row in topics),
        "missing": missing,
        "emptied": freezing.emptied_topics(current) if current else [],
        "freeze_warning": freezing.freeze_warning(current, missing) if current else "",
        "is_judged": current is not None and freezing.is_judged(current),
        "assigned": Assignment.objects.filter(round__pool=current).count() if current else 0,
        "pooled_runs": list(campaign.pooled_runs()) if not current else [],
        "topic_count": campaign.topics.count(),
        "running": unfinished(campaign, job_kinds.build_pool, job_kinds.import_pool, job_kinds.freeze_pool),
        "form": form,
        "next": pipeline.next_elsewhere(campaign, "pool"),
    }
    return render_form(request, "pool/pool.html", context)


def require_pool(campaign: Campaign) -> Pool:
    """The current pool. Raises Refused if it was discarded since the page was loaded."""
    current = campaign.current_pool()
    if current is None:
        raise Refused("This pool no longer exists. Reload the page.")
    return current


@campaign_action(ORGANIZER, "pool")
def pool_freeze(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Freezes the pool; if there is a warning, only if its box is ticked."""
    current = require_pool(campaign)
    if "anyway" not in request.POST and freezing.freeze_warning(current):
        raise Refused("Not frozen: read the warning, then tick “Freeze anyway”.")
    return start_job(request, campaign, job_kinds.freeze_pool, pool=current.pk)


@campaign_action(ORGANIZER, "pool")
def pool_leave_out(request: HttpRequest, campaign: Campaign) -> Action | HttpResponse:
    pool = require_pool(campaign)
    if "sure" in request.POST or pool.frozen:
        return freezing.leave_out_missing(pool, person(request))
    text = "They have no text in the collection, so nobody could judge them. Rebuilding the pool brings them back."
    text = " ".join([text, *planning.effects_of_leaving_out(pool)])
    return confirm(
        request, f"Leave {freezing.missing_of(pool)} out?", text, "Leave out", reverse("pool", args=[campaign.slug])
    )


@campaign_action(ORGANIZER, "pool")
def pool_discard(request: HttpRequest, campaign: Campaign) -> Action:
    require_pool(campaign)
    return pools.discard_pool(campaign, person(request))


@campaign_action(ORGANIZER, "pool")
def pool_unfreeze(request: HttpRequest, campaign: Campaign) -> Action:
    return freezing.unfreeze(require_pool(campaign), person(request))


@campaign_page(ORGANIZER)
def pool_missing_file(request: HttpRequest, campaign: Campaign, version: int) -> HttpResponse:
    pool = get_object_or_404(campaign.pools, version=version)
    rows = [("topic", "document", "post", "runs", "votes"), *freezing.list_missing_texts(pool)]
    return attachment(write_table(rows), f"{campaign.slug}.pool-{version}.missing.tsv")


@campaign_page(ORGANIZER)
def pool_file(request: HttpRequest, campaign: Campaign, version: int) -> HttpResponse:
    return attachment(pools.pool_as_file(pool_with(campaign, version), version), f"{campaign.slug}.pool-{version}.tsv")


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
