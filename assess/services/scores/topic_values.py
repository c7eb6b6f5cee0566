"""The values of runs topic by topic, and their means by the topic categories of the topic sheet."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from assess.ir.common.rows import ScoreRow
from assess.ir.formats.topic_sheet import COLUMNS
from assess.ir.scores.breakdowns import CategoryMean, breakdown, order_categories
from assess.models import Campaign, Evaluation, Run
from assess.services.campaign.campaigns import topic_number

Values = dict[str, float]
"""By topic."""


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
    """What all runs with a value reach on each topic."""
    by_topic: defaultdict[str, list[float]] = defaultdict(list)
    for of_run in runs.values():
        for topic, value in of_run.items():
            by_topic[topic].append(value)
    return {topic: AllRuns(min(values), median(values), max(values)) for topic, values in by_topic.items()}


def values_by_topic(evaluation: Evaluation, run: Run) -> list[tuple[str, Values]]:
    of_topics: defaultdict[str, dict[str, float]] = defaultdict(dict)
    rows = evaluation.scores.filter(run=run).order_by("pk")
    for topic, measure, value in rows.values_list("topic_id", "measure", "value"):
        of_topics[topic][measure] = value
    return sorted(of_topics.items(), key=lambda row: topic_order(row[0]))


def topic_order(topic_id: str) -> tuple[int, str]:
    """By number, for sorting."""
    return topic_number(topic_id), topic_id


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
    """A run with its mean over all topics, and over those of each category, column by column; None without any."""

    run: Run
    whole: CategoryMean
    columns: list[list[CategoryMean | None]]


class Breakdown(NamedTuple):
    """The means of runs by a measure, over all topics (of which there are ``topics``) and by category."""

    columns: list[SheetColumn]
    topics: int
    rows: list[RunCategories]


class CategoryOfRun(NamedTuple):
    """A category with the means of one run, None for a measure without one, and the number of topics that they are
    over."""

    category: str
    topics: int
    means: list[float | None]


def sheet_of(campaign: Campaign) -> Sheet:
    """The columns of the topic sheet that sort topics into kinds: those with at least one category, and not too many.
    One query."""
    topics = list(campaign.topics.values_list("topic_id", *COLUMNS, "sheet"))
    columns: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for topic, *noted, more in topics:
        for column, word in {**dict(zip(COLUMNS, noted, strict=True)), **more}.items():
            columns[column][topic] = word
    return {column: words for column, words in columns.items() if 0 < len({*words.values()} - {""}) <= MOST_CATEGORIES}


def by_category(evaluation: Evaluation, measure: str, sheet: Sheet) -> Breakdown:
    """The breakdown of all runs that have the measure, the best first. Two queries."""
    of_runs = values_by_run(evaluation, measure)
    runs = evaluation.campaign.runs.in_bulk(of_runs)
    scores = [ScoreRow(str(run), topic, measure, value) for run, of in of_runs.items() for topic, value in of.items()]
    topics = {score.topic_id for score in scores}
    columns = [SheetColumn(name, count_categories(words, topics)) for name, words in sheet.items()]
    means = [{(mean.run, mean.category): mean for mean in breakdown(scores, words)} for words in sheet.values()]
    rows = [
        RunCategories(
            runs[int(whole.run)],
            whole,
            [
                [of_column.get((whole.run, category)) for category in column.categories]
                for column, of_column in zip(columns, means, strict=True)
            ],
        )
        for whole in breakdown(scores, {})
    ]
    return Breakdown(columns, len(topics), sorted(rows, key=lambda row: (-row.whole.value, row.run.name)))


def count_categories(words: Mapping[str, str], topics: Iterable[str]) -> dict[str, int]:
    """How many of the topics each category has, in the order of a table."""
    noted = [words.get(topic, "") for topic in topics]
    return {category: noted.count(category) for category in order_categories(set(noted))}


def categories_of_run(
    topics: Iterable[tuple[str, Mapping[str, float]]], words: Mapping[str, str], names: Sequence[str]
) -> list[CategoryOfRun]:
    """Given the values of a run's topics by measure."""
    scores = [ScoreRow("", topic, name, value) for topic, values in topics for name, value in values.items()]
    by_name: defaultdict[str, dict[str, CategoryMean]] = defaultdict(dict)
    for mean in breakdown(scores, words):
        by_name[mean.category][mean.measure] = mean
    return [
        CategoryOfRun(
            category,
            max(mean.topics for mean in means.values()),
            [means[name].value if name in means else None for name in names],
        )
        for category, means in by_name.items()
    ]
