"""What the labs' overview papers report of their topics and judgments."""

from collections.abc import Mapping
from statistics import fmean
from typing import NamedTuple

TOP = 10


class Spread(NamedTuple):
    """A number over topics: mean, the highest and the lowest with their topics (the first of those with the same)."""

    name: str
    topics: int
    mean: float
    most: int
    most_topic: str
    fewest: int
    fewest_topic: str


def spread(name: str, counts: Mapping[str, int]) -> Spread:
    """Raises ``ValueError`` without topics."""
    most, fewest = max(counts, key=lambda topic: counts[topic]), min(counts, key=lambda topic: counts[topic])
    return Spread(name, len(counts), fmean(counts.values()), counts[most], most, counts[fewest], fewest)


def highest_p10(relevant: Mapping[str, int]) -> float:
    """The highest P'@10 that any run can reach on average: topics with fewer than ten relevant units fall short of 1
    (ARQMath-3 reports 0.95 for answers). Raises ``ValueError`` without topics."""
    return fmean(min(count, TOP) / TOP for count in relevant.values())
