"""Agreement of assessors."""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from assess.ir.common.rows import GRADES
from assess.models import AgreementReport, Campaign, Member, Round
from assess.services import job_kinds
from assess.services.agreement.agreement import NOTHING_COMMON, changes_since, figures_of
from assess.services.common.access import ORGANIZER, STAFF
from assess.services.common.errors import Refused
from assess.services.pool import freezing, judgment_sources
from assess.web.agreement.disagreements import UNITS
from assess.web.agreement.second_opinions import opinions_of
from assess.web.common.doors import campaign_view
from assess.web.common.job_start import start
from assess.web.common.responses import as_number, refusals, unfinished


@require_safe
@campaign_view(STAFF)
def agreement(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The latest report and the list of all."""
    return show_report(request, campaign, reports_of(campaign).first())


@require_safe
@campaign_view(STAFF)
def agreement_report(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """An older report."""
    return show_report(request, campaign, get_object_or_404(reports_of(campaign), pk=pk))


@require_safe
@campaign_view(STAFF)
def agreement_pair(request: HttpRequest, campaign: Campaign, pk: int, first: str, second: str) -> HttpResponse:
    """Two assessors: their grades against each other, by every unit, and their topics."""
    report = get_object_or_404(reports_of(campaign), pk=pk)
    address = documents_of(campaign, {"first": first, "second": second})
    leads = {"instance": address, "visual": f"{address}&unit=visual"} if campaign.role == Member.Role.ORGANIZER else {}
    by_unit = []
    for unit, label in units_of(report):
        pair, topics = of_pair(figures_of(report, unit), first, second)
        by_unit.append((label, pair, topics, cells(pair, leads.get(unit, ""))))
    if not any(pair for _, pair, *_ in by_unit):
        raise Http404
    context = {"campaign": campaign, "section": "agreement", "report": report, "first": first, "second": second}
    context |= {"units": by_unit, "grades": sorted(GRADES), "changes": changes_since(report)}
    return render(request, "agreement/agreement_pair.html", context)


def cells(pair: dict[str, Any] | None, address: str) -> list[list[dict[str, Any]]]:
    """The confusion matrix, each cell with the address of the documents behind it, if there is one."""
    return [
        [
            {"row": row, "column": column, "count": count}
            | {"address": f"{address}&grade={row}&other_grade={column}&distance=0" if count and address else ""}
            for column, count in enumerate(counts)
        ]
        for row, counts in enumerate(pair["confusion"] if pair else [])
    ]


def of_pair(figures: dict[str, Any], first: str, second: str) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
    """The pair, if it is in the report, and its topics."""
    pairs = [pair for pair in figures["pairs"] if (pair["first"], pair["second"]) == (first, second)]
    topics = [pair for pair in figures["topics"] if (pair["first"], pair["second"]) == (first, second)]
    return (pairs[0] if pairs else None), topics


def units_of(report: AgreementReport) -> list[tuple[str, str]]:
    """What the grades of a report belong to, with labels."""
    return UNITS if report.visual else [("instance", "Answers")]


def reports_of(campaign: Campaign) -> QuerySet[AgreementReport]:
    return AgreementReport.objects.filter(pool__campaign=campaign).select_related("pool")


def show_report(request: HttpRequest, campaign: Campaign, report: AgreementReport | None) -> HttpResponse:
    unit = request.GET.get("unit", "instance")
    is_organizer = campaign.role == Member.Role.ORGANIZER
    pool = campaign.frozen_pool()
    context: dict[str, Any] = {
        "campaign": campaign,
        "section": "agreement",
        "report": report,
        "reports": list(reports_of(campaign).defer("pairs", "assessors", "topics", "means", "visual", "influence")),
        "pool": pool,
        "is_judged": pool is not None and freezing.is_judged(pool),
        "running": unfinished(campaign, job_kinds.compute_agreement),
        "nothing_common": NOTHING_COMMON,
        "offer": judgment_sources.offer(campaign) if is_organizer else None,
        "unit": unit,
    }
    if report:
        figures = with_rounds(figures_of(report, unit))
        context |= {
            "units": [(name, label, figures_of(report, name)["means"]) for name, label in units_of(report)],
            "shown": figures,
            "changes": changes_since(report),
            "charts": charts(figures, pair_link(campaign, report)),
            "compared": [pair for pair in figures["pairs"] if pair["n"]],
            "apart": [pair for pair in report.pairs if not pair["n"]],
            "opinions": opinions_of(report) if is_organizer else [],
        }
    return render(request, "agreement/agreement.html", context)


def with_rounds(figures: dict[str, Any]) -> dict[str, Any]:
    """With the rounds as people name them."""
    rounds = [row | {"name": ROUNDS.get(row["name"], row["name"])} for row in figures["means"]["by_round"]]
    return figures | {"rounds": rounds}


ROUNDS = dict(Round.Kind.choices) | {Round.Kind.DUAL: gettext_lazy("Main and dual")}
Links = Callable[[dict[str, Any]], str]


def charts(figures: dict[str, Any], link: Links) -> dict[str, Any]:
    """What the charts of a report show; ``link`` leads from a pair to what it is about."""
    panels = figures["rounds"] or [{"name": "", "assessors": figures["assessors"]}]
    return {
        "panels": [{"name": row["name"], "bars": list(map(bar, row["assessors"]))} for row in panels],
        "pairs": [
            {"first": pair["first"], "second": pair["second"], "address": link(pair)}
            | {name: pair[name]["value"] for name in ("kappa", "kappa_hm")}
            for pair in figures["pairs"]
            if pair["n"]
        ],
        "trends": [
            [bar(row | {"assessor": row["name"]}) for row in rows]
            for rows in (figures["rounds"], figures["means"]["by_week"])
        ],
    }


def bar(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("assessor", "kappa", "kappa_hm")}


def pair_link(campaign: Campaign, report: AgreementReport) -> Links:
    """Organizers get the documents of a pair, experts its numbers."""
    if campaign.role == Member.Role.ORGANIZER:
        return lambda pair: f"{documents_of(campaign, pair)}&distance=0"
    return lambda pair: reverse("agreement_pair", args=[campaign.slug, report.pk, pair["first"], pair["second"]])


def documents_of(campaign: Campaign, pair: dict[str, Any]) -> str:
    """The list of documents that both graded, to which grades can be added."""
    named = urlencode({name: pair[name] for name in ("first", "second")})
    return f"{reverse('disagreements', args=[campaign.slug])}?{named}"


@require_POST
@campaign_view(ORGANIZER)
def agreement_start(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    with refusals(request):
        pool = campaign.frozen_pool()
        if pool is None:
            raise Refused("Nothing has been judged: the pool is not frozen.")
        wanted = [int(pk) for pk in request.POST.getlist("sources") if as_number(pk)]
        sources = list(campaign.judgment_sources.filter(pk__in=wanted).values_list("pk", flat=True))
        chosen = {"sources": sources} if sources else {}
        return start(request, campaign, job_kinds.compute_agreement, pool=pool.pk, **chosen)
    return redirect("agreement", campaign.slug)


urlpatterns = [
    path("c/<slug:slug>/agreement/", agreement, name="agreement"),
    path("c/<slug:slug>/agreement/compute/", agreement_start, name="agreement_start"),
    path("c/<slug:slug>/agreement/<int:pk>/", agreement_report, name="agreement_report"),
    path("c/<slug:slug>/agreement/<int:pk>/<str:first>/<str:second>/", agreement_pair, name="agreement_pair"),
]
