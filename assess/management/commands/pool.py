"""``manage.py pool``: the documents to judge, from run files without a database, or in a campaign."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.core.management.base import CommandParser

from assess.ir.common.problems import refuse
from assess.ir.common.rows import PoolLine
from assess.ir.formats.pools import COLUMNS, write_pool
from assess.ir.pool.pooling import DECIMALS, build_pool, count_without_unit
from assess.management.campaigns import CAMPAIGN, add_verbs, campaign_named, do_job, rows_of_verb
from assess.management.files import Formula, NamedRun, occurring
from assess.management.output import Cell
from assess.management.pooling import PoolingCommand
from assess.models import Campaign
from assess.services.common.errors import Refused
from assess.services.pool import freezing, pools


class Command(PoolingCommand):
    help = "Build a pool from run files: topic, unit, doc, votes, runs. With a verb: the pool of a campaign."
    header: Sequence[str] = COLUMNS
    decimals = DECIMALS

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--seed", required=True, type=int, help="decides ties")
        posts = "formulas only: Posts.xml; those that occur in no text are not pooled (needs --formula-index)"
        parser.add_argument("--posts", metavar="FILE", help=posts)
        parser.add_argument("--comments", metavar="FILE", help="Comments.xml: its texts count, too (needs --posts)")
        self.parser, self.needed = parser, [action for action in parser._actions if action.required]
        for action in self.needed:  # unless there is a verb
            action.required = False
        anyway = ("--anyway", {"action": "store_true", "help": "also with documents that have no text"})
        add_verbs(self, parser, {"build": CAMPAIGN, "freeze": [*CAMPAIGN, anyway]})

    def build(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        """Build the pool of a campaign from its runs, or build it again, and print its topics."""
        campaign = campaign_named(options["campaign"])
        do_job(self, campaign, "pool")
        yield from self.topics(campaign)

    def freeze(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        """Freeze the pool of a campaign, and print its topics.

        From then on it can only be extended. Warnings stop it, unless --anyway is given."""
        campaign = campaign_named(options["campaign"])
        pool = campaign.current_pool()
        if pool is None:
            raise Refused("There is no pool: build it first.")
        warnings = freezing.freeze_warnings(pool, freezing.missing_of(pool)) if not pool.frozen else []
        if warnings and not options["anyway"]:
            raise Refused(" ".join([*warnings, "To freeze it as it is, add --anyway."]))
        do_job(self, campaign, "freeze", pool=pool.pk)
        yield from self.topics(campaign)

    def topics(self, campaign: Campaign) -> Iterator[Sequence[Cell]]:
        self.header = ("topic", "units", "documents")
        pool = campaign.current_pool()
        for row in pools.topic_counts(pool) if pool else ():
            yield row.topic.topic_id, row.entries, row.documents

    def rows(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        if options["what"]:
            yield from rows_of_verb(self, options)
            return
        if missing := [action.option_strings[0] for action in self.needed if options[action.dest] is None]:
            self.parser.error(f"the following arguments are required: {', '.join(missing)}")
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
        if self.header != COLUMNS:
            return super().as_text(rows)
        return write_pool(row for row in rows if isinstance(row, PoolLine))


def check_files(options: Mapping[str, Any]) -> None:
    """Raises ``BadInput`` for a file that is useless without another one."""
    if options["posts"] and not options["formula_index"]:
        raise refuse("--posts", "it says which formulas of --formula-index occur in a text: add that")
    if options["comments"] and not options["posts"]:
        raise refuse("--comments", "it only adds to --posts: add that")
