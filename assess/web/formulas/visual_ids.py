"""The visual ids of a formula campaign: versions, mixed clusters and their repair, what does not match."""

from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from assess.ir.common.rows import FormulaRow
from assess.ir.formulas import latexml
from assess.models import Campaign, Collection, Job, Post, VisualMap
from assess.services.common.access import campaign_for
from assess.services.formulas import lookup, visual_ids
from assess.web.common.html import tex_html
from assess.web.common.job_start import start
from assess.web.common.responses import attachment, refusals, unfinished

Kind = Job.Kind
PAGE = 50
"""Rows of a list on one page."""
SHOWN = 10
"""How many formulas are named of each writing."""
DRAWN = 200
"""Longer LaTeX is not drawn in a list."""
LATEXML = "Ask LaTeXML about LaTeX that latex2mathml does not understand"


class LookForm(forms.Form):
    """``with_latexml`` is there only where LaTeXML is installed."""

    with_latexml = forms.BooleanField(label=LATEXML, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not latexml.is_installed():
            del self.fields["with_latexml"]


class ComputeForm(LookForm):
    scope = forms.ChoiceField(choices=VisualMap.Scope, initial=VisualMap.Scope.ALL)


class FindForm(forms.Form):
    find = forms.CharField(label="Visual id or formula id", max_length=40)


def found_in(request: HttpRequest, slug: str) -> tuple[Campaign, Collection]:
    """The campaign, if it judges formulas, and its collection, if that has an index."""
    campaign = campaign_for(request.user, slug)
    if not campaign.is_formulas or campaign.collection is None or not campaign.collection.has_formulas:
        raise Http404
    return campaign, campaign.collection


@require_safe
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug)
    if not campaign.is_formulas:
        raise Http404
    collection = campaign.collection if campaign.collection and campaign.collection.has_formulas else None
    finding = FindForm(request.GET if "find" in request.GET else None)
    if collection and finding.is_valid() and (visual_id := sought(collection, finding)):
        return redirect("formula_cluster", slug, visual_id)
    context = {
        "campaign": campaign,
        "finding": finding,
        "marks": not_matching(campaign),
        "running": unfinished(campaign, Kind.COLLECTION, Kind.VISUAL_IDS, Kind.MIXED, Kind.REPAIR),
    }
    return render(request, "formulas/overview.html", context | (told_of(collection) if collection else {}))


def told_of(collection: Collection) -> dict[str, Any]:
    """What the page tells of a formula index and its visual ids."""
    version = visual_ids.current(collection)
    counts = collection.counts | (
        version.counts if version else {"formulas": 0, "without": collection.counts["formulas"]}
    )
    return {
        "collection": collection,
        "version": version,
        "draft": visual_ids.draft(collection),
        "versions": visual_ids.applied(collection).select_related("base", "created_by"),
        "counts": counts,
        "look": LookForm(),
        "compute": ComputeForm(),
    }


def sought(collection: Collection, form: FindForm) -> str | None:
    """The visual id that somebody means, by itself or by one of its formulas; where there is none the form says so."""
    given = str(form.cleaned_data["find"])
    if not lookup.members(collection, given).is_empty():
        return given
    if found := visual_ids.unit_ids(collection, [given]).get(given):
        return found
    form.add_error("find", f"The index has neither a visual id {given} nor a formula {given} that has one.")
    return None


def not_matching(campaign: Campaign) -> list[tuple[Any, Any]]:
    return [(mark, drawn(campaign, mark.latex)) for mark in lookup.not_matching(campaign)]


@require_safe
def cluster(request: HttpRequest, slug: str, visual_id: str) -> HttpResponse:
    """All formulas of one visual id, by the way in which they are written; those in threads that are here are links."""
    campaign, collection = found_in(request, slug)
    writings = lookup.cluster(collection, visual_id, SHOWN)
    if not writings:
        raise Http404
    page = Paginator(writings, PAGE).get_page(request.GET.get("page"))
    posts = {row.post_id for writing in page for row in writing.formulas}
    stored = dict(Post.objects.filter(collection=collection, post_id__in=posts).values_list("post_id", "thread_id"))
    context = {
        "campaign": campaign,
        "section": "formulas",
        "visual_id": visual_id,
        "page": page,
        "writings": [(writing, drawn(campaign, writing.latex), linked(writing, stored)) for writing in page],
        "total": sum(writing.size for writing in writings),
    }
    return render(request, "formulas/cluster.html", context)


