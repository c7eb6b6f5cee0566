"""The visual ids of a formula campaign: versions, repairs of mixed ids, and formulas marked as not matching."""

from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from assess.ir.common.rows import LONGEST_ID
from assess.models import Campaign, Collection, Post, VisualMap
from assess.services import job_kinds
from assess.services.common.access import ORGANIZER
from assess.services.formulas import repairs, visual_ids
from assess.web.common.doors import campaign_action, campaign_page
from assess.web.common.html import tex_html
from assess.web.common.jobs import start_job
from assess.web.common.responses import attachment, checked_fields, number_in, unfinished

PAGE = 50
"""Rows of a list on one page."""
SHOWN = 10
"""Formulas listed for each writing."""
DRAWN = 200
"""Longer LaTeX is not drawn in a list."""


class ComputeForm(forms.Form):
    scope = forms.ChoiceField(choices=VisualMap.Scope, initial=VisualMap.Scope.ALL)


class FindForm(forms.Form):
    find = forms.CharField(label="Visual id or formula id", max_length=LONGEST_ID)


def collection_or_404(campaign: Campaign) -> Collection:
    if not (collection := visual_ids.indexed_collection(campaign)):
        raise Http404
    return collection


@campaign_page(ORGANIZER, section="formulas")
def overview(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    if not campaign.is_formulas:
        raise Http404
    collection = visual_ids.indexed_collection(campaign)
    find_form = FindForm(request.GET if "find" in request.GET else None)
    if collection and find_form.is_valid() and (visual_id := find_visual_id(collection, find_form)):
        return redirect(reverse("collection", args=[campaign.slug], query={"visual_id": visual_id}))
    context = {
        "find_form": find_form,
        "marks": [(mark, drawn(campaign, mark["latex"])) for mark in repairs.not_matching(campaign)],
        "running": unfinished(
            campaign,
            job_kinds.import_collection,
            job_kinds.compute_visual_ids,
            job_kinds.look_for_mixed,
            job_kinds.repair_visual_ids,
        ),
    }
    if collection:
        version = visual_ids.current_version(collection)
        counts = version.counts if version else {"formulas": 0, "without": collection.counts["formulas"]}
        context |= {
            "collection": collection,
            "version": version,
            "draft": repairs.draft_repair(collection),
            "versions": visual_ids.applied_versions(collection).select_related("base", "created_by"),
            "counts": collection.counts | counts,
            "compute": ComputeForm(),
        }
    return render(request, "formulas/overview.html", context)


def find_visual_id(collection: Collection, form: FindForm) -> str | None:
    """The visual id entered, or that of the formula id entered; adds an error to the form if there is none."""
    entered = str(form.cleaned_data["find"])
    if not visual_ids.formulas_with_id(collection, entered).is_empty():
        return entered
    if visual_id := visual_ids.unit_ids(collection, [entered]).get(entered):
        return visual_id
    form.add_error("find", f"The index has no visual id {entered}, and no formula {entered} with a visual id.")
    return None


@campaign_page(ORGANIZER, section="formulas")
def cluster(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The formulas of a visual id, grouped by how they are written, with links to the threads that are stored."""
    collection, visual_id = collection_or_404(campaign), request.GET["visual_id"]
    writings = visual_ids.find_writings(collection, visual_id, SHOWN)
    if not writings:
        raise Http404
    page = Paginator(writings, PAGE).get_page(request.GET.get("page"))
    posts = {row["post_id"] for writing in page for row in writing["formulas"]}
    stored = dict(Post.objects.filter(collection=collection, post_id__in=posts).values_list("post_id", "thread_id"))
    context = {
        "visual_id": visual_id,
        "page": page,
        "writings": [
            (
                writing,
                drawn(campaign, writing["latex"]),
                [(row, stored.get(row["post_id"], "")) for row in writing["formulas"]],
            )
            for writing in page
        ],
        "total": sum(writing["size"] for writing in writings),
    }
    return render(request, "formulas/cluster.html", context)


def drawn(campaign: Campaign, latex: str) -> str:
    return tex_html(campaign, latex) if len(latex) <= DRAWN else ""


def repair_of(campaign: Campaign, number: int, **conditions: Any) -> VisualMap:
    versions = visual_ids.versions(collection_or_404(campaign))
    return get_object_or_404(versions, number=number, kind="repair", **conditions)


@campaign_page(ORGANIZER, section="formulas")
def mixed(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """A repair, applied or not: every mixed visual id with its parts and what happens to each."""
    version = repair_of(campaign, number_in(request.GET, "repair"))
    rows = repairs.read_partitions(version)  # there can be very many, so only those of the page become objects
    page = Paginator(range(len(rows)), PAGE).get_page(request.GET.get("page"))
    context = {
        "version": version,
        "page": page,
        "parts": [(part, drawn(campaign, part["latex"])) for part in rows[list(page)].to_dicts()],
        "running": unfinished(campaign, job_kinds.repair_visual_ids),
    }
    return render(request, "formulas/mixed.html", context)


@campaign_page(ORGANIZER)
def moved(request: HttpRequest, campaign: Campaign, number: int) -> HttpResponse:
    """The old and new visual id of every formula that a repair moves, as a download."""
    version = repair_of(campaign, number)
    return attachment(repairs.moved_file(version), f"{campaign.slug}.visual-ids-{number}.tsv")


@campaign_action(ORGANIZER, "collection", section="formulas", formulas="")
def compute_start(request: HttpRequest, campaign: Campaign) -> HttpResponse | None:
    collection = collection_or_404(campaign)
    scope = checked_fields(ComputeForm(request.POST))
    return start_job(request, campaign, job_kinds.compute_visual_ids, collection=collection.pk, **scope)


@campaign_action(ORGANIZER, "collection", section="formulas", formulas="")
def repair_start(request: HttpRequest, campaign: Campaign, number: int) -> HttpResponse:
    version = repair_of(campaign, number, applied__isnull=True)
    return start_job(request, campaign, job_kinds.repair_visual_ids, version=version.pk)
