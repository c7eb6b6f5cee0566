"""Means over the topics of each category: where a run is better, and where it is worse."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from assess.ir.common.rows import ScoreRow
from assess.ir.scores.measures import means_of_topics

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
    """A mean for each category, run and measure that has scores, category by category. Weighted by their topics, the
    means of a run's parts are its mean over all topics of ``scores``."""
    groups: defaultdict[str, list[ScoreRow]] = defaultdict(list)
    for score in scores:
        groups[categories.get(score.topic_id, "")].append(score)
    ordered = order_categories(groups)
    return [CategoryMean(category, *mean) for category in ordered for mean in means_of_topics(groups[category])]


def order_categories(categories: Iterable[str]) -> list[str]:
    """Categories as a table lists them: difficulties from low to high, others by name, topics without one last."""

    def key(category: str) -> tuple[bool, int, str]:
        return not category, LEVELS.get(category.casefold(), 0), category.casefold()

    return sorted(categories, key=key)
