"""Whether runs of an evaluation differ by more than chance."""

from collections.abc import Sequence
from typing import NamedTuple

from assess.ir.scores.significance import Comparison, Interval, compare_pair, compare_runs, interval
from assess.models import Evaluation, Run
from assess.services.scores.results import scored_runs
from assess.services.scores.topic_sets import means_by_run
from assess.services.scores.topic_values import topic_order, values_by_run


class Tested(NamedTuple):
    """A run with its mean, and compared with the reference; None for the reference itself."""

    run: Run
    mean: Interval
    comparison: Comparison | None


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


def compare_two(evaluation: Evaluation, measure: str, first: Run, second: Run) -> RunPair:
    """Topics with the same difference are by number. One query."""
    of_runs = values_by_run(evaluation, measure)
    own, others = of_runs.get(first.pk, {}), of_runs.get(second.pk, {})
    rows = [(topic, own[topic], others[topic]) for topic in sorted(own.keys() & others.keys(), key=topic_order)]
    rows.sort(key=lambda row: row[2] - row[1])
    seed = evaluation.campaign.seed
    return RunPair(rows, compare_pair("first", "second", {"first": own, "second": others}, seed))
