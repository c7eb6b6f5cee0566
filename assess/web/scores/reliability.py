"""How far the results can be relied on: the latest report, older ones, and each as a file."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.http import urlencode

from assess.ir.releases.differences import Move
from assess.ir.scores.by_assessor import FIRST, SECOND
from assess.ir.scores.reusability import TOP
from assess.models import Campaign, ReliabilityReport
from assess.services import job_kinds
from assess.services.common.access import ORGANIZER
from assess.services.common.errors import Refused
from assess.services.scores.results import measures_with_means
from assess.web.common.doors import campaign_action, campaign_page
from assess.web.common.jobs import start_job
from assess.web.common.measure_names import on_screen
from assess.web.common.responses import as_number, asked_row, attachment, unfinished
from assess.web.scores.evaluations import evaluations_of, part_address

NAMES = {FIRST: "first judgments", SECOND: "second judgments"}
"""On screen; other judges are named as in the report."""


def reports_of(campaign: Campaign) -> QuerySet[ReliabilityReport]:
    reports = ReliabilityReport.objects.filter(evaluation__qrels__pool__campaign=campaign)
    return reports.select_related("evaluation__qrels__pool__campaign")


@campaign_page(ORGANIZER)
def reliability(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The latest report or the one that ``?reliability=`` names. For organizers only: people who judge must not see
    runs."""
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


