"""What the leaderboard would be with the judgments of a source. For organizers only."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from assess.ir.formats.latex import Span
from assess.models import Campaign, Qrels, WhatIf
from assess.services import job_kinds
from assess.services.common.access import ORGANIZER
from assess.services.common.errors import Refused
from assess.services.scores.what_if import COMPLETED, GRADINGS, OFFICIAL, what_is_lacking
from assess.web.common.doors import campaign_action, campaign_page
from assess.web.common.files import FileTable, as_attachment
from assess.web.common.jobs import start_job
from assess.web.common.measure_names import asked, measure_links, on_screen
from assess.web.common.responses import number_in


@campaign_action(ORGANIZER, "judgment_sources", source="pk")
def what_if_start(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Scores all runs with a source, beside the latest release."""
    source = get_object_or_404(campaign.judgment_sources, pk=pk)
    release = Qrels.objects.of(campaign).first()
    if release is None:
        raise Refused("There is no release to compare with. Make one first.")
    return start_job(request, campaign, job_kinds.score_what_if, source=pk, release=release.pk, note=source.name)


def asked_table(request: HttpRequest, campaign: Campaign) -> tuple[WhatIf, dict[str, Any]]:
    """The what-if that ``?what_if=`` names, and its table of the measure of ``?measure=``, by default the first."""
    known = WhatIf.objects.filter(source__campaign=campaign).select_related("source", "release")
    made = get_object_or_404(known, pk=number_in(request.GET, "what_if"))
    made.source.campaign = campaign
    tables = {table["measure"]: table for table in made.tables}
    return made, tables[asked(request.GET, tables)]


def what_if(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The runs by one measure in the order of the release. The order by the completed release can differ only if
    something was added."""
    made, table = asked_table(request, campaign)
    measure = table["measure"]
    context = {
        "section": "judgment_sources",
        "what_if": made,
        "measures": measure_links((each["measure"] for each in made.tables), measure),
        "measure": on_screen(measure),
        "tau": [
            (GRADINGS[grading], value)
            for grading, value in table["tau"].items()
            if grading != COMPLETED or table["added"]
        ],
        "gradings": GRADINGS.values(),
        "lacking": what_is_lacking(made, table),
        "table": table,
        "rows": [(row, [cell_of(row, grading) for grading in GRADINGS]) for row in table["rows"]],
    }
    return render(request, "scores/what_if.html", context)


def cell_of(row: dict[str, Any], grading: str) -> dict[str, Any]:
    """A run by one grading, with how many places it is higher (positive) or lower than in the release."""
    place, official = row[grading]["rank"], row[OFFICIAL]["rank"]
    change = official - place if place and official else 0
    return {**row[grading], "change": None if grading == OFFICIAL else change}


@campaign_page(ORGANIZER)
def what_if_file(request: HttpRequest, campaign: Campaign, file_format: str) -> HttpResponse:
    made, table = asked_table(request, campaign)
    measure, parts = table["measure"], ("value", "rank", "topics")
    columns = [f"{grading} {part}" for grading in GRADINGS for part in (measure, "place", "topics")]
    file_table = FileTable(
        ("run", "team", *columns),
        [
            (row["run"], row["team"], *(row[grading][part] for grading in GRADINGS for part in parts))
            for row in table["rows"]
        ],
        f"{campaign}: {measure} by {made.release}, by {made.source} ({made.source.kind}) alone, "
        "and by the release completed with it. Not official.",
        latex_header=("Run", "Team", *(measure, "Place", "Topics") * len(GRADINGS)),
        spans=[Span("", 2), *(Span(label, 3) for label in GRADINGS.values())],
    )
    return as_attachment([file_table], f"{campaign.slug}.what-if-{made.pk}", file_format)
