"""Agreement of assessors."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from assess.ir.common.rows import GRADES
from assess.models import AgreementReport, Campaign, Job, Round
from assess.services.common.access import STAFF, campaign_for
from assess.services.common.errors import Refused
from assess.services.results.agreement import NOTHING_COMMON, at_level
from assess.web.common.job_start import start
from assess.web.common.responses import refusals, unfinished


@require_safe
def agreement(request: HttpRequest, slug: str) -> HttpResponse:
    """The latest report and the list of all."""
    campaign = campaign_for(request.user, slug, STAFF)
    return show_report(request, campaign, reports_of(campaign).first())


@require_safe
def agreement_report(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """An older report."""
    campaign = campaign_for(request.user, slug, STAFF)
    return show_report(request, campaign, get_object_or_404(reports_of(campaign), pk=pk))


@require_safe
def agreement_pair(request: HttpRequest, slug: str, pk: int, first: str, second: str) -> HttpResponse:
    """Two assessors: their grades against each other, on every level, and their topics."""
    campaign = campaign_for(request.user, slug, STAFF)
    report = get_object_or_404(reports_of(campaign), pk=pk)
    levels = [(label, of_pair(at_level(report, level), first, second)) for level, label in levels_of(report)]
    if not any(pair for _, (pair, _) in levels):
        raise Http404
    context = {"campaign": campaign, "section": "agreement", "report": report, "first": first, "second": second}
    return render(request, "results/agreement_pair.html", context | {"levels": levels, "grades": sorted(GRADES)})


def of_pair(shown: dict[str, Any], first: str, second: str) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
    """The pair, if it is in the report, and its topics."""
    pairs = [pair for pair in shown["pairs"] if (pair["first"], pair["second"]) == (first, second)]
    topics = [pair for pair in shown["topics"] if (pair["first"], pair["second"]) == (first, second)]
    return (pairs[0] if pairs else None), topics


def levels_of(report: AgreementReport) -> list[tuple[str, str]]:
    """The levels of a report with their labels."""
    levels = {"instance": "Instances", "visual": "Visually distinct formulas"}
    return list(levels.items()) if report.visual else [("instance", "Answers")]


def reports_of(campaign: Campaign) -> QuerySet[AgreementReport]:
    return AgreementReport.objects.filter(pool__campaign=campaign).select_related("pool")


def show_report(request: HttpRequest, campaign: Campaign, report: AgreementReport | None) -> HttpResponse:
    level = request.GET.get("level", "instance")
    context: dict[str, Any] = {
        "campaign": campaign,
        "section": "agreement",
        "report": report,
        "reports": list(reports_of(campaign).defer("pairs", "assessors", "topics", "means", "visual", "influence")),
        "pool": campaign.frozen_pool(),
        "running": unfinished(campaign, Job.Kind.AGREEMENT),
        "nothing_common": NOTHING_COMMON,
        "level": level,
    }
    if report:
        context |= {
            "levels": [(name, label, at_level(report, name)["means"]) for name, label in levels_of(report)],
            "shown": with_phases(at_level(report, level)),
            "compared": [pair for pair in at_level(report, level)["pairs"] if pair["n"]],
            "apart": [pair for pair in report.pairs if not pair["n"]],
        }
    return render(request, "results/agreement.html", context)


def with_phases(shown: dict[str, Any]) -> dict[str, Any]:
    """With the rounds as people name them, and what the charts show."""
    rounds = [row | {"name": PHASES.get(row["name"], row["name"])} for row in shown["means"].get("by_round", [])]
    bars = [{name: row[name] for name in ("assessor", "kappa", "kappa_hm")} for row in shown["assessors"]]
    return shown | {"rounds": rounds, "bars": bars}


PHASES = dict(Round.Kind.choices) | {Round.Kind.DUAL: "Main and dual"}


@require_POST
def agreement_start(request: HttpRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug)
    with refusals(request):
        pool = campaign.frozen_pool()
        if pool is None:
            raise Refused("Nothing has been judged: the pool is not frozen.")
        return start(request, campaign, Job.Kind.AGREEMENT, pool=pool.pk)
    return redirect("agreement", slug)


urlpatterns = [
    path("c/<slug:slug>/agreement/", agreement, name="agreement"),
    path("c/<slug:slug>/agreement/compute/", agreement_start, name="agreement_start"),
    path("c/<slug:slug>/agreement/<int:pk>/", agreement_report, name="agreement_report"),
    path("c/<slug:slug>/agreement/<int:pk>/<str:first>/<str:second>/", agreement_pair, name="agreement_pair"),
]
