"""Time of attention: how long an assessor's judgments take, the total of today, and timesheets."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, tzinfo
from statistics import median

from django.contrib.auth.models import User
from django.db.models import Count, F, Sum, Window
from django.db.models.functions import RowNumber, TruncWeek

from assess.ir.formats.judgment_export import TimesheetRow
from assess.models import Assignment, Campaign, Judgment, JudgmentEvent

LAST = 50
"""The pace is that of the last judgments: assessors get faster as they get to know a topic."""
ENOUGH = 5
"""Fewer judgments give no pace."""


def own_pace(assignments: Iterable[Assignment]) -> dict[int, float | None]:
    """For each of one assessor's assignments the seconds of attention that a document takes: the median of the last
    50 timed in it, else of the last 50 in its campaign, else None. One query."""
    chosen = list(assignments)
    timed = Judgment.objects.filter(
        assignment__assessor__in={assignment.assessor_id for assignment in chosen},
        assignment__topic__campaign__in={assignment.topic.campaign_id for assignment in chosen},
        active_ms__gt=0,
    )
    latest = Window(RowNumber(), partition_by=F("assignment"), order_by=F("changed").desc())
    rows = timed.annotate(number=latest).filter(number__lte=LAST).order_by("-changed")
    by_assignment: defaultdict[int, list[int]] = defaultdict(list)
    by_campaign: defaultdict[int, list[int]] = defaultdict(list)
    for pk, campaign, active_ms in rows.values_list("assignment", "assignment__topic__campaign", "active_ms"):
        by_assignment[pk].append(active_ms)
        by_campaign[campaign].append(active_ms)
    return {
        assignment.pk: typical(by_assignment[assignment.pk])
        or typical(by_campaign[assignment.topic.campaign_id][:LAST])
        for assignment in chosen
    }


def typical(milliseconds: list[int]) -> float | None:
    """The median in seconds, None if there are too few."""
    return median(milliseconds) / 1000 if len(milliseconds) >= ENOUGH else None


def minutes_of_day(assessor: User, now: datetime, zone: tzinfo) -> int:
    """Whole minutes of attention since midnight in that zone, over all topics."""
    midnight = now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    today = JudgmentEvent.objects.filter(by=assessor, at__gte=midnight, at__lte=now)
    return int(today.aggregate(whole=Sum("active_ms"))["whole"] or 0) // 60_000


def timesheet(campaign: Campaign, zone: tzinfo) -> list[TimesheetRow]:
    """Everybody's minutes of attention by week, over all rounds and all decisions, also those that were changed or
    taken back since, but without what organizers took back."""
    own = JudgmentEvent.objects.filter(assignment__topic__campaign=campaign, by=F("assignment__assessor"))
    events = own.order_by()
    weeks = events.values_list("by__username", TruncWeek("at", tzinfo=zone)).annotate(Sum("active_ms"), Count("pk"))
    return [
        TimesheetRow(
            name, monday.strftime("%G-W%V"), monday.date().isoformat(), round(active_ms / 60_000, 1), decisions
        )
        for name, monday, active_ms, decisions in weeks.order_by("by__username", TruncWeek("at", tzinfo=zone))
    ]
