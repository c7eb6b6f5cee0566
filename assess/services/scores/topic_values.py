"""The values of runs topic by topic."""

from collections import defaultdict
from collections.abc import Mapping
from statistics import median
from typing import NamedTuple

from assess.models import Evaluation, Qrels, QrelsLine, Run
from assess.services.campaign.campaigns import topic_number
from assess.services.scores.evaluation import unit_of

Values = dict[str, float]
"""By topic."""


class AllRuns(NamedTuple):
    """The values that all runs have on a topic: the lowest, the median and the highest."""

    lowest: float
    median: float
    highest: float


def values_by_run(evaluation: Evaluation, measure: str) -> dict[int, Values]:
    """The values of a measure by run. One query."""
    of_runs: defaultdict[int, Values] = defaultdict(dict)
    rows = evaluation.scores.filter(measure=measure).order_by("pk")
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
    """The values of a run for each scored topic, by measure."""
    of_topics: defaultdict[str, dict[str, float]] = defaultdict(dict)
    rows = evaluation.scores.filter(run=run).order_by("pk")
    for topic, measure, value in rows.values_list("topic_id", "measure", "value"):
        of_topics[topic][measure] = value
    return sorted(of_topics.items(), key=lambda row: topic_order(row[0]))


def topic_order(topic_id: str) -> tuple[int, str]:
    """By number, for sorting."""
    return topic_number(topic_id), topic_id


def topics_left_out(evaluation: Evaluation, run: Run) -> dict[str, list[str]]:
    """The topics of the campaign without values of the run, by reason."""
    release = evaluation.qrels
    scored = evaluation.scores.filter(run=run).values("topic_id")
    missing = release.pool.campaign.topics.exclude(topic_id__in=scored).values_list("topic_id", flat=True)
    reasons = reasons_of(release, run) if missing else []
    by_reason: defaultdict[str, list[str]] = defaultdict(list)
    for topic in missing:
        by_reason[next((reason for reason, topics in reasons if topic in topics), "no grades")].append(topic)
    return dict(by_reason)


def reasons_of(release: Qrels, run: Run) -> list[tuple[str, set[str]]]:
    """Why a run may have no value, with the topics for which that holds unless a reason before it does."""
    judged = QrelsLine.objects.filter(qrels=release).values_list("topic_id", flat=True).distinct()
    removed = set(release.made_with["left_out"])
    chosen = release.pool.campaign.topics.filter(topic_id__in=removed).exclude(kind="")
    return [
        ("no judged unit in the run", set(judged.filter(unit=unit_of(run)))),
        ("no judged written answer", set(judged)),
        ("left out of the release by the organizers", set(chosen.values_list("topic_id", flat=True))),
        (f"left out of the release: fewer than {release.protocol['min_relevant']} relevant units", removed),
    ]
