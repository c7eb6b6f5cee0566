"""``manage.py compare``: significance of the differences between runs, without a database."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from django.core.management.base import CommandParser

from assess.ir.common.problems import refuse
from assess.ir.scores.significance import compare_runs
from assess.management.output import Cell
from assess.management.scoring import RunScores, ScoringCommand


class Command(ScoringCommand):
    """The mean difference, first minus second, with its 95 % t interval; p of the t-test as it is and corrected for all
    comparisons by this measure; p of the randomization test."""

    help = "Paired tests of the differences between runs, topic by topic: t-test, with corrections, and randomization."
    header = (
        *("first", "second", "measure", "topics", "difference", "low", "high"),
        *("t", "p", "bonferroni", "holm", "randomization", "note"),
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--against", metavar="RUN", default="", help="compare each run with this one only")
        seed = "of the randomization test (default: %(default)s); exact to 13 topics"
        parser.add_argument("--seed", type=int, default=1, help=seed)

    def rows(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        values = by_measure(list(self.scored_runs(options)), options["against"])
        for measure, runs in values.items():
            for row in compare_runs(runs, options["seed"], options["against"]):
                difference, test = row.difference, row.t
                yield (
                    *(row.first, row.second, measure, difference.n, difference.mean, difference.low, difference.high),
                    *(test.statistic, test.p, row.bonferroni, row.holm, row.randomization.p, test.reason),
                )


def by_measure(runs: Sequence[RunScores], against: str) -> dict[str, dict[str, dict[str, float]]]:
    """The values by measure, run and topic. Raises BadInput unless there are two runs to compare."""
    names = [run.name for run in runs]
    if against and against not in names:
        raise refuse("--against", f"no run {against}: choose from {', '.join(names)}")
    if len(names) < 2:
        raise refuse("--run", "give two runs or more")
    values: defaultdict[str, dict[str, dict[str, float]]] = defaultdict(lambda: {name: {} for name in names})
    for score in (score for run in runs for score in run.scores):
        values[score.measure][score.run][score.topic_id] = score.value
    return dict(values)
