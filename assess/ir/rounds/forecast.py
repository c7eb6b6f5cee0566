"""When judging will end, if everybody goes on as they did lately."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Remaining(NamedTuple):
    """What is left of a topic for an assessor: documents, and seconds of attention, None if no judgment was timed."""

    assessor: str
    topic: str
    left: int
    seconds: float | None


def days_left(rows: Iterable[Remaining], per_day: Mapping[str, float]) -> dict[tuple[str, str], float | None]:
    """For each assessor and topic with known seconds in how many days it is complete, if each assessor takes one topic
    after the other, in this order, with so many seconds of attention per day; None if an assessor gave none."""
    spent: defaultdict[str, float] = defaultdict(float)
    days: dict[tuple[str, str], float | None] = {}
    for row in rows:
        if row.seconds is not None:
            spent[row.assessor] += row.seconds
            rate = per_day.get(row.assessor, 0)
            days[row.assessor, row.topic] = spent[row.assessor] / rate if rate else None
    return days
