"""Releases of qrels: making, reading and downloading them."""

import json
from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from assess.ir.campaign.presets import RANGES, Protocol
from assess.ir.results.differences import Difference, differences
from assess.models import Campaign, Job, Qrels, QrelsLine, VisualMap
from assess.services.common.access import STAFF, campaign_for
from assess.services.formulas import visual_ids
from assess.services.judging import adjudication, progress
from assess.services.results import qrels
from assess.web.common.forms import render_form
from assess.web.common.job_start import start
from assess.web.common.responses import attachment, unfinished

GRADED, BINARY = "graded", "hm"
PAGE_SIZE = 200
"""Differences on one page."""


class ReleaseForm(forms.Form):
    note = forms.CharField(max_length=200, required=False, help_text="What the release is for, in a few words.")
    min_relevant = forms.IntegerField(
        label="Minimum relevant units (H+M) per topic",
        min_value=0,
        max_value=RANGES["min_relevant"][1],
        help_text="Topics with fewer are left out. 0 keeps all judged topics.",
    )
    visual_map = forms.TypedChoiceField(
        label="Visual ids", coerce=int, help_text="Formulas count under the visual ids of this version."
    )

    with_settled = forms.BooleanField(
        label="Use settled grades",
        required=False,
        help_text="A grade that an expert settled replaces the official one.",
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        """Visual ids can be chosen if there are versions of them, settled grades if there are any."""
        super().__init__(*args, **kwargs)
        collection = campaign.collection if campaign.has_visual_ids else None
        versions = visual_ids.applied(collection) if collection else []
        if versions:
            self.fields["visual_map"].choices = [(version.number, str(version)) for version in versions]  # type: ignore[attr-defined]
        else:
            del self.fields["visual_map"]
        pool = campaign.frozen_pool()
        if pool is None or not adjudication.settling(pool).exists():
            del self.fields["with_settled"]


@require_safe
def releases(request: HttpRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, STAFF)
    pool = campaign.frozen_pool()
    initial = {"min_relevant": pool.rules.min_relevant} if pool else {}
    return show_releases(request, campaign, ReleaseForm(initial=initial, campaign=campaign))


def show_releases(request: HttpRequest, campaign: Campaign, form: ReleaseForm) -> HttpResponse:
    pool = campaign.frozen_pool()
    threshold = (pool and pool.rules.min_relevant) or Protocol.min_relevant
    context = {
        "campaign": campaign,
        "pool": pool,
        "releases": list(releases_of(campaign)),
        "form": form,
        "thin": qrels.left_out(pool, threshold) if pool else [],
        "threshold": threshold,
        "main_round": progress.main_round(pool) if pool else None,
        "usual": Protocol.min_relevant,
        "running": unfinished(campaign, Job.Kind.RELEASE),
    }
    return render_form(request, "results/releases.html", context)


@require_POST
def release_start(request: HttpRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug)
    pool = campaign.frozen_pool()
    form = ReleaseForm(request.POST, campaign=campaign)
    if form.is_valid() and pool is None:
        form.add_error(None, "Nothing has been judged: the pool is not frozen.")
    if pool is None or not form.is_valid():
        return show_releases(request, campaign, form)
    return start(request, campaign, Job.Kind.RELEASE, pool=pool.pk, **form.cleaned_data)


def releases_of(campaign: Campaign) -> QuerySet[Qrels]:
    releases = Qrels.objects.filter(pool__campaign=campaign)
    return releases.select_related("pool__campaign", "released_by", "visual_map")


def find(campaign: Campaign, version: int) -> Qrels:
    return get_object_or_404(releases_of(campaign), version=version)


@require_safe
def release_page(request: HttpRequest, slug: str, version: int) -> HttpResponse:
    campaign = campaign_for(request.user, slug, STAFF)
    release = find(campaign, version)
    context = {
        "campaign": campaign,
        "section": "releases",
        "release": release,
        "files": [(unit, QrelsLine.Unit(unit).label, counts) for unit, counts in release.counts.items()],
        "rules": release.protocol,
        "main_round": progress.MainRound(**release.stand),
        "evaluations": release.evaluations.all(),
    }
    return render(request, "results/release.html", context)


@require_safe
def release_file(request: HttpRequest, slug: str, version: int, unit: str, grades: str) -> HttpResponse:
    """One file of a release in the labs' format."""
    campaign = campaign_for(request.user, slug, STAFF)
    release = find(campaign, version)
    if unit not in release.counts or grades not in (GRADED, BINARY):
        raise Http404
    text = qrels.as_file(release, unit, binary=grades == BINARY)
    return attachment(text, f"{campaign.slug}.release-{version}.{unit}.{grades}.qrels.txt")


@require_safe
def release_protocol(request: HttpRequest, slug: str, version: int) -> HttpResponse:
    """Everything needed to explain how the lines of a release came about."""
    campaign = campaign_for(request.user, slug, STAFF)
    text = json.dumps(provenance(find(campaign, version)), ensure_ascii=False, indent=2) + "\n"
    return attachment(text, f"{campaign.slug}.release-{version}.protocol.json", "application/json")


def provenance(release: Qrels) -> dict[str, Any]:
    about = dict(release.made_with)
    pool = about.pop("pool")
    return {
        **about,
        "release": release.version,
        "released": release.created.isoformat(),
        "note": release.note,
        "protocol": release.protocol,
        "counts": release.counts,
        "visual_ids": of_map(release.visual_map),
        "main_round": release.stand,
        "pool": pool,
    }


def of_map(version: VisualMap | None) -> dict[str, Any] | None:
    """The version of the visual ids; None for answers, and if the pool's own units count."""
    if version is None:
        return None
    return {"version": version.number, "kind": version.kind, "index_sha256": version.index_sha256}


class CompareForm(forms.Form):
    """Two releases of a campaign, and which of their files to compare."""

    first = forms.TypedChoiceField(coerce=int)
    second = forms.TypedChoiceField(coerce=int)
    unit = forms.ChoiceField(label="Unit")

    def __init__(self, *args: Any, releases: list[Qrels], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        units = dict.fromkeys(unit for release in releases for unit in release.counts)
        versions = [(release.version, str(release)) for release in releases]
        labels = [(unit, QrelsLine.Unit(unit).label) for unit in units]
        for name, choices in {"first": versions, "second": versions, "unit": labels}.items():
            self.fields[name].choices = choices  # type: ignore[attr-defined]


@require_safe
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """The differences between two releases, by default the last two by visual id or post."""
    campaign = campaign_for(request.user, slug, STAFF)
    released = list(releases_of(campaign))
    if len(released) < 2:
        raise Http404
    initial = {"first": released[1].version, "second": released[0].version, "unit": next(iter(released[0].counts))}
    form = CompareForm({**initial, **request.GET.dict()}, releases=released)
    context: dict[str, Any] = {"campaign": campaign, "section": "releases", "form": form}
    if form.is_valid():
        pair = [find(campaign, form.cleaned_data[name]) for name in ("first", "second")]
        changed = differences(*(qrels.lines(release, form.cleaned_data["unit"]) for release in pair))
        page = Paginator(changed, PAGE_SIZE).get_page(request.GET.get("page"))
        context |= {"pair": pair, "page": page, "counts": kinds(changed)}
    return render_form(request, "results/compare.html", context)


def kinds(changed: list[Difference]) -> list[tuple[str, int]]:
    """How many units are in only one of the two, and how many have different grades."""
    first = sum(unit.after is None for unit in changed)
    second = sum(unit.before is None for unit in changed)
    return [
        ("only in the first", first),
        ("only in the second", second),
        ("with different grades", len(changed) - first - second),
    ]


urlpatterns = [
    path("c/<slug:slug>/releases/compare/", compare, name="releases_compare"),
    path("c/<slug:slug>/releases/", releases, name="releases"),
    path("c/<slug:slug>/releases/new/", release_start, name="release_start"),
    path("c/<slug:slug>/releases/<int:version>/", release_page, name="release"),
    path("c/<slug:slug>/releases/<int:version>/protocol/", release_protocol, name="release_protocol"),
    path("c/<slug:slug>/releases/<int:version>/<slug:unit>/<slug:grades>/", release_file, name="release_file"),
]
