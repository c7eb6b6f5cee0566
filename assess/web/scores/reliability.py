"""How far the results can be relied on: the latest report, older ones, and their tables as files."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from assess.ir.scores.by_assessor import FIRST, SECOND
from assess.ir.scores.reusability import TOP
from assess.models import Campaign, ReliabilityReport
from assess.services import job_kinds
from assess.services.common.access import ORGANIZER
from assess.services.common.errors import Refused
from assess.services.scores.reliability_tables import TABLES
from assess.services.scores.results import measured
from assess.web.common.doors import campaign_view
from assess.web.common.files import FileTable, as_attachment
from assess.web.common.job_start import start
from assess.web.common.measure_names import on_screen
from assess.web.common.responses import as_number, refusals, unfinished
from assess.web.scores.results import evaluations_of

NAMES = {FIRST: "first judgments", SECOND: "second judgments"}
"""On screen; other judges are named as in the report."""


def reports_of(campaign: Campaign) -> QuerySet[ReliabilityReport]:
    reports = ReliabilityReport.objects.filter(evaluation__qrels__pool__campaign=campaign)
    return reports.select_related("evaluation__qrels__pool__campaign")


@require_safe
@campaign_view(ORGANIZER)
def reliability(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The latest report. For organizers only: people who judge must not see runs."""
    return show_report(request, campaign, reports_of(campaign).first())


