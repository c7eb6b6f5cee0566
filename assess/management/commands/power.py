"""``manage.py power``: how many topics the differences between runs need, without a database."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.core.management.base import CommandParser

from assess.ir.results import power, stability
from assess.management.output import Cell
from assess.management.scoring import ScoringCommand

PAIRS = {"next": power.neighbours, "best": power.against_best}
HEADERS = {
    "next": ("measure", *power.Needed._fields),
    "best": ("measure", *power.Needed._fields),
    "stability": ("measure", *stability.AtSize._fields),
    "error-rates": ("measure", *stability.SwapStep._fields, "rate"),
}


class Command(ScoringCommand):
    help = "How many topics the differences between runs need to be significant, and how stable the ranking is."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--table",
            choices=HEADERS,
            default="next",
            help="each run with the next, or with the best one; or stability",
        )
        parser.add_argument("--seed", type=int, default=0, help="of the topics drawn for stability")

    def rows(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        table = options["table"]
        self.header = HEADERS[table]
        values: defaultdict[str, dict[str, dict[str, float]]] = defaultdict(dict)
        for run in self.scored_runs(options):
            for row in run.scores:
                values[row.measure].setdefault(run.name, {})[row.topic_id] = row.value
        for measure, of_runs in values.items():
            yield from ((measure, *row) for row in rows_of(table, of_runs, options["seed"]))


def rows_of(table: str, values: Mapping[str, Mapping[str, float]], seed: int) -> Iterator[Sequence[Cell]]:
    """The rows of one measure."""
    if table in PAIRS:
        yield from PAIRS[table](values)
        return
    drawn = stability.stability(values, seed)
    yield from drawn.sizes if table == "stability" else ((*step, step.rate) for step in drawn.steps)
