"""``manage.py pool``: the documents to judge, from run files without a database, or in a campaign."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.core.management.base import CommandParser

from assess.ir.campaign.presets import PRESETS
from assess.ir.campaign.protocol import DEPTHS, OPTIONS, Protocol
from assess.ir.common.options import check_options
from assess.ir.common.problems import Problems, refuse
from assess.ir.common.rows import PoolLine, PoolRole
from assess.ir.formats.pools import COLUMNS, read_roles, write_pool
from assess.ir.pool.pooling import DECIMALS, PooledRun, build_pool
from assess.ir.runs import ranking
from assess.management.campaigns import CAMPAIGN, add_verbs, campaign_named, do_job, rows_of_verb
from assess.management.output import (
    Cell,
    NamedRun,
    TableCommand,
    add_options,
    argument_of,
    occurring,
    read_file,
    retrieved,
    visual_ids,
)
from assess.models import Campaign
from assess.services.common.errors import Refused
from assess.services.pool import freezing, pools


class Command(TableCommand):
    help = "Build a pool from run files: topic, unit, doc, votes, runs. With a verb: the pool of a campaign."
    header: Sequence[str] = COLUMNS
    decimals = DECIMALS

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_options(parser, "run", "roles", "preset", "formula-index", "format")
        for name in DEPTHS:
            argument, how = argument_of(name, OPTIONS[name], "by default as in the preset: ")
            parser.add_argument(argument, **how)
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

        From then on it can only be extended. A warning stops it, unless --anyway is given."""
        campaign = campaign_named(options["campaign"])
        pool = campaign.current_pool()
        if pool is None:
            raise Refused("There is no pool: build it first.")
        warning = freezing.freeze_warning(pool)
        if warning and not options["anyway"]:
            raise Refused(f"{warning} To freeze it as it is, add --anyway.")
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
        depths = {name: options[name] for name in DEPTHS if options[name] is not None}
        protocol = replace(PRESETS[options["preset"]], **depths)
        check_options(protocol)
        if options["formula_index"] and not protocol.kind.has_formulas:
            raise refuse("--formula-index", f"{protocol.preset} pools no formulas: leave it out")
        for name, needed in (("posts", "formula_index"), ("comments", "posts")):
            if options[name] and not options[needed]:
                raise refuse(f"--{name}", f"it needs --{needed.replace('_', '-')}: add that")
        pooled = self.entered_runs(options, protocol)
        if protocol.has_visual_ids and not options["formula_index"]:
            self.warn(["every formula instance is pooled as a unit: --formula-index pools them by visual id"])
        for run in pooled:
            if count := (run.ranking["unit_id"] == "").sum():
                self.warn([f"{run.name}: {count:,} formulas have no visual id in a post and are not pooled"])
        yield from build_pool(pooled, protocol, options["seed"])

    def entered_runs(self, options: dict[str, Any], protocol: Protocol) -> list[PooledRun]:
        """The runs with their roles and the units of their documents. Raises ``BadInput`` for a run without a role, a
        role without a run, and a run of another task than the preset's."""
        runs = self.read_runs(options)
        roles = roles_of(runs, options["roles"])
        allowed = {"trec"} | protocol.run_formats | ({"task1"} if "trec" in protocol.run_formats else set())
        for run in runs:
            if run.file.format not in allowed:
                reason = f"found the columns of {run.file.format}, but {protocol.preset} pools {protocol.task}"
                raise refuse(run.path, reason)
        units = None
        if options["formula_index"]:
            index = visual_ids(options["formula_index"], retrieved(runs), comments=False)
            if not options["posts"]:
                self.warn(["formulas that occur in no text (spurious) are pooled like others: see --posts"])
            known = occurring(options["posts"], options["comments"], runs) if options["posts"] else index
            units = {key: index[key] if protocol.unit == "visual" else key for key in index if key in known}
        rankings = (ranking.resolve(run.file.ranking("score", run.path), units) for run in runs)
        return [
            PooledRun(run.name, roles[run.name], rows, run.file.format == "task3")
            for run, rows in zip(runs, rankings, strict=True)
        ]

    def as_text(self, rows: Iterable[Sequence[Cell]]) -> str:
        if self.header != COLUMNS:
            return super().as_text(rows)
        return write_pool(row for row in rows if isinstance(row, PoolLine))


def roles_of(runs: Sequence[NamedRun], path: str) -> dict[str, PoolRole]:
    roles, problems = read_file(path, read_roles), Problems(path)
    names = {run.name for run in runs}
    for run in runs:
        if run.name not in roles:
            problems.add(0, f"no role for {run.name} ({run.path})")
    for name in roles:
        if name not in names:
            problems.add(0, f"no run file for {name}; the runs are {', '.join(sorted(names))}")
    problems.check()
    return roles
