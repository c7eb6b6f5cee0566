"""How much of a pool is judged, by assignment, and the time of attention that judgments take: an assessor's pace, the
total of today, and timesheets."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from statistics import median
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, F, Max, Q, Sum, Window
from django.db.models.functions import RowNumber, TruncWeek
from django.utils import timezone

from assess.ir.campaign.scale import is_grade
from assess.ir.common.figures import percent
from assess.ir.common.rows import SYSTEM_FAILURE, grouped
from assess.ir.formats.judgments import Row
from assess.models import Assignment, Campaign, Judgment, JudgmentEvent, Pool

NEW = timedelta(days=7)
"""How long a system failure counts as new."""
LAST, ENOUGH = 50, 5
"""The pace is that of the last judgments; fewer than these give none."""


@dataclass
class Pace:
    """How many documents of one or several assignments are judged, of how many. ``last``: when the last judgment was
    made; ``new_failures``: how many system failures are new; ``timed``: how many judgments were timed (imported ones
    were not), with their milliseconds of attention together. In detail also how often each grade and outcome was given,
    and the milliseconds of each timed judgment."""

    judged: int = 0
    last: datetime | None = None
    new_failures: int = 0
    timed: int = 0
    active_ms: int = 0
    grades: Counter[str] = field(default_factory=Counter)
    milliseconds: list[int] = field(default_factory=list)
    total: int = 0

    @classmethod
    def of(cls, parts: Iterable[Pace], total: int | None = None) -> Pace:
        """Of several assignments together; ``total``: their documents, if not those of all parts."""
        whole = cls()
        for part in parts:
            whole.judged += part.judged
            whole.total += part.total
            whole.timed += part.timed
            whole.active_ms += part.active_ms
            whole.grades += part.grades
            whole.milliseconds += part.milliseconds
        whole.total = whole.total if total is None else total
        return whole

    @property
    def left(self) -> int:
        return self.total - self.judged

    @property
    def percent(self) -> int:
        return int(percent(self.judged, self.total, 0))

    @property
    def outcomes(self) -> int:
        return sum(count for decision, count in self.grades.items() if not is_grade(decision))

    @property
    def mean_seconds(self) -> float | None:
        """Attention that a judgment takes; None if none was timed."""
        return self.active_ms / self.timed / 1000 if self.timed else None

    @property
    def median_seconds(self) -> float | None:
        return median(self.milliseconds) / 1000 if self.milliseconds else None


def paces_by_assignment(pool: Pool, in_detail: bool) -> defaultdict[int, Pace]:
    """The judgments of a pool by assignment, without their totals, in one query, or in two in detail."""
    # Chosen by their keys, not by joins: so SQLite reads them in this order, and groups them without sorting.
    assigned = Assignment.objects.filter(round__pool=pool).order_by().values("pk")
    judgments = Judgment.objects.filter(assignment__in=assigned).order_by()
    rules = pool.rules
    words = {word: Q(grade=int(word)) if is_grade(word) else Q(outcome=word) for word in rules.names if in_detail}
    rows: Iterable[Any] = judgments.values_list("assignment").annotate(
        judged=Count("pk"),
        last=Max("changed"),
        new_failures=Count("pk", filter=Q(outcome=SYSTEM_FAILURE) & Q(changed__gt=timezone.now() - NEW)),
        timed=Count("pk", filter=Q(active_ms__gt=0)),
        active=Sum("active_ms"),
        **{f"is_{word}": Count("pk", filter=is_chosen) for word, is_chosen in words.items()},
    )
    paces: defaultdict[int, Pace] = defaultdict(Pace)
    for pk, judged, last, new_failures, timed, active_ms, *counts in rows:
        grades = Counter({word: count for word, count in zip(words, counts, strict=True) if count})
        paces[pk] = Pace(judged, last, new_failures, timed, active_ms, grades)
    timed_ones = judgments.filter(active_ms__gt=0).values_list("assignment", "active_ms")
    for pk, milliseconds in timed_ones if in_detail else ():
        paces[pk].milliseconds.append(milliseconds)
    return paces


def own_pace(assignments: Iterable[Assignment]) -> dict[int, float]:
    """For each campaign of these assignments of one assessor, the seconds of attention that a document takes them: the
    median of the last timed judgments, if there are enough. One query."""
    campaigns = {assignment.topic.campaign_id for assignment in assignments}
    assessors = {assignment.assessor_id for assignment in assignments}
    timed = Judgment.objects.filter(assignment__assessor__in=assessors, active_ms__gt=0)
    campaign = F("assignment__topic__campaign")
    latest = Window(RowNumber(), partition_by=campaign, order_by=F("changed").desc())
    rows = timed.filter(assignment__topic__campaign__in=campaigns).annotate(number=latest).filter(number__lte=LAST)
    times = grouped(rows.values_list(campaign, "active_ms"))
    return {key: median(own) / 1000 for key, own in times.items() if len(own) >= ENOUGH}


def minutes_of_day(assessor: User, now: datetime, zone: tzinfo) -> int:
    """Whole minutes of attention since midnight in that zone, over all topics."""
    midnight = now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    today = JudgmentEvent.objects.filter(by=assessor, at__gte=midnight, at__lte=now)
    return int(today.aggregate(whole=Sum("active_ms"))["whole"] or 0) // 60_000


def timesheet(campaign: Campaign, zone: tzinfo) -> list[Row]:
    """Everybody's minutes of attention by week (`TIMESHEET`), over all rounds and decisions, also those that were
    changed or taken back since, but without what organizers took back."""
    own = JudgmentEvent.objects.filter(assignment__topic__campaign=campaign, by=F("assignment__assessor"))
    events = own.order_by()
    weeks = events.values_list("by__username", TruncWeek("at", tzinfo=zone)).annotate(Sum("active_ms"), Count("pk"))
    return [
        (name, monday.strftime("%G-W%V"), monday.date().isoformat(), round(active_ms / 60_000, 1), decisions)
        for name, monday, active_ms, decisions in weeks.order_by("by__username", TruncWeek("at", tzinfo=zone))
    ]
