"""``manage.py score``: measure runs against qrels, without a database."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import fmean
from typing import Any

from django.core.management.base import CommandParser

from assess.ir.common.rows import grouped
from assess.ir.formats.topic_sheet import column_of, read_topic_sheet
from assess.ir.scores import measures
from assess.ir.scores.breakdowns import NOT_NOTED, Categories, breakdown
from assess.ir.scores.definitions import JUDGED, LEAST_JUDGED
from assess.management.output import Cell, add_options, read_file
from assess.management.scoring import RunScores, ScoringCommand


class Command(ScoringCommand):
    help = (
        "Measure runs against qrels: nDCG', MAP', P'@10, bpref and judged@10; AR and P@1 for written answers; others "
        "by --measure. docs/measures.md defines them."
    )
    shows_judged = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        shown = parser.add_mutually_exclusive_group()
        shown.add_argument("--per-topic", action="store_true", help="print the values of topics")
        shown.add_argument("--intervals", action="store_true", help="also the 95 %% t intervals of the means")
        add_options(shown, "sheet")
        add_options(parser, "by")

    def rows(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        rows_of_run = self.chosen_rows(options)
        for run in self.scored_runs(options):
            rates = [score.value for score in run.scores if score.measure == JUDGED]
            if rates and fmean(rates) < LEAST_JUDGED:
                self.warn([f"{run.name}: less than {LEAST_JUDGED:.0%} of the first ten are judged (judged@10)"])
            yield from rows_of_run(run)

    def chosen_rows(self, options: dict[str, Any]) -> Callable[[RunScores], Iterable[Sequence[Cell]]]:
        if options["per_topic"]:
            self.header = ("run", "topic", "measure", "value")
            return lambda run: run.scores
        if options["sheet"]:
            categories = column_of(read_file(options["sheet"], read_topic_sheet), options["by"], options["sheet"])
            self.header = ("run", "category", "measure", "value", "topics")
            return lambda run: means_by_category(run, categories)
        self.header = ("run", "measure", "value", "topics", *(("low", "high") if options["intervals"] else ()))
        return lambda run: means_of_run(run, intervals=options["intervals"])


def means_by_category(run: RunScores, categories: Categories) -> Iterator[Sequence[Cell]]:
    """The means over all topics, and over those of each category. Means of means have no parts."""
    for category, means in (("all", measures.means_of_topics(run.scores)), *breakdown(run.scores, categories).items()):
        for mean in means:
            yield mean.run, category or NOT_NOTED, *mean[1:]


def means_of_run(run: RunScores, *, intervals: bool) -> Iterator[Sequence[Cell]]:
    """The rows of one run. A mean over no topics is undefined, and so is the interval of a mean of means."""
    if intervals:
        from assess.ir.scores.significance import interval  # SciPy takes time and memory
    by_measure = {row.measure: row for row in measures.means(run.scores, run.measures)}
    values = grouped((score.measure, score.value) for score in run.scores)
    for name in run.measures:
        yield *by_measure.get(name, (run.name, name, None, 0)), *(interval(values[name])[2:4] if intervals else ())