@require_safe
@campaign_view(ORGANIZER)
def reliability_report(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """An older report."""
    return show_report(request, campaign, get_object_or_404(reports_of(campaign), pk=pk))


@require_POST
@campaign_view(ORGANIZER)
def reliability_start(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    with refusals(request):
        scored = evaluations_of(campaign).first()
        if scored is None:
            raise Refused("Nothing has been scored: evaluate the runs with a release first.")
        return start(request, campaign, job_kinds.compute_reliability, evaluation=scored.pk)
    return redirect("reliability", campaign.slug)


@require_safe
@campaign_view(ORGANIZER)
def reliability_file(request: HttpRequest, campaign: Campaign, pk: int, table: str) -> HttpResponse:
    """A table of a report in full, with unrounded numbers."""
    report = get_object_or_404(reports_of(campaign), pk=pk)
    if table not in TABLES:
        raise Http404
    header, *rows = TABLES[table](report)
    file_table = FileTable([str(name) for name in header], rows, "")
    return as_attachment([file_table], f"{campaign.slug}.reliability-{pk}.{table}", "csv")


def show_report(request: HttpRequest, campaign: Campaign, report: ReliabilityReport | None) -> HttpResponse:
    newest = evaluations_of(campaign).defer("means").first()
    context: dict[str, Any] = {
        "campaign": campaign,
        "section": "reliability",
        "report": report,
        "reports": list(reports_of(campaign).defer("assessors", "reusability")),
        "newest": newest,
        "is_old": bool(report and newest and newest.pk != report.evaluation_id),
        "running": unfinished(campaign, job_kinds.compute_reliability),
    }
    if report:
        context |= shown(campaign, report, request.GET)
    return render(request, "scores/reliability.html", context)


def shown(campaign: Campaign, report: ReliabilityReport, query: QueryDict) -> dict[str, Any]:
    """The parts of a report for what the address chooses: a measure and a comparison of assessors."""
    known = {board["measure"] for pair in report.assessors for board in pair["boards"]}
    known |= {row["measure"] for team in report.reusability["left_out"] for row in team["leaderboards"]}
    names = [name for name in measured(report.evaluation) if name in known]
    measure = query.get("measure", "") if query.get("measure") in names else next(iter(names), "")
    run_keys = dict(campaign.runs.values_list("name", "pk"))
    addresses = addresses_of_scores(report, run_keys)
    compared = of_assessors(campaign, report, measure, chosen_comparison(report, measure, query.get("assessors")))
    by_team = measure_of_teams(report, measure)
    teams = of_teams(report, by_team)
    for row in [*compared.get("rows", []), *(row for team in teams for row in team["changes"])]:
        row["address"] = addresses.get(row["run"], "")
    return {
        "measure": on_screen(measure),
        "measures": [(name, on_screen(name), name == measure) for name in names],
        "compared": compared,
        "comparisons": [
            (number, title(pair), number == compared["number"]) for number, pair in enumerate(report.assessors)
        ],
        "teams": teams,
        "team_measure": on_screen(by_team),
        "runs": runs_of(campaign, report, run_keys),
        "assumed": report.reusability["assumed"],
        "has_late": any(not row["pooled"] for row in report.reusability["runs"]),
        "top": TOP,
        "charts": {"places": slopes(compared), "teams": arrows(teams)},
    }


def addresses_of_scores(report: ReliabilityReport, run_keys: Mapping[str, int]) -> dict[str, str]:
    """The page of the scores of each run that still exists, topic by topic."""
    evaluation = report.evaluation
    slug = evaluation.qrels.pool.campaign.slug
    return {name: reverse("evaluation_run", args=[slug, evaluation.pk, pk]) for name, pk in run_keys.items()}


def title(pair: dict[str, Any]) -> str:
    """A comparison of assessors in a list."""
    names = f"{pair['first']} and {pair['second']}" if pair["first"] else "First and second judgments"
    return f"{names}, written answers" if pair["written"] else names


def of_assessors(campaign: Campaign, report: ReliabilityReport, measure: str, number: int) -> dict[str, Any]:
    """A comparison by a measure, by its first one if it does not have this; empty if there is no comparison."""
    if not report.assessors:
        return {"number": 0}
    pair = report.assessors[number]
    address = reverse("disagreements", args=[campaign.slug])
    board = board_of(pair, measure) or next(iter(pair["boards"]), None)
    names = [NAMES.get(judge, judge) for judge in pair["judges"]]
    return {
        "number": number,
        "of": pair,
        "judges": names,
        "names": names[:2],
        "board": board,
        "measure": on_screen(board["measure"]) if board else "",
        "rows": list(map(as_place, board["runs"])) if board else [],
        "correlations": [with_names(row) for row in board["correlations"]] if board else [],
        "address": f"{address}?{urlencode(people(pair) | {'order': 'influence'})}",
    }


def chosen_comparison(report: ReliabilityReport, measure: str, asked: str | None) -> int:
    """The number of the comparison that was asked for, or the first one with the measure."""
    number = as_number(asked or "")
    if number is not None and number < len(report.assessors):
        return number
    return next((at for at, pair in enumerate(report.assessors) if board_of(pair, measure)), 0)


def board_of(pair: dict[str, Any], measure: str) -> dict[str, Any] | None:
    return next((board for board in pair["boards"] if board["measure"] == measure), None)


def with_names(row: dict[str, Any]) -> dict[str, Any]:
    return row | {name: NAMES.get(row[name], row[name]) for name in ("first", "second")}


def as_place(row: dict[str, Any]) -> dict[str, Any]:
    """A run with its value, its place and how far it moved from its first place under each judge, up is positive; None
    under the first."""
    first = row["places"][0]
    cells = [
        {"value": value, "place": place, "moved": first - place if place and first else 0}
        for value, place in zip(row["values"], row["places"], strict=True)
    ]
    cells[0]["moved"] = None
    return {"run": row["run"], "cells": cells}


def people(pair: dict[str, Any]) -> dict[str, str]:
    return {"first": pair["first"], "second": pair["second"]} if pair["first"] else {}


def measure_of_teams(report: ReliabilityReport, measure: str) -> str:
    """The measure, or the first one that the leaderboards without a team have: those of written answers have none."""
    measures = [row["measure"] for team in report.reusability["left_out"] for row in team["leaderboards"]]
    return measure if measure in measures else next(iter(measures), measure)


def of_teams(report: ReliabilityReport, measure: str) -> list[dict[str, Any]]:
    """Each team by a measure: what is lost without it, the leaderboard, and its runs."""
    brought = {row["name"]: row for row in report.reusability["teams"]}
    return [
        {
            "team": team["team"],
            "lines": team["lines"],
            "relevant": team["relevant"],
            "brought": brought[team["team"]],
            "leaderboard": next((row for row in team["leaderboards"] if row["measure"] == measure), None),
            "changes": [with_change(row) for row in team["changes"] if row["measure"] == measure],
        }
        for team in report.reusability["left_out"]
    ]


def with_change(row: dict[str, Any]) -> dict[str, Any]:
    is_known = row["after"] is not None
    return row | {
        "change": row["after"] - row["before"] if is_known else None,
        "moved": row["place_before"] - row["place_after"] if is_known else None,
    }


def runs_of(campaign: Campaign, report: ReliabilityReport, run_keys: Mapping[str, int]) -> list[dict[str, Any]]:
    """What each run brought in, and how much of its top is unjudged in percent; with its page, if it still exists."""
    return [
        row
        | {
            "address": reverse("run", args=[campaign.slug, run_keys[row["run"]]]) if row["run"] in run_keys else "",
            "percent": None if row["share"] is None else 100 * row["share"],
        }
        for row in report.reusability["runs"]
    ]


def slopes(compared: dict[str, Any]) -> dict[str, Any]:
    """The places of the runs under the two judges."""
    rows = compared.get("rows", [])
    places = [{"run": row["run"], "places": [cell["place"] for cell in row["cells"][:2]]} for row in rows]
    return {"judges": compared.get("names", []), "runs": [row for row in places if all(row["places"])]}


def arrows(teams: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The means of each team's runs before and after, for the chart."""
    return [
        {"run": row["run"], "before": row["before"], "after": row["after"]}
        for team in teams
        for row in team["changes"]
        if row["after"] is not None
    ]


urlpatterns = [
    path("c/<slug:slug>/reliability/", reliability, name="reliability"),
    path("c/<slug:slug>/reliability/compute/", reliability_start, name="reliability_start"),
    path("c/<slug:slug>/reliability/<int:pk>/", reliability_report, name="reliability_report"),
    path("c/<slug:slug>/reliability/<int:pk>/<slug:table>.csv", reliability_file, name="reliability_file"),
]