def drawn(campaign: Campaign, latex: str) -> str:
    return tex_html(campaign, latex) if len(latex) <= DRAWN else ""


def linked(writing: lookup.Writing, stored: dict[str, str]) -> list[tuple[FormulaRow, str]]:
    """The formulas with the threads in which they can be looked at; empty where the thread is not here."""
    return [(row, stored.get(row.post_id, "")) for row in writing.formulas]


def version_of(request: HttpRequest, slug: str, number: int, **conditions: Any) -> tuple[Campaign, VisualMap]:
    campaign, collection = found_in(request, slug)
    return campaign, get_object_or_404(visual_ids.versions(collection), number=number, kind="repair", **conditions)


@require_safe
def mixed(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """A repair, applied or not: every mixed cluster with its parts, and what becomes of each."""
    campaign, version = version_of(request, slug, number)
    page = Paginator(range(lookup.count_partitions(version)), PAGE).get_page(request.GET.get("page"))
    parts = lookup.partitions(version, page.start_index() - 1, PAGE)
    context = {
        "campaign": campaign,
        "section": "formulas",
        "version": version,
        "page": page,
        "parts": [(part, drawn(campaign, part["latex"])) for part in parts],
        "running": unfinished(campaign, Kind.REPAIR),
    }
    return render(request, "formulas/mixed.html", context)


@require_safe
def moved(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Old and new visual id of every formula that a repair moves."""
    campaign, version = version_of(request, slug, number)
    return attachment(lookup.moved_file(version), f"{campaign.slug}.visual-ids-{number}.tsv")


@require_POST
def compute_start(request: HttpRequest, slug: str) -> HttpResponse:
    campaign, collection = found_in(request, slug)
    form = ComputeForm(request.POST)
    if not form.is_valid():
        return redirect("formulas", slug)
    return start(request, campaign, Kind.VISUAL_IDS, collection=collection.pk, **options(form))


@require_POST
def look_start(request: HttpRequest, slug: str) -> HttpResponse:
    campaign, collection = found_in(request, slug)
    form = LookForm(request.POST)
    form.is_valid()
    return start(request, campaign, Kind.MIXED, collection=collection.pk, **options(form))


def options(form: forms.Form) -> dict[str, Any]:
    return {"with_latexml": False, **form.cleaned_data}


@require_POST
def repair_start(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    campaign, version = version_of(request, slug, number, applied__isnull=True)
    return start(request, campaign, Kind.REPAIR, version=version.pk)


@require_POST
def repair_discard(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    campaign, version = version_of(request, slug, number, applied__isnull=True)
    with refusals(request, "The repair is thrown away. The visual ids are as they were."):
        visual_ids.discard(campaign, version)
    return redirect("formulas", slug)


urlpatterns = [
    path("c/<slug:slug>/formulas/", overview, name="formulas"),
    path("c/<slug:slug>/formulas/compute/", compute_start, name="formulas_compute"),
    path("c/<slug:slug>/formulas/look/", look_start, name="formulas_look"),
    path("c/<slug:slug>/formulas/visual/<str:visual_id>/", cluster, name="formula_cluster"),
    path("c/<slug:slug>/formulas/repairs/<int:number>/", mixed, name="formula_repair"),
    path("c/<slug:slug>/formulas/repairs/<int:number>/moved/", moved, name="formula_repair_moved"),
    path("c/<slug:slug>/formulas/repairs/<int:number>/apply/", repair_start, name="formula_repair_apply"),
    path("c/<slug:slug>/formulas/repairs/<int:number>/discard/", repair_discard, name="formula_repair_discard"),
]
