"""Releases of qrels: making, reading and downloading them."""

from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_POST, require_safe

from assess.ir.campaign.presets import Protocol
from assess.ir.results.differences import counts
from assess.models import Campaign, Job, Qrels, QrelsLine
from assess.services.common.access import ORGANIZER, STAFF, campaign_for
from assess.services.judging import progress
from assess.services.pool import freezing
from assess.services.pool.source_pool import is_judged_elsewhere
from assess.services.results import manifest, qrels, release_changes, verification
from assess.web.common.forms import render_form
from assess.web.common.job_start import start
from assess.web.common.responses import attachment, unfinished
from assess.web.results.files import FileTable, as_attachment
from assess.web.results.measure_names import asked, measure_links
from assess.web.results.release_form import ReleaseForm, in_words

PAGE_SIZE = 200
"""Differences on one page."""
LINES = ("change", "topic", "unit", "before", "after")
MOVES = ("measure", "run", "place_before", "place_after", "before", "after", "change")


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
        "is_judged_elsewhere": is_judged_elsewhere(pool),
        "can_release": pool is not None and (freezing.is_judged(pool) or campaign.judgment_sources.exists()),
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
    options = form.options().to_dict()
    return start(request, campaign, Job.Kind.RELEASE, pool=pool.pk, note=form.cleaned_data["note"], options=options)


def releases_of(campaign: Campaign) -> QuerySet[Qrels]:
    releases = Qrels.objects.of(campaign)
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
        "main_round": progress.MainRound(**release.main_round),
        "options": in_words(release.chosen),
        "manifest": release.manifest,
        "sources": [(source, lines_from(source, release)) for source in release.manifest.get("sources", [])],
        "hashes": sorted(release.manifest.get("files", {}).items()),
        "verification": release.verification,
        "later": [event | {"at": parse_datetime(event["at"])} for event in later_events(release)],
        "running": unfinished(campaign, Job.Kind.VERIFY),
        "evaluations": release.evaluations.all(),
    }
    return render(request, "results/release.html", context)


def lines_from(source: dict[str, Any], release: Qrels) -> list[tuple[str, int, int]]:
    """The label of each file, the number of its lines with a judgment of the source, and of all of its lines; nothing
    for a release of before these were counted."""
    given = source.get("lines", {}).items()
    return [(QrelsLine.Unit(unit).label, lines, release.counts[unit]["lines"]) for unit, lines in given]


def later_events(release: Qrels) -> list[dict[str, Any]]:
    """The decisions that came after a release, as of its last verification."""
    return list(release.verification.get("later", {}).get("first", []))


@require_safe
def release_items(request: HttpRequest, slug: str, version: int) -> HttpResponse:
    """Topic, document and content hash of what a release is about: the manifest has the hash of this file."""
    campaign = campaign_for(request.user, slug, STAFF)
    release = find(campaign, version)
    return attachment("".join(verification.items(release)), f"{campaign.slug}.release-{version}.items.tsv")


@require_POST
def verification_start(request: HttpRequest, slug: str, version: int) -> HttpResponse:
    campaign = campaign_for(request.user, slug)
    return start(request, campaign, Job.Kind.VERIFY, qrels=find(campaign, version).pk)


@require_safe
def release_file(request: HttpRequest, slug: str, version: int, unit: str, grades: str) -> HttpResponse:
    """One file of a release in the labs' format."""
    campaign = campaign_for(request.user, slug, STAFF)
    release = find(campaign, version)
    if unit not in release.counts or grades not in manifest.GRADES:
        raise Http404
    text = qrels.as_file(release, unit, binary=grades == manifest.BINARY)
    return attachment(text, f"{campaign.slug}.release-{version}.{unit}.{grades}.qrels.txt")


