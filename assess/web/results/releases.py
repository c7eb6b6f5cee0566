"""Releases of qrels: made, read, downloaded."""

import json
from typing import Any, NamedTuple

from django import forms
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from assess.ir.results.differences import Difference, differences
from assess.models import Campaign, Job, Qrels, QrelsLine, VisualMap
from assess.services.common.access import STAFF, campaign_for
from assess.services.formulas import visual_ids
from assess.services.judging import progress
from assess.services.results import qrels
from assess.web.common.job_start import start
from assess.web.common.responses import attachment, unfinished

GRADED, BINARY = "graded", "hm"
COMPARED = 200
"""Differences on one page."""
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
    visual_map = forms.TypedChoiceField(
        label="Visual ids", coerce=int, help_text="Each formula counts under the visual id that this version gives it."
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        """Visual ids can be chosen where there are versions of them."""
        super().__init__(*args, **kwargs)
        collection = campaign.collection if campaign.has_visual_ids else None
        versions = visual_ids.applied(collection) if collection else []
        if versions:
            self.fields["visual_map"].choices = [(one.number, str(one)) for one in versions]  # type: ignore[attr-defined]
        else:
            del self.fields["visual_map"]


@require_safe
def releases(request: HttpRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, STAFF)
    pool = campaign.frozen_pool()
    initial = {"min_relevant": pool.rules.min_relevant} if pool else {}
    return show_releases(request, campaign, ReleaseForm(initial=initial, campaign=campaign))


def show_releases(request: HttpRequest, campaign: Campaign, form: ReleaseForm, status: int = 200) -> HttpResponse:
    pool = campaign.frozen_pool()
    threshold = (pool and pool.rules.min_relevant) or USUAL_THRESHOLD
    context = {
        "campaign": campaign,
        "pool": pool,
        "releases": list(all_of(campaign)),
        "form": form,
        "thin": qrels.left_out(pool, threshold) if pool else [],
        "threshold": threshold,
        "main_round": progress.main_round(pool) if pool else None,
        "usual": USUAL_THRESHOLD,
        "running": unfinished(campaign, Job.Kind.RELEASE),
    }
    return render(request, "results/releases.html", context, status=status)


@require_POST
def release_start(request: HttpRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug)
    pool = campaign.frozen_pool()
    form = ReleaseForm(request.POST, campaign=campaign)
    if form.is_valid() and pool is None:
        form.add_error(None, "There is no frozen pool, so nothing has been judged.")
    if pool is None or not form.is_valid():
        return show_releases(request, campaign, form, status=400)
    return start(request, campaign, Job.Kind.RELEASE, pool=pool.pk, **form.cleaned_data)


class File(NamedTuple):
    """One file of a release, twice: graded and H+M."""

    unit: str
    label: str
    lines: int
    topics: int


def all_of(campaign: Campaign) -> QuerySet[Qrels]:
    found = Qrels.objects.filter(pool__campaign=campaign)
    return found.select_related("pool__campaign", "released_by", "visual_map")


def find(campaign: Campaign, version: int) -> Qrels:
    return get_object_or_404(all_of(campaign), version=version)


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
        "main_round": progress.MainRound(**found.stand),
        "evaluations": found.evaluations.all(),
    }
    return render(request, "results/release.html", context)


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
    about = dict(found.made_with)
    pool = about.pop("pool")
    return {
        **about,
        "release": found.version,
        "released": found.created.isoformat(),
        "note": found.note,
        "protocol": found.protocol,
        "counts": found.counts,
        "visual_ids": of_map(found.visual_map),
        "main_round": found.stand,
        "pool": pool,
    }


def of_map(version: VisualMap | None) -> dict[str, Any] | None:
    """Which version of the visual ids; None for answers, and where the pool's own units were taken."""
    if version is None:
        return None
    return {"version": version.number, "kind": version.kind, "index_sha256": version.index_sha256}


class CompareForm(forms.Form):
    """Two releases of a campaign, and the file of them that is compared."""

    first = forms.TypedChoiceField(coerce=int)
    second = forms.TypedChoiceField(coerce=int)
    unit = forms.ChoiceField(label="Unit")

    def __init__(self, *args: Any, releases: list[Qrels], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        units = dict.fromkeys(unit for one in releases for unit in one.counts)
        choices = {
            "first": [(one.version, str(one)) for one in releases],
            "second": [(one.version, str(one)) for one in releases],
            "unit": [(unit, QrelsLine.Unit(unit).label) for unit in units],
        }
        for name, found in choices.items():
            self.fields[name].choices = found  # type: ignore[attr-defined]


@require_safe
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """What is different between two releases: by default the last two, by visual id or post."""
    campaign = campaign_for(request.user, slug, STAFF)
    released = list(all_of(campaign))
    if len(released) < 2:
        raise Http404
    initial = {"first": released[1].version, "second": released[0].version, "unit": next(iter(released[0].counts))}
    form = CompareForm({**initial, **request.GET.dict()}, releases=released)
    context: dict[str, Any] = {"campaign": campaign, "section": "releases", "form": form}
    if form.is_valid():
        pair = [find(campaign, form.cleaned_data[name]) for name in ("first", "second")]
        found = differences(*(qrels.lines(one, form.cleaned_data["unit"]) for one in pair))
        page = Paginator(found, COMPARED).get_page(request.GET.get("page"))
        context |= {"pair": pair, "page": page, "counts": kinds(found), "query": query_without_page(request)}
    return render(request, "results/compare.html", context)


def kinds(found: list[Difference]) -> list[tuple[str, int]]:
    """How many units are only in one of the two, and how many have another grade."""
    first = sum(one.after is None for one in found)
    second = sum(one.before is None for one in found)
    labels = ("only in the first", "only in the second", "with another grade")
    return list(zip(labels, (first, second, len(found) - first - second), strict=True))


def query_without_page(request: HttpRequest) -> str:
    query = request.GET.copy()
    query.pop("page", None)
    return query.urlencode()


urlpatterns = [
    path("c/<slug:slug>/releases/compare/", compare, name="releases_compare"),
    path("c/<slug:slug>/releases/", releases, name="releases"),
    path("c/<slug:slug>/releases/new/", release_start, name="release_start"),
    path("c/<slug:slug>/releases/<int:version>/", release, name="release"),
    path("c/<slug:slug>/releases/<int:version>/protocol/", release_protocol, name="release_protocol"),
    path("c/<slug:slug>/releases/<int:version>/<slug:unit>/<slug:grades>/", release_file, name="release_file"),
]
