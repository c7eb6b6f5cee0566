"""``manage.py kappa``: agreement of assessors, from a file of judgments, without a database."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.core.management.base import CommandParser

from assess.ir.formats.judgments import read_judgments
from assess.ir.results.agreement import AssessorAgreement, PairAgreement, assessors, pairs
from assess.management.files import read_file
from assess.management.output import Cell, TableCommand


class Command(TableCommand):
    help = "Cohen's kappa of each pair of assessors, or of each assessor with the others."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--judgments",
            required=True,
            metavar="FILE",
            help="header: assessor item grade; or what manage.py export prints",
        )
        parser.add_argument("--by", choices=("pair", "assessor"), default="pair")

    def rows(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        agreements = pairs(read_file(options["judgments"], read_judgments))
        if options["by"] == "pair":
            self.header = PairAgreement._fields
            return by_pair(agreements)
        self.header = AssessorAgreement._fields
        return iter(assessors(agreements))


def by_pair(agreements: Iterable[PairAgreement]) -> Iterator[Sequence[Cell]]:
    for pair in agreements:
        yield pair.first, pair.second, pair.n, pair.agreement, pair.kappa.value, pair.kappa_hm.value, pair.note
