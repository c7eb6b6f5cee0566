"""Means by the topic categories of the topic sheet."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from assess.ir.common.rows import ScoreRow
from assess.ir.formats.topic_sheet import COLUMNS
from assess.ir.scores.breakdowns import breakdown, order_categories
from assess.models import Campaign, Evaluation, Run
from assess.services.scores.topic_sets import Mean
from assess.services.scores.topic_values import values

MOST_CATEGORIES = 20
"""A column of the sheet with more different words says something of each topic, not of kinds of topics."""
Sheet = dict[str, dict[str, str]]
"""By column and topic: the category."""


class SheetColumn(NamedTuple):
    """A column of the sheet with its categories, and how many scored topics each has. The category is empty for topics
    without one."""

    column: str
    categories: dict[str, int]


class RunCategories(NamedTuple):
    """A run with its mean over all topics, and over those of each category, group by group; None without any."""

    run: Run
    whole: Mean
    shares: list[list[Mean | None]]


class Breakdown(NamedTuple):
    """The means of runs by a measure, over all topics (of which there are ``topics``) and by category."""

    groups: list[SheetColumn]
    topics: int
    rows: list[RunCategories]


def sheet(campaign: Campaign) -> Sheet:
    """The columns of the topic sheet that sort topics into kinds: those with at least one category, and not too many.
    One query."""
    topics = list(campaign.topics.values_list("topic_id", *COLUMNS, "sheet"))
    columns: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for topic, *noted, more in topics:
        for column, word in {**dict(zip(COLUMNS, noted, strict=True)), **more}.items():
            columns[column][topic] = word
    return {column: words for column, words in columns.items() if 0 < len({*words.values()} - {""}) <= MOST_CATEGORIES}


def by_category(evaluation: Evaluation, measure: str, columns: Sheet) -> Breakdown:
    """The breakdown of all runs that have the measure, the best first. Two queries."""
    of_runs = values(evaluation, measure)
    runs = evaluation.qrels.pool.campaign.runs.in_bulk(of_runs)
    scores = [ScoreRow(str(run), topic, measure, value) for run, of in of_runs.items() for topic, value in of.items()]
    scored = {score.topic_id for score in scores}
    groups = [SheetColumn(name, counted(words, scored)) for name, words in columns.items()]
    parts = [shares(scores, words) for words in columns.values()]
    whole = shares(scores, {})
    rows = [
        RunCategories(run, whole[str(pk), measure, ""], shares_of(str(pk), measure, groups, parts))
        for pk, run in runs.items()
    ]
    return Breakdown(groups, len(scored), sorted(rows, key=lambda row: (-row.whole.value, row.run.name)))


def shares_of(
    run: str,
    measure: str,
    groups: Sequence[SheetColumn],
    parts: Sequence[Mapping[tuple[str, str, str], Mean]],
) -> list[list[Mean | None]]:
    return [
        [part.get((run, measure, category)) for category in group.categories]
        for group, part in zip(groups, parts, strict=True)
    ]


def shares(scores: Iterable[ScoreRow], categories: Mapping[str, str]) -> dict[tuple[str, str, str], Mean]:
    """By run, measure and category."""
    return {
        (part.run, part.measure, part.category): Mean(part.value, part.topics) for part in breakdown(scores, categories)
    }


def counted(words: Mapping[str, str], topics: Iterable[str]) -> dict[str, int]:
    """How many of the topics each category has, in the order of a table."""
    noted = [words.get(topic, "") for topic in topics]
    return {category: noted.count(category) for category in order_categories(set(noted))}


def of_run(
    topics: Iterable[tuple[str, Mapping[str, float]]], words: Mapping[str, str]
) -> list[tuple[str, int, dict[str, float]]]:
    """Of one run, given the values of its topics by measure: each category with its number of topics and the means."""
    scores = [ScoreRow("", topic, name, value) for topic, values in topics for name, value in values.items()]
    by_name: dict[str, dict[str, Mean]] = {}
    for (_, measure, category), share in shares(scores, words).items():
        by_name.setdefault(category, {})[measure] = share
    return [
        (category, max(share.topics for share in of.values()), {name: share.value for name, share in of.items()})
        for category, of in by_name.items()
    ]
