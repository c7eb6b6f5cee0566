"""Whether runs of an evaluation differ by more than chance."""

from collections.abc import Sequence
from typing import NamedTuple

from assess.ir.scores.significance import (
    Comparison,
    Interval,
    Significance,
    bonferroni,
    compared,
    holm,
    interval,
    t_test,
)
from assess.models import Evaluation, Run
from assess.services.scores.results import runs_of
from assess.services.scores.topic_sets import by_run
from assess.services.scores.topic_values import Values, place, values


class Tested(NamedTuple):
    """A run beside another: its own mean and the mean of the differences, both with their intervals; the paired t-test
    of these differences, and its p corrected for all runs tested. The reference itself has no test."""

    run: Run
    mean: Interval
    difference: Interval | None = None
    test: Significance | None = None
    bonferroni: float | None = None
    holm: float | None = None


class Against(NamedTuple):
    """All runs with a measure, best first, each tested against the ``reference``; None if no run has the measure."""

    reference: Run | None
    rows: list[Tested]


class RunPair(NamedTuple):
    """Two runs by one measure: on each topic that both have the values of the first and the second, largest difference
    first; and how they compare."""

    topics: list[tuple[str, float, float]]
    comparison: Comparison

    @property
    def wins(self) -> tuple[int, int, int]:
        """On how many topics the first run is better, worse, and equal."""
        signs = [(first > second) - (first < second) for _, first, second in self.topics]
        return signs.count(1), signs.count(-1), signs.count(0)


def runs_with(evaluation: Evaluation, measure: str) -> list[Run]:
    """The runs with the measure, the best mean first. One query."""
    runs = {run.name: run for run in runs_of(evaluation)}
    means = by_run(evaluation.means, {run.pk: run.name for run in runs.values()})
    values = {name: of[measure].value for name, of in means.items() if measure in of and name in runs}
    return [runs[name] for name in sorted(values, key=lambda name: (-values[name], name))]


def default_reference(runs: Sequence[Run]) -> Run | None:
    """The best baseline, or the best run without one; the runs are in order."""
    return next((run for run in runs if run.kind == Run.Kind.BASELINE), next(iter(runs), None))


def significance(evaluation: Evaluation, measure: str, reference: int = 0) -> Against:
    """All runs against the one with this key, or the default one. Two runs are compared over the topics that both
    have. Two queries."""
    of_runs = values(evaluation, measure)
    runs = [run for run in runs_with(evaluation, measure) if run.pk in of_runs]
    chosen = next((run for run in runs if run.pk == reference), default_reference(runs))
    if chosen is None:
        return Against(None, [])
    rows = [tested(run, of_runs[run.pk], of_runs[chosen.pk] if run != chosen else None) for run in runs]
    ps = [row.test.p if row.test else None for row in rows]
    corrected = zip(rows, bonferroni(ps), holm(ps), strict=True)
    return Against(chosen, [row._replace(bonferroni=first, holm=second) for row, first, second in corrected])


def tested(run: Run, own: Values, others: Values | None) -> Tested:
    row = Tested(run, interval(list(own.values())))
    if others is None:
        return row
    topics = sorted(own.keys() & others.keys())
    first, second = [own[topic] for topic in topics], [others[topic] for topic in topics]
    differences = [a - b for a, b in zip(first, second, strict=True)]
    return row._replace(difference=interval(differences), test=t_test(first, second))


def pair(evaluation: Evaluation, measure: str, first: Run, second: Run) -> RunPair:
    """Topics with the same difference are by number. One query."""
    of_runs = values(evaluation, measure)
    chosen = {name: of_runs.get(run.pk, {}) for name, run in (("first", first), ("second", second))}
    topics = chosen["first"].keys() & chosen["second"].keys()
    rows = [(topic, chosen["first"][topic], chosen["second"][topic]) for topic in sorted(topics, key=place)]
    rows.sort(key=lambda row: row[2] - row[1])
    return RunPair(rows, compared("first", "second", chosen, evaluation.qrels.pool.campaign.seed))
