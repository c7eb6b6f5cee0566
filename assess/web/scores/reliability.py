"""How far the results can be relied on: the latest report, older ones, and each as a file."""

import json
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from assess.ir.releases.differences import Move
from assess.ir.scores.leaderboard import FIRST_JUDGMENTS, SECOND_JUDGMENTS
from assess.models import Campaign, ReliabilityReport
from assess.services import job_kinds
from assess.services.common.access import ORGANIZER
from assess.services.scores.results import measures_with_means
from assess.web.common.doors import campaign_page
from assess.web.common.measure_names import asked, measure_links, on_screen
from assess.web.common.responses import as_number, asked_row, attachment, unfinished
from assess.web.scores.parts import evaluations_of, part_address

NAMES = {FIRST_JUDGMENTS: "first judgments", SECOND_JUDGMENTS: "second judgments"}
"""On screen; other judges are named as in the report."""
NO_CHART: dict[str, list[Any]] = {"judges": [], "runs": []}
NO_BOARD: dict[str, Any] = {"measure": "", "runs": [], "correlations": []}


def reports_of(campaign: Campaign) -> QuerySet[ReliabilityReport]:
    reports = ReliabilityReport.objects.filter(evaluation__qrels__pool__campaign=campaign)
    return reports.select_related("evaluation__qrels__pool__campaign")


@campaign_page(ORGANIZER)
def reliability(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The latest report, or the one that ``?reliability=`` names. For organizers only: who judges must not see runs."""
    report = asked_row(request, "reliability", reports_of(campaign)) or reports_of(campaign).first()
    newest = evaluations_of(campaign).defer("means").first()
    context: dict[str, Any] = {
        "report": report,
        "reports": list(reports_of(campaign).defer("assessors", "reusability")),
        "newest": newest,
        "is_old": bool(report and newest and newest.pk != report.evaluation_id),
        "running": unfinished(campaign, job_kinds.compute_reliability),
    }
    if report:
        context |= report_context(campaign, report, request.GET)
    return render(request, "scores/reliability.html", context)


@campaign_page(ORGANIZER)
def reliability_file(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """A report in full, with unrounded numbers."""
    report = get_object_or_404(reports_of(campaign), pk=pk)
    text = json.dumps({"assessors": report.assessors, "reusability": report.reusability}, ensure_ascii=False, indent=2)
    return attachment(f"{text}\n", f"{campaign.slug}.reliability-{pk}.json", "application/json")


def report_context(campaign: Campaign, report: ReliabilityReport, query: QueryDict) -> dict[str, Any]:
    """The parts of a report for what the address chooses: a measure and a comparison of assessors."""
    pairs, runs, left_out = report.assessors, report.reusability["runs"], report.reusability["left_out"]
    of_teams = [measure for team in left_out for measure in team["leaderboards"]]
    known = {*of_teams, *(board["measure"] for pair in pairs for board in pair["boards"])}
    names = [name for name in measures_with_means(report.evaluation) if name in known]
    measure = asked(query, names)
    # Leaderboards without a team have no measures of written answers.
    team_measure = measure if measure in of_teams else next(iter(of_teams), measure)
    with_measure = (at for at, pair in enumerate(pairs) if measure in {board["measure"] for board in pair["boards"]})
    number = as_number(query.get("assessors", ""))
    number = next(with_measure, 0) if number is None or number >= len(pairs) else number
    compared = comparison_context(campaign, pairs[number], measure) if pairs else {"rows": [], "chart": NO_CHART}
    teams = team_rows(report, team_measure)
    stored = {name: (key, gone) for name, key, gone in campaign.runs.values_list("name", "pk", "withdrawn")}
    changes = [row for team in teams for row in team["changes"]]
    for row in [*compared["rows"], *changes]:
        key, _ = stored.get(row["run"], (0, None))
        row["address"] = part_address(report.evaluation, "run", run=key) if key else ""
    for row in runs:
        key, row["withdrawn"] = stored.get(row["run"], (0, None))
        row["address"] = reverse("runs", args=[campaign.slug], query={"run": key}) if key else ""
        row["percent"] = None if row["share"] is None else 100 * row["share"]
    return {
        "measure": on_screen(measure),
        "measures": measure_links(names, measure),
        "compared": compared,
        "comparisons": [(at, title_of(pair), at == number) for at, pair in enumerate(pairs)],
        "teams": teams,
        "team_measure": on_screen(team_measure),
        "runs": runs,
        "withdrawn": [row["run"] for row in runs if row["withdrawn"]],
        "assumed": report.reusability["assumed"],
        "charts": {"places": compared["chart"], "teams": [row for row in changes if row["after"] is not None]},
    }


def title_of(pair: dict[str, Any]) -> str:
    names = f"{pair['first']} and {pair['second']}" if pair["first"] else "First and second judgments"
    return f"{names}, written answers" if pair["written"] else names


def comparison_context(campaign: Campaign, pair: dict[str, Any], measure: str) -> dict[str, Any]:
    """A comparison by a measure, by its first one if it does not have this. Each run has its value, its place and how
    far it moved from its first place under each judge, up is positive; None under the first."""
    boards = {board["measure"]: board for board in pair["boards"]}
    board = boards.get(measure) or next(iter(boards.values()), NO_BOARD)
    judges, rows = [NAMES.get(judge, judge) for judge in pair["judges"]], []
    for row in board["runs"]:
        first, *others = row["places"]
        moves = [None, *(first - place if place and first else 0 for place in others)]
        rows.append({"run": row["run"], "cells": list(zip(row["values"], row["places"], moves, strict=True))})
    people = {"first": pair["first"], "second": pair["second"]} if pair["first"] else {}
    places = [{"run": row["run"], "places": row["places"][:2]} for row in board["runs"]]
    return {
        "of": pair,
        "judges": judges,
        "measure": on_screen(board["measure"]),
        "rows": rows,
        "correlations": [
            row | {name: NAMES.get(row[name], row[name]) for name in ("first", "second")}
            for row in board["correlations"]
        ],
        "address": reverse("disagreements", args=[campaign.slug], query=people | {"order": "influence"}),
        "chart": {"judges": judges[:2], "runs": [row for row in places if all(row["places"])]},
    }


def team_rows(report: ReliabilityReport, measure: str) -> list[dict[str, Any]]:
    """Each team by a measure: what is lost without it, the leaderboard, and its runs."""
    teams = []
    for team in report.reusability["left_out"]:
        moves = [(row, Move(**row)) for row in team["changes"] if row["measure"] == measure]
        changes = [row | {"change": move.change, "moved": move.climb} for row, move in moves]
        teams.append(team | {"leaderboard": team["leaderboards"].get(measure), "changes": changes})
    return teams
