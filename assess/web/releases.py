"""Releases of qrels: made, read, downloaded."""

import json
from typing import Any, NamedTuple

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from assess.models import Campaign, Job, Qrels, QrelsLine
from assess.services import qrels
from assess.services.access import STAFF, campaign_for
from assess.web import jobs
from assess.web.answers import attachment, unfinished

GRADED, BINARY = "graded", "hm"
USUAL_THRESHOLD = 2
"""Relevant units a topic had to have in the labs: they left out topics with fewer."""


class ReleaseForm(forms.Form):
    note = forms.CharField(max_length=200, required=False, help_text="What this release is for, in a few words.")
    min_relevant = forms.IntegerField(
        label="Fewest relevant units (H+M) of a topic",
        min_value=0,
        max_value=1000,
        help_text="Topics with fewer stay out of the release. 0 keeps every judged topic.",
    )


@require_safe
def releases(request: HttpRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, STAFF)
    pool = campaign.frozen_pool()
    initial = {"min_relevant": pool.rules.min_relevant} if pool else {}
    return show_releases(request, campaign, ReleaseForm(initial=initial))


def show_releases(request: HttpRequest, campaign: Campaign, form: ReleaseForm, status: int = 200) -> HttpResponse:
    pool = campaign.frozen_pool()
    threshold = (pool and pool.rules.min_relevant) or USUAL_THRESHOLD
    context = {
        "campaign": campaign,
        "pool": pool,
        "releases": Qrels.objects.filter(pool__campaign=campaign).select_related("pool__campaign", "released_by"),
        "form": form,
        "thin": qrels.left_out(pool, threshold) if pool else [],
        "threshold": threshold,
        "usual": USUAL_THRESHOLD,
        "running": unfinished(campaign, Job.Kind.RELEASE),
    }
    return render(request, "reports/releases.html", context, status=status)


@require_POST
def release_start(request: HttpRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug)
    pool = campaign.frozen_pool()
    form = ReleaseForm(request.POST)
    if form.is_valid() and pool is None:
        form.add_error(None, "There is no frozen pool, so nothing has been judged.")
    if pool is None or not form.is_valid():
        return show_releases(request, campaign, form, status=400)
    return jobs.start(request, campaign, Job.Kind.RELEASE, pool=pool.pk, **form.cleaned_data)


class File(NamedTuple):
    """One file of a release, twice: graded and H+M."""

    unit: str
    label: str
    lines: int
    topics: int


def find(campaign: Campaign, version: int) -> Qrels:
    found = Qrels.objects.filter(pool__campaign=campaign).select_related("pool__campaign", "released_by")
    return get_object_or_404(found, version=version)


def files(found: Qrels) -> list[File]:
    return [File(unit, QrelsLine.Unit(unit).label, **count) for unit, count in found.counts.items()]


@require_safe
def release(request: HttpRequest, slug: str, version: int) -> HttpResponse:
    campaign = campaign_for(request.user, slug, STAFF)
    found = find(campaign, version)
    context = {
        "campaign": campaign,
        "section": "releases",
        "release": found,
        "files": files(found),
        "rules": found.protocol,
        "evaluations": found.evaluations.all(),
    }
    return render(request, "reports/release.html", context)


@require_safe
def release_file(request: HttpRequest, slug: str, version: int, unit: str, grades: str) -> HttpResponse:
    """One file of a release in the labs' format."""
    campaign = campaign_for(request.user, slug, STAFF)
    found = find(campaign, version)
    if unit not in found.counts or grades not in (GRADED, BINARY):
        raise Http404
    text = qrels.as_file(found, unit, binary=grades == BINARY)
    return attachment(text, f"{campaign.slug}.release-{version}.{unit}.{grades}.qrels.txt")


@require_safe
def release_protocol(request: HttpRequest, slug: str, version: int) -> HttpResponse:
    """What a release was made with: everything needed to say how its lines came about."""
    campaign = campaign_for(request.user, slug, STAFF)
    text = json.dumps(provenance(find(campaign, version)), ensure_ascii=False, indent=2) + "\n"
    return attachment(text, f"{campaign.slug}.release-{version}.protocol.json", "application/json")


def provenance(found: Qrels) -> dict[str, Any]:
    pool = found.pool
    return {
        "campaign": pool.campaign.slug,
        "name": pool.campaign.name,
        "edition": pool.campaign.edition,
        "release": found.version,
        "released": found.created.isoformat(),
        "note": found.note,
        "protocol": found.protocol,
        "counts": found.counts,
        "pool": {
            "version": pool.version,
            "seed": pool.seed,
            "frozen": pool.frozen.isoformat() if pool.frozen else None,
            "source": pool.source,
            "runs": pool.runs,
        },
    }


urlpatterns = [
    path("c/<slug:slug>/releases/", releases, name="releases"),
    path("c/<slug:slug>/releases/new/", release_start, name="release_start"),
    path("c/<slug:slug>/releases/<int:version>/", release, name="release"),
    path("c/<slug:slug>/releases/<int:version>/protocol/", release_protocol, name="release_protocol"),
    path("c/<slug:slug>/releases/<int:version>/<slug:unit>/<slug:grades>/", release_file, name="release_file"),
]
