"""The report on a pool, as a page and as files to download."""

from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from assess.ir.campaign.protocol import Protocol
from assess.ir.common.percent import percent
from assess.ir.formats.table import write_table
from assess.ir.pool.contributions import PoolContribution
from assess.models import Campaign
from assess.services import job_kinds
from assess.services.common.access import ORGANIZER
from assess.services.pool import planning, reports
from assess.web.common.doors import campaign_action, campaign_page
from assess.web.common.jobs import start_job
from assess.web.common.responses import attachment, number_in, unfinished
from assess.web.pool.versions import pool_with

Report = dict[str, Any]


@campaign_page(ORGANIZER)
def pool_report(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    version = number_in(request.GET, "report_on")
    pool = pool_with(campaign, version)
    report = reports.stored_report(pool, version)
    old = next((each for each in pool.history if each["version"] == version), None)
    context = {
        "pool": pool,
        "version": version,
        "is_current": old is None,
        "rules": Protocol.from_dict(old["protocol"]) if old else pool.rules,
        "report": report,
        "running": unfinished(campaign, job_kinds.report_on_pool),
    }
    return render(request, "pool/report.html", context | (sizes_and_contributions(report) if report else {}))


def sizes_and_contributions(report: Report) -> dict[str, Any]:
    """The context of the page, which includes the sums and means of the header."""
    rows = [row for row in report["topics"] if row[1]]
    units, documents, crowded = (sum(row[n] for row in rows) for n in (1, 2, 3))
    return {
        "topics": rows,
        "units": units,
        "documents": documents,
        "crowded": crowded,
        "crowded_percent": percent(crowded, units),
        "spread": planning.spread_of(row[1] for row in rows),
        "spread_documents": planning.spread_of(row[2] for row in rows),
        "made": datetime.fromisoformat(report["made"]),
        "runs": [(row | {"coverage": coverage_percent(row)}, as_contribution(row)) for row in report["runs"]],
        "teams": [as_contribution(row) for row in report["teams"]],
        "failed": sum(not check["is_met"] for check in report["checks"]),
    }


def as_contribution(row: dict[str, Any]) -> PoolContribution:
    return PoolContribution(*(row[name] for name in PoolContribution._fields))


def coverage_percent(row: dict[str, Any]) -> float | None:
    """The percentage of a run's documents that are in the collection; None if there is nothing to compare with."""
    return percent(row["known"], row["documents"]) if row["documents"] else None


@campaign_action(ORGANIZER, "pool", report_on="version")
def pool_report_make(request: HttpRequest, campaign: Campaign, version: int) -> HttpResponse:
    pool = get_object_or_404(campaign.pools, version=version)
    return start_job(request, campaign, job_kinds.report_on_pool, pool=pool.pk)


@campaign_page(ORGANIZER)
def pool_report_file(request: HttpRequest, campaign: Campaign, version: int, name: str) -> HttpResponse:
    pool = pool_with(campaign, version)
    report = reports.stored_report(pool, version)
    if report is None or name not in TABLES:
        raise Http404
    return attachment(contribution_table(report, name), f"{campaign.slug}.pool-{version}.{name}")


def contribution_table(report: Report, name: str) -> str:
    """The sizes of topics, or the contributions of runs or teams."""
    if name == "topics.tsv":
        return write_table([["topic", "units", "documents", "crowded"], *report["topics"]])
    about, more = (["team", "role"], ["documents", "known"]) if name == "runs.tsv" else ([], [])
    fields = [*about, *PoolContribution._fields[1:], *more]
    rows = report[name.removesuffix(".tsv")]
    lines = ([row["name"], *(row[field] for field in fields)] for row in rows)
    return write_table([[name.removesuffix("s.tsv"), *fields], *lines])


TABLES = ("topics.tsv", "runs.tsv", "teams.tsv")
