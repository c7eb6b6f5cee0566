"""What the leaderboard would be with the judgments of a source. For organizers only."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from assess.ir.formats.latex import Span
from assess.models import Campaign, WhatIf
from assess.services import job_kinds
from assess.services.common.access import ORGANIZER
from assess.services.common.errors import Refused
from assess.services.scores import what_if as service
from assess.web.common.doors import campaign_view
from assess.web.common.files import FileTable, as_attachment
from assess.web.common.job_start import start
from assess.web.common.measure_names import asked, measure_links, on_screen
from assess.web.common.responses import refusals


@require_POST
@campaign_view(ORGANIZER)
def what_if_start(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Scores all runs with a source, beside the latest release."""
    source = get_object_or_404(campaign.judgment_sources, pk=pk)
    with refusals(request):
        release = service.latest_release(campaign)
        if release is None:
            raise Refused("There is no release to compare with. Make one first.")
        return start(request, campaign, job_kinds.score_what_if, source=source.pk, release=release.pk, note=source.name)
    return redirect(source)


def opened(request: HttpRequest, campaign: Campaign, pk: int) -> tuple[WhatIf, list[str], dict[str, Any]]:
    """A what-if of a campaign that the person organizes, its measures, and the table of the one that is asked for."""
    made = get_object_or_404(WhatIf.objects.select_related("source", "release"), pk=pk, source__campaign=campaign)
    made.source.campaign = campaign
    names = [table["measure"] for table in made.tables]
    return made, names, made.tables[names.index(asked(request.GET, names))]


@require_safe
@campaign_view(ORGANIZER)
def what_if(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """The runs by one measure (``?measure=``, by default the first) in the order of the release."""
    made, names, table = opened(request, campaign, pk)
    measure = table["measure"]
    context = {
        "campaign": made.source.campaign,
        "section": "judgment_sources",
        "what_if": made,
        "measures": measure_links(names, measure),
        "measure": on_screen(measure),
        "tau": [(service.WAYS[way], value) for way, value in table["tau"].items() if tells(table, way)],
        "ways": service.WAYS.values(),
        "lacking": service.lacking(made, table),
        "grades": table["grades"],
        "added": table["added"],
        "rows": [(row, [cell(row, way) for way in service.WAYS]) for row in table["rows"]],
    }
    return render(request, "scores/what_if.html", context)


def tells(table: dict[str, Any], way: str) -> bool:
    """Whether the order by this way can differ from that of the release: completed by nothing, it is the same."""
    return way != service.COMPLETED or table["added"] != 0


def cell(row: dict[str, Any], way: str) -> dict[str, Any]:
    """A run by one way, with how many places it is higher (positive) or lower than in the release."""
    place, official = row[way]["rank"], row[service.OFFICIAL]["rank"]
    change = official - place if place and official else 0
    return {**row[way], "change": None if way == service.OFFICIAL else change}


@require_safe
@campaign_view(ORGANIZER)
def what_if_file(request: HttpRequest, campaign: Campaign, pk: int, file_format: str) -> HttpResponse:
    """The table of the page as CSV or LaTeX."""
    made, _, table = opened(request, campaign, pk)
    columns = [f"{way} {part}" for way in service.WAYS for part in (table["measure"], "place", "topics")]
    rows = [(row["run"], row["team"], *values(row)) for row in table["rows"]]
    file_table = FileTable(
        ("run", "team", *columns),
        rows,
        f"{made.source.campaign}: {table['measure']} by {made.release}, by {made.source} ({made.source.judge}) alone, "
        "and by the release completed with it. Not official.",
        latex_header=("Run", "Team", *(table["measure"], "Place", "Topics") * len(service.WAYS)),
        spans=[Span("", 2), *(Span(label, 3) for label in service.WAYS.values())],
    )
    return as_attachment([file_table], f"{campaign.slug}.what-if-{pk}", file_format)


def values(row: dict[str, Any]) -> Iterator[float | None]:
    for way in service.WAYS:
        yield from (row[way]["value"], row[way]["rank"], row[way]["topics"])


urlpatterns = [
    path("c/<slug:slug>/judgments/<int:pk>/what-if/", what_if_start, name="what_if_start"),
    path("c/<slug:slug>/what-if/<int:pk>/", what_if, name="what_if"),
    path("c/<slug:slug>/what-if/<int:pk>.<slug:file_format>", what_if_file, name="what_if_file"),
]