@campaign_action(ORGANIZER, "reliability")
def reliability_start(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    scored = evaluations_of(campaign).first()
    if scored is None:
        raise Refused("Nothing has been scored: evaluate the runs with a release first.")
    return start_job(request, campaign, job_kinds.compute_reliability, evaluation=scored.pk)


@campaign_page(ORGANIZER)
def reliability_file(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """A report in full, with unrounded numbers."""
    report = get_object_or_404(reports_of(campaign), pk=pk)
    text = json.dumps({"assessors": report.assessors, "reusability": report.reusability}, ensure_ascii=False, indent=2)
    return attachment(f"{text}\n", f"{campaign.slug}.reliability-{pk}.json", "application/json")


def report_context(campaign: Campaign, report: ReliabilityReport, query: QueryDict) -> dict[str, Any]:
    """The parts of a report for what the address chooses: a measure and a comparison of assessors."""
    left_out = report.reusability["left_out"]
    of_teams = [measure for team in left_out for measure in team["leaderboards"]]
    known = {*of_teams, *(board["measure"] for pair in report.assessors for board in pair["boards"])}
    names = [name for name in measures_with_means(report.evaluation) if name in known]
    measure = query.get("measure", "") if query.get("measure") in names else next(iter(names), "")
    # Leaderboards without a team have no measures of written answers.
    team_measure = measure if measure in of_teams else next(iter(of_teams), measure)
    number = asked_comparison(report, measure, query.get("assessors", ""))
    compared = comparison_context(campaign, report.assessors[number], measure) if report.assessors else {}
    teams = team_rows(report, team_measure)
    run_keys = dict(campaign.runs.values_list("name", "pk"))
    gone = set(campaign.runs.exclude(withdrawn=None).values_list("name", flat=True))
    for row in [*compared.get("rows", []), *(row for team in teams for row in team["changes"])]:
        key = run_keys.get(row["run"])
        row["address"] = part_address(report.evaluation, "run", run=key) if key else ""
    return {
        "measure": on_screen(measure),
        "measures": [(name, on_screen(name), name == measure) for name in names],
        "compared": compared,
        "comparisons": [(at, title_of(pair), at == number) for at, pair in enumerate(report.assessors)],
        "teams": teams,
        "team_measure": on_screen(team_measure),
        "runs": run_rows(campaign, report, run_keys),
        "withdrawn": [row["run"] for row in report.reusability["runs"] if row["run"] in gone],
        "assumed": report.reusability["assumed"],
        "has_late": any(not row["pooled"] for row in report.reusability["runs"]),
        "top": TOP,
        "charts": {"places": slopes(compared), "teams": arrows(teams)},
    }


def title_of(pair: dict[str, Any]) -> str:
    """A comparison of assessors in a list."""
    names = f"{pair['first']} and {pair['second']}" if pair["first"] else "First and second judgments"
    return f"{names}, written answers" if pair["written"] else names


def asked_comparison(report: ReliabilityReport, measure: str, asked: str) -> int:
    """The number of the comparison that was asked for, or the first one with the measure."""
    number = as_number(asked)
    if number is not None and number < len(report.assessors):
        return number
    with_measure = (at for at, pair in enumerate(report.assessors) if board_by_measure(pair, measure))
    return next(with_measure, 0)


def board_by_measure(pair: dict[str, Any], measure: str) -> dict[str, Any]:
    """The leaderboards of a comparison by a measure; empty if it does not have it."""
    return next((board for board in pair["boards"] if board["measure"] == measure), {})


def comparison_context(campaign: Campaign, pair: dict[str, Any], measure: str) -> dict[str, Any]:
    """A comparison by a measure, by its first one if it does not have this."""
    board = board_by_measure(pair, measure) or next(iter(pair["boards"]), {})
    names = [NAMES.get(judge, judge) for judge in pair["judges"]]
    people = {"first": pair["first"], "second": pair["second"]} if pair["first"] else {}
    address = reverse("disagreements", args=[campaign.slug])
    return {
        "of": pair,
        "judges": names,
        "names": names[:2],
        "measure": on_screen(board.get("measure", "")),
        "rows": list(map(row_of_places, board.get("runs", []))),
        "correlations": [
            row | {name: NAMES.get(row[name], row[name]) for name in ("first", "second")}
            for row in board.get("correlations", [])
        ],
        "address": f"{address}?{urlencode(people | {'order': 'influence'})}",
    }


def row_of_places(row: dict[str, Any]) -> dict[str, Any]:
    """A run with its value, its place and how far it moved from its first place under each judge, up is positive; None
    under the first."""
    first = row["places"][0]
    cells = [
        {"value": value, "place": place, "moved": first - place if place and first else 0}
        for value, place in zip(row["values"], row["places"], strict=True)
    ]
    cells[0]["moved"] = None
    return {"run": row["run"], "cells": cells}


def team_rows(report: ReliabilityReport, measure: str) -> list[dict[str, Any]]:
    """Each team by a measure: what is lost without it, the leaderboard, and its runs."""
    brought = {row["name"]: row for row in report.reusability["teams"]}
    return [
        team
        | {
            "brought": brought[team["team"]],
            "leaderboard": team["leaderboards"].get(measure),
            "changes": [with_change(row) for row in team["changes"] if row["measure"] == measure],
        }
        for team in report.reusability["left_out"]
    ]


def with_change(row: dict[str, Any]) -> dict[str, Any]:
    move = Move(**row)
    return row | {"change": move.change, "moved": move.climb}


def run_rows(campaign: Campaign, report: ReliabilityReport, run_keys: Mapping[str, int]) -> list[dict[str, Any]]:
    """What each run brought in, and how much of its top is unjudged in percent; with its page, if it still exists."""
    return [
        row
        | {
            "address": reverse("runs", args=[campaign.slug], query={"run": key}) if key else "",
            "percent": None if row["share"] is None else 100 * row["share"],
        }
        for row in report.reusability["runs"]
        for key in [run_keys.get(row["run"])]
    ]


def slopes(compared: dict[str, Any]) -> dict[str, Any]:
    """The places of the runs under the two judges, for the chart."""
    rows = compared.get("rows", [])
    places = [{"run": row["run"], "places": [cell["place"] for cell in row["cells"][:2]]} for row in rows]
    return {"judges": compared.get("names", []), "runs": [row for row in places if all(row["places"])]}


def arrows(teams: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The means of each team's runs before and after, for the chart."""
    rows = [row for team in teams for row in team["changes"] if row["after"] is not None]
    return [{name: row[name] for name in ("run", "before", "after")} for row in rows]
