"""The values of runs topic by topic: whether runs differ by more than chance, and means by category of the topics."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

from assess.ir.common.rows import MeanScore, ScoreRow, grouped, nested
from assess.ir.formats.topic_sheet import COLUMNS
from assess.ir.scores.breakdowns import breakdown, order_categories
from assess.ir.scores.measures import means_of_topics
from assess.ir.scores.significance import Comparison, Interval, compare_pair, compare_runs, interval
from assess.models import Campaign, Evaluation, Run
from assess.services.campaign.campaigns import topic_number
from assess.services.scores.results import means_by_run, scored_runs

Values = dict[str, float]
"""By topic."""
Sheet = dict[str, dict[str, str]]
"""By column and topic: the category."""
MOST_CATEGORIES = 20
"""A column of the sheet with more different words says something of each topic, not of kinds of topics."""


def values_by_run(evaluation: Evaluation, measure: str) -> dict[int, Values]:
    """The values of a measure by run, without withdrawn runs. One query."""
    rows = evaluation.scores.filter(measure=measure, run__withdrawn=None).order_by("pk")
    return dict(nested(rows.values_list("run_id", "topic_id", "value")))


def summarize_topics(runs: Mapping[int, Values]) -> dict[str, Values]:
    """What all runs have on each topic: the ``lowest``, the ``median`` and the ``highest`` value."""
    by_topic = grouped(value for of_run in runs.values() for value in of_run.items())
    return {
        topic: {"lowest": min(values), "median": median(values), "highest": max(values)}
        for topic, values in by_topic.items()
    }


def values_by_topic(evaluation: Evaluation, run: Run) -> dict[str, Values]:
    """By measure, the topics in order."""
    of_topics = nested(evaluation.scores.filter(run=run).values_list("topic_id", "measure", "value"))
    return {topic: of_topics[topic] for topic in sorted(of_topics, key=topic_order)}


def topic_order(topic_id: str) -> tuple[int, str]:
    """By number, for sorting."""
    return topic_number(topic_id), topic_id


class RunCategories(NamedTuple):
    """A run with its mean over all topics and, column by column, those over each category, if any, with its topics."""

    run: Run
    whole: MeanScore
    columns: list[list[tuple[MeanScore | None, int]]]


class Breakdown(NamedTuple):
    """The means of runs by a measure, over all ``topics`` and by category. ``columns``: how many scored topics each
    category of each column of the sheet has; the category is empty for those without one."""

    columns: dict[str, dict[str, int]]
    topics: int
    rows: list[RunCategories]


def sheet_of(campaign: Campaign) -> Sheet:
    """The columns of the topic sheet that sort topics into kinds: with categories, but not too many. One query."""
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
    parts = [
        {(mean.run, category): mean for category, means in breakdown(scores, words).items() for mean in means}
        for words in sheet.values()
    ]
    rows = []
    for whole in means_of_topics(scores):
        of_columns = [
            [(of.get((whole.run, category)), count) for category, count in categories.items()]
            for categories, of in zip(columns.values(), parts, strict=True)
        ]
        rows.append(RunCategories(runs[int(whole.run)], whole, of_columns))
    return Breakdown(columns, len(topics), sorted(rows, key=lambda row: (-row.whole.value, row.run.name)))


class Tested(NamedTuple):
    """A run with its mean, and compared with the reference; None for the reference itself."""

    run: Run
    mean: Interval
    comparison: Comparison | None


def runs_with(evaluation: Evaluation, measure: str) -> list[Run]:
    """The runs with the measure, the best mean first. One query."""
    means = means_by_run(evaluation.means)
    runs = [run for run in scored_runs(evaluation) if measure in means.get(run.pk, {})]
    return sorted(runs, key=lambda run: (-means[run.pk][measure].value, run.name))


def default_reference(runs: Sequence[Run]) -> Run | None:
    """The best baseline, or the best run without one; the runs are in order."""
    return next((run for run in runs if run.kind == Run.Kind.BASELINE), next(iter(runs), None))


def compare_with_reference(evaluation: Evaluation, measure: str, reference: int = 0) -> tuple[Run | None, list[Tested]]:
    """All runs against the one with this key, or the default one: the reference (None if no run has the measure), and
    the runs, the best first. Two runs are compared over the topics that both have. Two queries."""
    of_runs = values_by_run(evaluation, measure)
    runs = [run for run in runs_with(evaluation, measure) if run.pk in of_runs]
    chosen = next((run for run in runs if run.pk == reference), default_reference(runs))
    if chosen is None:
        return None, []
    by_name = {run.name: of_runs[run.pk] for run in runs}
    compared = {row.first: row for row in compare_runs(by_name, against=chosen.name)}
    return chosen, [Tested(run, interval(list(by_name[run.name].values())), compared.get(run.name)) for run in runs]


def compare_two(
    evaluation: Evaluation, measure: str, first: Run, second: Run
) -> tuple[list[tuple[str, float, float]], Comparison]:
    """Topics with both values, the largest difference first, then by number; and how the two compare. One query."""
    of_runs = values_by_run(evaluation, measure)
    own, others = of_runs.get(first.pk, {}), of_runs.get(second.pk, {})
    rows = [(topic, own[topic], others[topic]) for topic in sorted(own.keys() & others.keys(), key=topic_order)]
    rows.sort(key=lambda row: row[2] - row[1])
    return rows, compare_pair("first", "second", {"first": own, "second": others}, evaluation.campaign.seed)
