"""The page of the report on a pool."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from assess.ir.common.percent import percent
from assess.models import Campaign
from assess.services.common.access import ORGANIZER
from assess.services.pool import planning, reports
from assess.web.common.doors import campaign_page
from assess.web.common.responses import number_in


@campaign_page(ORGANIZER)
def pool_report(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    pool = get_object_or_404(campaign.pools, version=number_in(request.GET, "report_on"))
    report = reports.report_on_pool(pool)
    sizes = [row for row in report.topics if row[1]]
    _, *sums = zip(("", 0, 0, 0), *sizes, strict=True)
    units, documents, crowded = map(sum, sums)
    context = report._asdict() | {
        "pool": pool,
        "rules": pool.rules,
        "topic_count": len(sizes),
        "units": units,
        "documents": documents,
        "crowded": crowded,
        "crowded_percent": percent(crowded, units),
        "spread": planning.spread_of(row[1] for row in sizes),
        "spread_documents": planning.spread_of(row[2] for row in sizes),
        "failed": sum(not check.is_met for check in report.checks),
    }
    return render(request, "pool/report.html", context)
