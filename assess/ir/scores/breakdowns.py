"""Topics taken together: means of runs by category, and what the labs' overview papers report of topics."""

from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import NamedTuple

from assess.ir.common.rows import MeanScore, ScoreRow, grouped
from assess.ir.scores.measures import means_of_topics

TOP = 10
LEVELS = {"low": 0, "easy": 0, "medium": 1, "hard": 2, "high": 2}
"""Difficulties have an order of their own."""
NOT_NOTED = "not noted"
"""What tables call the category of topics without one."""
Categories = Mapping[str, str]
"""The category of each topic; topics without one are missing or have an empty text."""


def breakdown(scores: Iterable[ScoreRow], categories: Categories) -> dict[str, list[MeanScore]]:
    """A mean for each category, run and measure that has scores, by category; that of topics without one is empty.
    Weighted by their topics, the means of a run's parts are its mean over all topics of ``scores``."""
    groups = grouped((categories.get(score.topic_id, ""), score) for score in scores)
    return {category: means_of_topics(groups[category]) for category in order_categories(groups)}


def order_categories(categories: Iterable[str]) -> list[str]:
    """Categories as a table lists them: difficulties from low to high, others by name, topics without one last."""
    return sorted(categories, key=lambda each: (not each, LEVELS.get(each.casefold(), 0), each.casefold()))


class Spread(NamedTuple):
    """A number over topics: mean, the highest and the lowest with their topics (the first of those with the same)."""

    name: str
    topics: int
    mean: float
    most: int
    most_topic: str
    fewest: int
    fewest_topic: str


def spread_of(name: str, counts: Mapping[str, int]) -> Spread:
    """Raises ``ValueError`` without topics."""
    most, fewest = max(counts, key=lambda topic: counts[topic]), min(counts, key=lambda topic: counts[topic])
    return Spread(name, len(counts), fmean(counts.values()), counts[most], most, counts[fewest], fewest)


def highest_p10(relevant: Mapping[str, int]) -> float:
    """The highest P'@10 that any run can reach on average: topics with fewer than ten relevant units fall short of 1
    (ARQMath-3 reports 0.95 for answers). Raises ``ValueError`` without topics."""
    return fmean(min(count, TOP) / TOP for count in relevant.values())
