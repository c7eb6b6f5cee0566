"""When the judging of a pool will end by measured pace."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import OuterRef, Subquery, Sum

from assess.models import Assignment, JudgmentEvent
from assess.services.rounds.progress import Overview

DAY = timedelta(days=1)
LATELY = 14 * DAY
"""How much attention an assessor gives per day is measured over these last days."""


class Expected(NamedTuple):
    """What is left to judge, of an assessor, a topic, or a topic of an assessor: documents, hours of attention (None if
    no judgment was timed), and when it will be complete (None if somebody judged nothing lately)."""

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
    documents take as long as theirs took so far on average, else as everybody's did; topics come one after the
    other."""
    waiting = [share for share in view.shares if share.idle_since and not share.assignment.round.is_settling]
    per_day = attention_per_day(view, {share.assignment.assessor.username for share in waiting}, now)
    means = {row.assessor: row.pace.mean_seconds or view.whole.mean_seconds for row in view.assessors}
    spent: defaultdict[str, float] = defaultdict(float)
    by_assessor: defaultdict[str, list[Expected]] = defaultdict(list)
    by_topic: defaultdict[str, list[Expected]] = defaultdict(list)
    for share in waiting:
        name, topic, left = share.assignment.assessor.username, share.assignment.topic.topic_id, share.pace.left
        hours = None if (mean := means[name]) is None else left * mean / 3600
        spent[name] += hours or 0
        end = now + timedelta(days=spent[name] / per_day[name]) if hours and per_day[name] else None
        for parts in (by_assessor[name], by_topic[topic]):
            parts.append(Expected(topic, left, hours, end))
    assessors = [together(*row) for row in sorted(by_assessor.items())]
    topics = [together(*row) for row in by_topic.items()]
    return Forecast(max((row.end for row in assessors if row.end), default=None), assessors, topics)


def together(name: str, parts: Sequence[Expected]) -> Expected:
    """Their end is that of the last one, if that of all is known."""
    timed = [part.hours for part in parts if part.hours is not None]
    ends = [part.end for part in parts if part.end]
    last = max(ends) if len(ends) == len(parts) else None
    return Expected(name, sum(part.left for part in parts), sum(timed) if timed else None, last)


def attention_per_day(view: Overview, names: Iterable[str], now: datetime) -> dict[str, float]:
    """The hours of attention per day of these assessors in the last fourteen, days off included; in those since the
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
    return {name: active_ms / 3_600_000 / days[name] for name, active_ms in sums.items()}
