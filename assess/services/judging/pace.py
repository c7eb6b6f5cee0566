"""Time of attention: what an assessor's judgments take, and how much it was today. Nobody is compared with others."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, tzinfo
from statistics import median

from django.contrib.auth.models import User
from django.db.models import F, Sum, Window
from django.db.models.functions import RowNumber

from assess.models import Assignment, Judgment, JudgmentEvent

LAST = 50
"""So many judgments tell the pace: it grows as one gets to know a topic."""
ENOUGH = 5
"""Fewer tell none."""


def own_pace(assignments: Iterable[Assignment]) -> dict[int, float | None]:
    """For each of one assessor's assignments the seconds of attention that a document takes: the median of the last
    50 timed in it, else of the last 50 in its campaign, else None. One query."""
    chosen = list(assignments)
    alike = Judgment.objects.filter(
        assignment__assessor__in={one.assessor_id for one in chosen},
        assignment__topic__campaign__in={one.topic.campaign_id for one in chosen},
        active_ms__gt=0,
    )
    latest = Window(RowNumber(), partition_by=F("assignment"), order_by=F("changed").desc())
    rows = alike.annotate(number=latest).filter(number__lte=LAST).order_by("-changed")
    by_topic: defaultdict[int, list[int]] = defaultdict(list)
    by_campaign: defaultdict[int, list[int]] = defaultdict(list)
    for topic, campaign, milliseconds in rows.values_list("assignment", "assignment__topic__campaign", "active_ms"):
        by_topic[topic].append(milliseconds)
        by_campaign[campaign].append(milliseconds)
    return {one.pk: typical(by_topic[one.pk]) or typical(by_campaign[one.topic.campaign_id][:LAST]) for one in chosen}


def typical(milliseconds: list[int]) -> float | None:
    """Their median in seconds, None for too few."""
    return median(milliseconds) / 1000 if len(milliseconds) >= ENOUGH else None


def minutes_of_day(assessor: User, now: datetime, zone: tzinfo) -> int:
    """Whole minutes of attention since midnight of that zone, over all topics."""
    midnight = now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    today = JudgmentEvent.objects.filter(by=assessor, at__gte=midnight, at__lte=now)
    return int(today.aggregate(whole=Sum("active_ms"))["whole"] or 0) // 60_000
