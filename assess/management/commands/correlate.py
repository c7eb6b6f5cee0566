"""``manage.py correlate``: correlations between measures over systems, or between two rankings of the systems."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.core.management.base import CommandParser

from assess.ir.common.problems import refuse
from assess.ir.formats.scores import SHAPES, read_means
from assess.ir.scores.correlation import between_measures, between_tables
from assess.management.output import Cell, TableCommand, read_file


class Command(TableCommand):
    help = "Pearson's r, Kendall's tau-b and Spearman's rho between measures, or between two tables of scores."
    header = ("first", "second", "runs", "pearson", "kendall", "spearman", "note")

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("scores", metavar="FILE", help=SHAPES)
        parser.add_argument(
            "other", nargs="?", metavar="FILE", help="compares each measure of both, such as of two qrels"
        )

    def rows(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        means = [read_file(path, read_means) for path in (options["scores"], options["other"]) if path]
        pairs = between_tables(*means) if options["other"] else between_measures(*means)
        if not pairs:
            raise refuse(options["other"] or options["scores"], "there are no two measures to compare")
        for pair in pairs:
            coefficients = (pair.pearson, pair.kendall, pair.spearman)
            note = next((coefficient.reason for coefficient in coefficients if coefficient.reason), "")
            yield pair.first, pair.second, pair.n, *(coefficient.value for coefficient in coefficients), note
