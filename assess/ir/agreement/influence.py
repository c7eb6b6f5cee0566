"""What a grade weighs: how far the means of runs move, and how many runs change places, if one unit had another."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from assess.ir.agreement.kappa import Counts, Floats
from assess.ir.common.figures import EQUAL
from assess.ir.common.rows import Qrel, grouped
from assess.ir.runs.ranking import JudgedUnits

Ranked = Mapping[str, float]
"""The judged units that a run retrieved for a topic, with falling scores."""
Points = Mapping[str, Ranked]
Grades = Mapping[str, int]
TopicValue = Callable[[Sequence[Grades]], Callable[[Ranked], Floats]]
"""A measure of one topic by several sets of judgments: prepared once for any number of runs, it gives the value of each
run by each of the judgments."""


class ScoredRun(NamedTuple):
    """A run as it was scored: its mean over so many ``topics``, and for each topic the judged units that it retrieved
    with falling scores (`ranking.as_points`)."""

    name: str
    mean: float
    topics: int
    points: Points


class Influence(NamedTuple):
    """The largest change of a run's mean, the run that it is of, and how many runs change places."""

    change: float
    run: str
    moved: int


def ndcg(cases: Sequence[Grades]) -> Callable[[Ranked], Floats]:
    from ir_measures import nDCG, pytrec_eval

    names = [str(at) for at in range(len(cases))]
    evaluator = pytrec_eval.evaluator([nDCG], dict(zip(names, cases, strict=True)))

    def value(ranked: Ranked) -> Floats:
        values = {value.query_id: value.value for value in evaluator.iter_calc(dict.fromkeys(names, ranked))}
        return np.array([values[name] for name in names])

    return value


def relevance(cases: Sequence[Grades]) -> Callable[[Ranked], Floats]:
    """The grade of a run's single answer; its mean over topics is AR (ARQMath-3)."""
    return lambda ranked: np.array([float(grades[max(ranked, key=ranked.__getitem__)]) for grades in cases])


def influences(
    runs: Sequence[ScoredRun], qrels: Sequence[Qrel], others: Sequence[Qrel], value: TopicValue = ndcg
) -> list[Influence]:
    """For each other line, what would change if it stood in the qrels for the line of its unit; ``value``: the measure
    of a topic that the means of the runs are of."""
    if not runs:
        return [Influence(0.0, "", 0) for _ in others]
    changes = changes_of_means(runs, qrels, others, value)
    means = np.array([run.mean for run in runs])
    moved = (count_ahead(means + changes) != count_ahead(means[None])).sum(axis=1)
    largest = np.abs(changes).argmax(axis=1)
    return [
        Influence(float(row[at]), runs[at].name if row[at] else "", int(count))
        for row, at, count in zip(changes, largest, moved, strict=True)
    ]


def count_ahead(means: Floats) -> Counts:
    """How many runs are ahead of each, in each row; shape as given."""
    return np.asarray((means[:, None, :] > means[:, :, None] + EQUAL).sum(axis=2))


def changes_of_means(
    runs: Sequence[ScoredRun], qrels: Sequence[Qrel], others: Sequence[Qrel], value: TopicValue
) -> Floats:
    """The change of each run's mean (columns) by each other line (rows)."""
    changes = np.zeros((len(others), len(runs)))
    grades = JudgedUnits.of(qrels).by_topic
    by_other = grouped((other.topic_id, row) for row, other in enumerate(others))
    for topic_id, rows in by_other.items():
        of_topic = grades[topic_id]
        value_of = value([of_topic, *(of_topic | {others[row].unit_id: max(others[row].grade, 0)} for row in rows)])
        for column, run in enumerate(runs):
            if topic_id in run.points:
                values = value_of(run.points[topic_id])
                changes[rows, column] = (values[1:] - values[0]) / run.topics
    return changes
