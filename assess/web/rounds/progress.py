"""How far judging is."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from assess.ir.campaign.protocol import Protocol
from assess.ir.campaign.scale import is_grade
from assess.ir.common.figures import percent
from assess.ir.common.rows import grouped
from assess.ir.formats.judgments import TIMESHEET, write_export
from assess.models import Campaign
from assess.services.common.access import ORGANIZER, STAFF
from assess.services.rounds import progress as service
from assess.services.rounds.pace import Pace, timesheet
from assess.web.common.doors import campaign_page
from assess.web.common.html import style
from assess.web.common.responses import attachment
from assess.web.desk.labels import labels

Share = tuple[service.AssignmentProgress, str, str]
"""An assignment with its state as a CSS class and in words."""


@campaign_page(STAFF)
def progress(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    pool = campaign.frozen_pool()
    context: dict[str, Any] = {"pool": pool}
    if pool:
        view, rules, now = service.overview(pool, in_detail=True), pool.rules, timezone.now()
        names = [row.assessor for row in view.assessors]
        context |= {
            "view": view,
            "decisions": decisions(rules, view.whole),
            "unassigned": sum(not topic.is_assigned for topic in view.topics),
            "names": names,
            "board": [(topic, list(cells(topic, names, now))) for topic in view.topics],
            "stopped": service.stopped_assignments(view, now),
            "stopped_days": service.STOPPED_AFTER.days,
        }
    return render(request, "rounds/progress.html", context)


def cells(topic: service.TopicProgress, names: Sequence[str], now: datetime) -> Iterator[tuple[list[Share], int]]:
    """The row of a topic: the assignments of each assessor who has it; those without it who are next to each other
    share a cell, which spans so many columns, so that the table stays small if there are many of them."""
    states = ((share, *state_of(share, now)) for share in topic.assignments)
    shares = grouped((share[0].assignment.assessor.username, share) for share in states)
    for has_topic, group in groupby(names, key=shares.__contains__):
        if has_topic:
            yield from ((shares[name], 0) for name in group)
        else:
            yield [], len(list(group))


def state_of(share: service.AssignmentProgress, now: datetime) -> tuple[str, str]:
    if not share.is_current:
        return "quiet", "handed over"
    if not share.pace.left:
        return "done", "done"
    if share.assignment.paused:
        return "queued", "paused"
    if service.is_stopped(share, now):
        return "failed", f"stopped {(now - (share.idle_since or now)).days} days ago"
    return ("running", "begun") if share.pace.judged else ("", "not begun")


def decisions(rules: Protocol, whole: Pace) -> list[tuple[str, str, int, float]]:
    """For each grade and each outcome that was chosen: CSS class, name, count, percent of the judgments."""
    counts = [(word, name, whole.grades[word]) for word, name in labels(rules).items()]
    shown = [(word, name, count) for word, name, count in counts if count or is_grade(word)]
    return [(style(rules, word), name, count, percent(count, whole.judged)) for word, name, count in shown]


@campaign_page(ORGANIZER)
def timesheet_file(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    rows = timesheet(campaign, timezone.get_current_timezone())
    lines = write_export(rows, TIMESHEET, "csv")
    return attachment("".join(lines), f"{campaign.slug}.timesheet.csv", "text/csv; charset=utf-8")
