"""When judging will end, if everybody goes on as they did lately."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Work(NamedTuple):
    """What is left of a topic for an assessor: seconds of attention."""

    assessor: str
    topic: str
    seconds: float


def days_left(work: Iterable[Work], per_day: Mapping[str, float]) -> dict[tuple[str, str], float | None]:
    """For each assessor and topic in how many days it is complete, if each assessor takes one topic after the other, in
    this order, with so many seconds of attention per day; None if an assessor gave none."""
    spent: defaultdict[str, float] = defaultdict(float)
    days: dict[tuple[str, str], float | None] = {}
    for assessor, topic, seconds in work:
        spent[assessor] += seconds
        rate = per_day.get(assessor, 0)
        days[assessor, topic] = spent[assessor] / rate if rate else None
    return days
