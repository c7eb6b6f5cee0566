"""Means over the topics of each category: where a run is better, and where it is worse."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from assess.ir.common.rows import ScoreRow
from assess.ir.scores import measures

LEVELS = {"low": 0, "easy": 0, "medium": 1, "hard": 2, "high": 2}
"""Difficulties have an order of their own."""
NOT_NOTED = "not noted"
"""What tables call the category of topics without one."""
Categories = Mapping[str, str]
"""The category of each topic; topics without one are missing or have an empty text."""


class CategoryMean(NamedTuple):
    """The mean of a measure over the topics of a category; the text is empty for those without one."""

    category: str
    run: str
    measure: str
    value: float
    topics: int


def breakdown(scores: Iterable[ScoreRow], categories: Categories) -> list[CategoryMean]:
    """A mean for each category, run and measure that has scores, in the order of `in_order`. Weighted by their topics,
    the means of a run's parts are its mean over all topics of ``scores``."""
    groups: defaultdict[tuple[str, str, str], list[ScoreRow]] = defaultdict(list)
    for score in scores:
        groups[categories.get(score.topic_id, ""), score.run, score.measure].append(score)
    means = {key: measures.mean(rows, {row.topic_id for row in rows})[0] for key, rows in groups.items()}
    parts = [CategoryMean(key[0], *mean) for key, mean in means.items()]
    order = {category: place for place, category in enumerate(in_order({part.category for part in parts}))}
    return sorted(parts, key=lambda part: order[part.category])


def in_order(categories: Iterable[str]) -> list[str]:
    """Categories as a table lists them: difficulties from low to high, others by name, topics without one last."""

    def key(category: str) -> tuple[bool, int, str]:
        return not category, LEVELS.get(category.casefold(), 0), category.casefold()

    return sorted(categories, key=key)
