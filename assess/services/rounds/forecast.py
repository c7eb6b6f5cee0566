"""When the judging of a pool will end by measured pace."""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import OuterRef, Subquery, Sum

from assess.ir.rounds.forecast import Remaining, days_left
from assess.models import Assignment, JudgmentEvent
from assess.services.rounds.progress import Overview

DAY = timedelta(days=1)
LATELY = 14 * DAY
"""How much attention an assessor gives per day is measured over these last days."""


class Expected(NamedTuple):
    """An assessor, or a topic, with something left to judge: documents, hours of attention (None if no judgment was
    timed), and when it will be complete (None if somebody judged nothing lately)."""

    name: str
    left: int
    hours: float | None
    end: datetime | None


class Forecast(NamedTuple):
    """``end``: of the last assessor for whom it can be said; ``idle``: the assessors for whom it cannot."""

    end: datetime | None
    assessors: list[Expected]
    topics: list[Expected]

    @property
    def idle(self) -> list[str]:
        return [row.name for row in self.assessors if row.end is None]


def make_forecast(view: Overview, now: datetime) -> Forecast:
    """For all assignments that can go on, without adjudication, which follows judging, in one query. Everybody's
    documents take as long as theirs took so far on average, else as everybody's did."""
    remaining = list(remaining_of(view))
    per_day = attention_per_day(view, {row.assessor for row in remaining}, now)
    days = days_left(remaining, per_day)
    ends = {place: None if left is None else now + timedelta(days=left) for place, left in days.items()}
    return Forecast(
        max((end for end in ends.values() if end), default=None),
        expected_by("assessor", sorted(remaining, key=lambda row: row.assessor), ends),
        expected_by("topic", remaining, ends),
    )


def remaining_of(view: Overview) -> Iterator[Remaining]:
    """By topic."""
    means = {row.assessor: row.pace.mean_seconds for row in view.assessors}
    for share in view.shares:
        if share.idle_since and not share.assignment.round.is_settling:
            name, left = share.assignment.assessor.username, share.pace.left
            mean = means[name] or view.whole.mean_seconds
            yield Remaining(name, share.assignment.topic.topic_id, left, None if mean is None else left * mean)


def expected_by(
    column: str, remaining: Iterable[Remaining], ends: dict[tuple[str, str], datetime | None]
) -> list[Expected]:
    """The rows of each assessor or topic together; its end is that of its last part, if that of all is known."""
    groups: dict[str, list[Remaining]] = {}
    for row in remaining:
        groups.setdefault(getattr(row, column), []).append(row)
    expected = []
    for name, rows in groups.items():
        seconds = [row.seconds for row in rows if row.seconds is not None]
        known = [end for row in rows if (end := ends.get((row.assessor, row.topic)))]
        last, hours = max(known) if len(known) == len(rows) else None, sum(seconds) / 3600 if seconds else None
        expected.append(Expected(name, sum(row.left for row in rows), hours, last))
    return expected


def attention_per_day(view: Overview, names: Iterable[str], now: datetime) -> dict[str, float]:
    """The seconds of attention per day of these assessors in the last fourteen, days off included; in those since the
    first topic was given, at least one, if that was later."""
    events = JudgmentEvent.objects.filter(assignment=OuterRef("pk"), at__gt=now - LATELY).order_by()
    lately = events.values("assignment").annotate(active=Sum("active_ms")).values("active")
    assigned = Assignment.every.filter(round__pool=view.pool, assessor__username__in=names).order_by()
    sums: Counter[str] = Counter()
    for name, active_ms in assigned.values_list("assessor__username", Subquery(lately)):
        sums[name] += active_ms or 0
    given: dict[str, datetime] = {}
    for share in view.shares:
        name, created = share.assignment.assessor.username, share.assignment.created
        given[name] = min(created, given.get(name, created))
    days = {name: max(1.0, min(LATELY, now - given[name]) / DAY) for name in sums}
    return {name: active_ms / 1000 / days[name] for name, active_ms in sums.items()}
