"""Agreement of assessors."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from assess.ir.common.rows import GRADES
from assess.models import AgreementReport, Campaign, Job
from assess.services.common.access import STAFF, campaign_for
from assess.services.common.errors import Refused
from assess.services.results.agreement import NOTHING_COMMON
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


def reports_of(campaign: Campaign) -> QuerySet[AgreementReport]:
    return AgreementReport.objects.filter(pool__campaign=campaign).select_related("pool")


def show_report(request: HttpRequest, campaign: Campaign, report: AgreementReport | None) -> HttpResponse:
    context: dict[str, Any] = {
        "campaign": campaign,
        "section": "agreement",
        "report": report,
        "reports": list(reports_of(campaign).defer("pairs", "assessors", "topics")),
        "pool": campaign.frozen_pool(),
        "running": unfinished(campaign, Job.Kind.AGREEMENT),
        "grades": sorted(GRADES),
        "nothing_common": NOTHING_COMMON,
    }
    if report:
        context |= {
            "bars": [{name: row[name] for name in ("assessor", "kappa", "kappa_hm")} for row in report.assessors],
            "compared": [pair for pair in report.pairs if pair["n"]],
            "apart": [pair for pair in report.pairs if not pair["n"]],
        }
    return render(request, "results/agreement.html", context)


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
]
