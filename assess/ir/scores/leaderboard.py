"""Runs ranked by their means: Kendall's tau between two leaderboards, and how many runs change places."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import polars as pl

from assess.ir.common.places import EQUAL
from assess.ir.common.rows import Order, Qrel, ScoreRow, Task
from assess.ir.runs.judged import JudgedUnits
from assess.ir.runs.ranking import judged_only, prime
from assess.ir.scores import definitions, measures
from assess.ir.scores.correlation import kendall
from assess.ir.scores.definitions import Average, Gain

DECIMALS = 9
"""Means that are equal up to these are tied (`places.EQUAL`)."""


class Entered(NamedTuple):
    """A run to be scored with several sets of qrels: its ``ranking`` holds the units that any of them has, in the order
    of `ranking.prime`; a run of written answers is kept whole."""

    name: str
    task: Task
    ranking: pl.DataFrame


Means = Mapping[str, Mapping[str, float]]
"""By measure and run; without a run that has nothing to average over."""


class Scoring(NamedTuple):
    """Runs of one task, their ``measures`` (all of judged units, or all of first answers), which topics the means are
    over, the lowest relevant grade, and what nDCG adds for a grade."""

    runs: Sequence[Entered]
    measures: Sequence[str]
    average: Average
    level: int
    gain: Gain = "linear"

    def means(self, qrels: JudgedUnits) -> Means:
        """The means of all runs; of written answers always over the run's topics."""
        table: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for run in self.runs:
            full = measures.complete_scores(run.name, self.scores(run, qrels), qrels, self.measures, self.average)
            for mean in measures.means(full, self.measures):
                table[mean.measure][run.name] = mean.value
        return table

    def scores(self, run: Entered, qrels: JudgedUnits) -> list[ScoreRow]:
        """The measures of a run for each topic with a judged unit in it."""
        chosen = [definitions.find_measure(name) for name in self.measures]
        if run.task == "written":
            return measures.of_firsts(run.name, run.ranking, qrels, chosen, self.level)
        return measures.by_trec_eval(run.name, judged_only(run.ranking, qrels), qrels, chosen, self.level, self.gain)


class Tau(NamedTuple):
    """Kendall's tau-b (Kendall 1945; SciPy) between two leaderboards, None with the reason if it is undefined; and how
    many pairs of runs are in the opposite order."""

    value: float | None
    reason: str
    swaps: int


def enter(name: str, ranking: pl.DataFrame, qrels: Collection[Qrel], task: Task, by: Order) -> Entered:
    """The run, reduced to the units of ``qrels``, which must have those of all qrels it is scored with."""
    return Entered(name, task, ranking if task == "written" else prime(ranking, qrels, by))


def tau(first: Mapping[str, float], second: Mapping[str, float]) -> Tau:
    """Between two leaderboards, over the runs of both."""
    runs = [run for run in first if run in second]
    columns = ([round(means[run], DECIMALS) for run in runs] for means in (first, second))
    swaps = 0
    for run, other in combinations(runs, 2):
        before, after = first[run] - first[other], second[run] - second[other]
        swaps += min(abs(before), abs(after)) > EQUAL and (before > 0) != (after > 0)  # ties are no order
    return Tau(*kendall(*columns), swaps)
