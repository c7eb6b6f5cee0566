"""The values of runs topic by topic, and their means by the topic categories of the topic sheet."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

from assess.ir.common.rows import ScoreRow
from assess.ir.formats.topic_sheet import COLUMNS
from assess.ir.scores.breakdowns import CategoryMean, breakdown, order_categories
from assess.models import Campaign, Evaluation, Run
from assess.services.campaign.campaigns import topic_number

Values = dict[str, float]
"""By topic."""
Sheet = dict[str, dict[str, str]]
"""By column and topic: the category."""
MOST_CATEGORIES = 20
"""A column of the sheet with more different words says something of each topic, not of kinds of topics."""


class AllRuns(NamedTuple):
    """The values that all runs have on a topic: the lowest, the median and the highest."""

    lowest: float
    median: float
    highest: float


def values_by_run(evaluation: Evaluation, measure: str) -> dict[int, Values]:
    """The values of a measure by run, without withdrawn runs. One query."""
    of_runs: defaultdict[int, Values] = defaultdict(dict)
    rows = evaluation.scores.filter(measure=measure, run__withdrawn=None).order_by("pk")
    for run, topic, value in rows.values_list("run_id", "topic_id", "value"):
        of_runs[run][topic] = value
    return dict(of_runs)


def summarize_topics(runs: Mapping[int, Values]) -> dict[str, AllRuns]:
    by_topic: defaultdict[str, list[float]] = defaultdict(list)
    for of_run in runs.values():
        for topic, value in of_run.items():
            by_topic[topic].append(value)
    return {topic: AllRuns(min(values), median(values), max(values)) for topic, values in by_topic.items()}


def values_by_topic(evaluation: Evaluation, run: Run) -> dict[str, Values]:
    """By measure, the topics in order."""
    of_topics: defaultdict[str, Values] = defaultdict(dict)
    for topic, measure, value in evaluation.scores.filter(run=run).values_list("topic_id", "measure", "value"):
        of_topics[topic][measure] = value
    return {topic: of_topics[topic] for topic in sorted(of_topics, key=topic_order)}


def topic_order(topic_id: str) -> tuple[int, str]:
    """By number, for sorting."""
    return topic_number(topic_id), topic_id


class RunCategories(NamedTuple):
    """A run with its mean over all topics, and over those of each category, column by column; None without any."""

    run: Run
    whole: CategoryMean
    columns: list[list[CategoryMean | None]]


class Breakdown(NamedTuple):
    """The means of runs by a measure, over all ``topics`` and by category. ``columns``: how many scored topics each
    category of each column of the sheet has; the category is empty for those without one."""

    columns: dict[str, dict[str, int]]
    topics: int
    rows: list[RunCategories]


def sheet_of(campaign: Campaign) -> Sheet:
    """The columns of the topic sheet that sort topics into kinds: those with at least one category, and not too many.
    One query."""
    columns: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for topic, *noted, more in campaign.topics.values_list("topic_id", *COLUMNS, "sheet"):
        for column, word in {**dict(zip(COLUMNS, noted, strict=True)), **more}.items():
            columns[column][topic] = word
    return {column: words for column, words in columns.items() if 0 < len({*words.values()} - {""}) <= MOST_CATEGORIES}


def by_category(evaluation: Evaluation, measure: str, sheet: Sheet) -> Breakdown:
    """The breakdown of all runs that have the measure, the best first. Two queries."""
    of_runs = values_by_run(evaluation, measure)
    runs = evaluation.campaign.runs.in_bulk(of_runs)
    scores = [ScoreRow(str(run), topic, measure, value) for run, of in of_runs.items() for topic, value in of.items()]
    topics = {score.topic_id for score in scores}
    columns: dict[str, dict[str, int]] = {}
    for name, words in sheet.items():
        noted = [words.get(topic, "") for topic in topics]
        columns[name] = {category: noted.count(category) for category in order_categories(set(noted))}
    means = [{(mean.run, mean.category): mean for mean in breakdown(scores, words)} for words in sheet.values()]
    rows = []
    for whole in breakdown(scores, {}):
        pairs = zip(columns.values(), means, strict=True)
        of_columns = [[of.get((whole.run, category)) for category in categories] for categories, of in pairs]
        rows.append(RunCategories(runs[int(whole.run)], whole, of_columns))
    return Breakdown(columns, len(topics), sorted(rows, key=lambda row: (-row.whole.value, row.run.name)))


def categories_of_run(
    topics: Mapping[str, Values], words: Mapping[str, str], names: Sequence[str]
) -> list[tuple[str, int, list[float | None]]]:
    """Given the values of a run's topics by measure: each category with its number of topics, and the mean of each of
    these measures, None without one."""
    scores = [ScoreRow("", topic, name, value) for topic, values in topics.items() for name, value in values.items()]
    means: defaultdict[str, dict[str, CategoryMean]] = defaultdict(dict)
    for mean in breakdown(scores, words):
        means[mean.category][mean.measure] = mean
    return [
        (category, max(mean.topics for mean in of.values()), [of[name].value if name in of else None for name in names])
        for category, of in means.items()
    ]