@require_safe
def release_manifest(request: HttpRequest, slug: str, version: int) -> HttpResponse:
    """Everything needed to explain how the lines of a release came about, and to check them."""
    campaign = campaign_for(request.user, slug, STAFF)
    text = manifest.as_json(find(campaign, version))
    return attachment(text, f"{campaign.slug}.release-{version}.manifest.json", "application/json")


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
    """The differences between two releases, by default the last two by visual id or post, and for organizers what they
    do to the runs."""
    campaign = campaign_for(request.user, slug, STAFF)
    form = compare_form(request, campaign)
    context: dict[str, Any] = {"campaign": campaign, "section": "releases", "form": form}
    if form.is_valid():
        pair, unit = pair_of(campaign, form), form.cleaned_data["unit"]
        changed = release_changes.line_changes(*pair, unit)
        page = Paginator(changed, PAGE_SIZE).get_page(request.GET.get("page"))
        context |= {"pair": pair, "unit": unit, "page": page, "counts": counts(changed).items()}
        if campaign.role == "organizer":  # type: ignore[attr-defined]
            context |= of_runs(pair, request.GET)
    return render_form(request, "results/compare.html", context)


def compare_form(request: HttpRequest, campaign: Campaign) -> CompareForm:
    """The form with what was asked for; 404 if there are no two releases."""
    released = list(releases_of(campaign))
    if len(released) < 2:
        raise Http404
    initial = {"first": released[1].version, "second": released[0].version, "unit": next(iter(released[0].counts))}
    return CompareForm({**initial, **request.GET.dict()}, releases=released)


def pair_of(campaign: Campaign, form: CompareForm) -> tuple[Qrels, Qrels]:
    return find(campaign, form.cleaned_data["first"]), find(campaign, form.cleaned_data["second"])


def of_runs(pair: tuple[Qrels, Qrels], sent: QueryDict) -> dict[str, Any]:
    """Each run's change by the measure that ``?measure=`` names, for the template."""
    changes = release_changes.run_changes(*pair)
    measure = asked(sent, changes.measures)
    return {
        "moves": changes.of(measure),
        "measures": measure_links(changes.measures, measure),
        "lacking": changes.lacking,
    }


@require_safe
def compare_file(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """The changed lines, or for organizers the changes of the runs by all measures, as CSV."""
    campaign = campaign_for(request.user, slug, ORGANIZER if kind == "runs" else STAFF)
    form = compare_form(request, campaign)
    if kind not in ("lines", "runs") or not form.is_valid():
        raise Http404
    pair, unit = pair_of(campaign, form), form.cleaned_data["unit"]
    if kind == "runs":
        moves = release_changes.run_changes(*pair).moves
        table = FileTable(
            MOVES, [(m.measure, m.run, m.place_before, m.place_after, m.before, m.after, m.change) for m in moves], ""
        )
    else:
        table = FileTable(LINES, [(each.kind, *each) for each in release_changes.line_changes(*pair, unit)], "")
    name = f"{slug}.releases-{pair[0].version}-{pair[1].version}.{unit if kind == 'lines' else 'runs'}"
    return as_attachment([table], name, "csv")


urlpatterns = [
    path("c/<slug:slug>/releases/compare/", compare, name="releases_compare"),
    path("c/<slug:slug>/releases/compare/<slug:kind>.csv", compare_file, name="releases_compare_file"),
    path("c/<slug:slug>/releases/", releases, name="releases"),
    path("c/<slug:slug>/releases/new/", release_start, name="release_start"),
    path("c/<slug:slug>/releases/<int:version>/", release_page, name="release"),
    path("c/<slug:slug>/releases/<int:version>/manifest/", release_manifest, name="release_manifest"),
    path("c/<slug:slug>/releases/<int:version>/items/", release_items, name="release_items"),
    path("c/<slug:slug>/releases/<int:version>/verify/", verification_start, name="verification_start"),
    path("c/<slug:slug>/releases/<int:version>/<slug:unit>/<slug:grades>/", release_file, name="release_file"),
]
