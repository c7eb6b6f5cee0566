"""``manage.py pool``: the documents to judge, from run files, without a database."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.core.management.base import CommandParser

from assess.ir.common.problems import refuse
from assess.ir.common.rows import PoolLine
from assess.ir.formats.pools import COLUMNS, write_pool
from assess.ir.pool.pooling import DECIMALS, build_pool, count_without_unit
from assess.management.files import Formula, NamedRun, occurring
from assess.management.output import Cell
from assess.management.pooling import PoolingCommand


class Command(PoolingCommand):
    help = "Build a pool from runs: topic, unit, doc, votes, runs."
    header = COLUMNS
    decimals = DECIMALS

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--seed", required=True, type=int, help="decides ties")
        posts = "Posts.xml: formulas that occur in no text are not pooled (needs --formula-index)"
        parser.add_argument("--posts", metavar="FILE", help=posts)
        parser.add_argument("--comments", metavar="FILE", help="Comments.xml: its texts count, too (needs --posts)")

    def rows(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        protocol = self.protocol(options)
        check_files(options)
        pooled = self.entered_runs(options, self.read_runs(options), protocol)
        if protocol.has_visual_ids and not options["formula_index"]:
            self.warn(["every formula instance is pooled as a unit: --formula-index pools them by visual id"])
        for run in pooled:
            if count := count_without_unit(run):
                self.warn([f"{run.name}: {count:,} formulas have no visual id in a post and are not pooled"])
        yield from build_pool(pooled, protocol, options["seed"])

    def index(self, options: dict[str, Any], runs: Sequence[NamedRun]) -> dict[str, Formula]:
        formulas = super().index(options, runs)
        if not options["posts"]:
            self.warn(["formulas that occur in no text (spurious) are pooled like others: see --posts"])
            return formulas
        in_texts = occurring(options["posts"], options["comments"], runs)
        return {key: formula for key, formula in formulas.items() if key in in_texts}

    def as_text(self, rows: Iterable[Sequence[Cell]]) -> str:
        return write_pool(row for row in rows if isinstance(row, PoolLine))


def check_files(options: Mapping[str, Any]) -> None:
    """Raises ``BadInput`` for a file that is useless without another one."""
    if options["posts"] and not options["formula_index"]:
        raise refuse("--posts", "it says which formulas of --formula-index occur in a text: add that")
    if options["comments"] and not options["posts"]:
        raise refuse("--comments", "it only adds to --posts: add that")
