"""What the leaderboard would be with the judgments of a source. For organizers only."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from assess.models import Campaign, Qrels, WhatIf
from assess.services import job_kinds
from assess.services.common.access import ORGANIZER
from assess.services.common.errors import Refused
from assess.services.scores.what_if import COMPLETED, GRADINGS, OFFICIAL
from assess.web.common.doors import campaign_action
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


def what_if(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The what-if that ``?what_if=`` names, by the measure that ``?measure=`` names, in the order of the release. The
    order by the completed release can differ only if something was added."""
    known = WhatIf.objects.filter(source__campaign=campaign).select_related("source", "release")
    made = get_object_or_404(known, pk=number_in(request.GET, "what_if"))
    made.source.campaign = campaign
    tables = {table["measure"]: table for table in made.tables}
    measure = asked(request.GET, tables)
    table = tables[measure]
    for row in table["rows"]:
        place = row[OFFICIAL]["rank"]
        for cell in (row[grading] for grading in GRADINGS):  # places gained on the release, negative if lost
            cell["change"] = place - cell["rank"] if place and cell["rank"] else 0
        row[OFFICIAL]["change"] = None
    is_official = any(row[OFFICIAL]["topics"] for row in table["rows"])
    context = {
        "section": "judgment_sources",
        "what_if": made,
        "measures": measure_links(tables, measure),
        "measure": on_screen(measure),
        "tau": [
            (GRADINGS[grading], value)
            for grading, value in table["tau"].items()
            if grading != COMPLETED or table["added"]
        ],
        "gradings": GRADINGS.values(),
        "lacking": made.release if not is_official else "" if table["grades"] else made.source,
        "table": table,
        "rows": [(row, [row[grading] for grading in GRADINGS]) for row in table["rows"]],
    }
    return render(request, "scores/what_if.html", context)
