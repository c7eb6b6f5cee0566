"""The pool of a campaign, and who judges its topics."""

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from assess.models import Assignment, Campaign, Job, Pool
from assess.services import pipeline
from assess.services.common.access import campaign_for
from assess.services.common.errors import Refused
from assess.services.pool import pools, seeding, staleness
from assess.web.common import uploads
from assess.web.common.html import query_html
from assess.web.common.job_start import start
from assess.web.common.responses import attachment, refusals, unfinished
from assess.web.pool.pool_summary import missing_of, versions_of

NO_POOL = "There is no such pool any more. Reload the page."


class PoolFileForm(forms.Form):
    file = forms.FileField(
        label="Pool file",
        help_text="Tab-separated, as “manage.py pool” prints it: topic, unit, doc, votes, runs, with that header.",
    )


@require_safe
def pool(request: HttpRequest, slug: str) -> HttpResponse:
    return show_pool(request, campaign_for(request.user, slug), PoolFileForm())


def show_pool(request: HttpRequest, campaign: Campaign, form: PoolFileForm, status: int = 200) -> HttpResponse:
    current = campaign.current_pool()
    topics = pools.by_topic(current) if current else []
    context = {
        "campaign": campaign,
        "pool": current,
        "rules": current.rules if current else campaign.rules,
        "outdated": staleness.outdated(current) if current and not current.frozen else "",
        "unseeded": "" if current and current.frozen else seeding.lacking(campaign),
        "topics": topics,
        "rows": [(one, query_html(one.topic)) for one in topics],
        "versions": versions_of(current) if current else [],
        "entries": sum(one.entries for one in topics),
        "documents": sum(one.documents for one in topics),
        "missing": missing_of(current) if current else None,
        "is_judged": current is not None and pools.is_judged(current),
        "assigned": Assignment.objects.filter(round__pool=current).count() if current else 0,
        "pooled_runs": list(campaign.runs.pooled()) if not current else [],
        "topic_count": campaign.topics.count(),
        "running": unfinished(campaign, Job.Kind.POOL, Job.Kind.POOL_FILE, Job.Kind.FREEZE),
        "form": form,
        "next": pipeline.next_elsewhere(campaign, "pool"),
    }
    return render(request, "pool/pool.html", context, status=status)


def the_pool(campaign: Campaign) -> Pool:
    """The pool that a button on the page means. Raises Refused where it has gone."""
    found = campaign.current_pool()
    if found is None:
        raise Refused(NO_POOL)
    return found


@require_POST
def pool_build(request: HttpRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug)
    return start(request, campaign, Job.Kind.POOL)


@require_POST
def pool_import(request: HttpRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug)
    form = PoolFileForm(request.POST, request.FILES)
    if not form.is_valid():
        return show_pool(request, campaign, form, status=400)
    file = form.cleaned_data["file"]
    return start(request, campaign, Job.Kind.POOL_FILE, path=uploads.store(file), name=file.name)


@require_POST
def pool_freeze(request: HttpRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug)
    with refusals(request):
        return start(request, campaign, Job.Kind.FREEZE, pool=the_pool(campaign).pk)
    return redirect("pool", slug)


@require_POST
def pool_discard(request: HttpRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug)
    with refusals(request, "The pool is discarded."):
        pools.discard(the_pool(campaign).campaign)
    return redirect("pool", slug)


@require_POST
def pool_unfreeze(request: HttpRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug)
    with refusals(request, "The pool is open again. All assignments are taken back."):
        pools.unfreeze(the_pool(campaign))
    return redirect("pool", slug)


@require_safe
def pool_file(request: HttpRequest, slug: str, version: int) -> HttpResponse:
    """A version of the pool, to download."""
    campaign = campaign_for(request.user, slug)
    found = pools.with_version(campaign, version)
    if found is None:
        raise Http404
    return attachment(pools.as_file(found, version), f"{campaign.slug}.pool-{version}.tsv")


urlpatterns = [
    path("c/<slug:slug>/pool/", pool, name="pool"),
    path("c/<slug:slug>/pool/build/", pool_build, name="pool_build"),
    path("c/<slug:slug>/pool/import/", pool_import, name="pool_import"),
    path("c/<slug:slug>/pool/freeze/", pool_freeze, name="pool_freeze"),
    path("c/<slug:slug>/pool/discard/", pool_discard, name="pool_discard"),
    path("c/<slug:slug>/pool/unfreeze/", pool_unfreeze, name="pool_unfreeze"),
    path("c/<slug:slug>/pool/<int:version>/file/", pool_file, name="pool_file"),
]
