"""``manage.py pool``: the documents to judge, from run files, without a database."""

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

from django.core.management.base import CommandParser

from assess.ir.campaign.presets import PRESETS, Protocol
from assess.ir.common.problems import Problems, refuse
from assess.ir.common.rows import PoolLine, PoolRole
from assess.ir.formats.pools import COLUMNS, write_pool
from assess.ir.formats.roles import read_roles
from assess.ir.formats.runs import RunFormat
from assess.ir.pool.pooling import DECIMALS, PooledRun, build_pool, count_without_unit
from assess.ir.runs import ranking
from assess.management.files import Formula, NamedRun, indexed, occurring, read_file, read_runs, retrieved
from assess.management.output import Cell, TableCommand


class Command(TableCommand):
    help = "Build a pool from runs: topic, unit, doc, votes, runs."
    header = COLUMNS
    decimals = DECIMALS

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--run", nargs="+", action="extend", required=True, metavar="FILE")
        parser.add_argument("--roles", required=True, metavar="FILE", help="lines with a run and primary or alternate")
        parser.add_argument("--preset", required=True, choices=list(PRESETS))
        for role in ("primary", "alternate"):
            parser.add_argument(
                f"--{role}-depth",
                type=depth,
                metavar="N",
                help=f"units pooled from each list of a run with the role {role} (default: as in the preset)",
            )
        parser.add_argument("--seed", required=True, type=int, help="decides ties")
        parser.add_argument(
            "--formula-index", metavar="FILE", help="pools formulas of questions and answers by visual id"
        )
        parser.add_argument(
            "--posts",
            metavar="FILE",
            help="Posts.xml: formulas that occur in no text are not pooled (needs --formula-index)",
        )
        parser.add_argument("--comments", metavar="FILE", help="Comments.xml: its texts count, too (needs --posts)")
        parser.add_argument(
            "--format", choices=get_args(RunFormat), help="of the runs (default: recognized by their columns)"
        )

    def rows(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        protocol = protocol_of(options)
        if options["formula_index"] and protocol.task != "formulas":
            raise refuse("--formula-index", f"{protocol.preset} pools no formulas: leave it out")
        check_files(options)
        runs = read_runs(options["run"], options["format"])
        roles = read_file(options["roles"], read_roles)
        check_roles(runs, roles, options["roles"])
        check_formats(runs, protocol)
        index = self.index(options, runs) if options["formula_index"] else None
        units = None if index is None else units_of(index, protocol)
        if protocol.task == "formulas" and protocol.unit == "visual" and units is None:
            self.warn(["every formula instance is pooled as a unit: --formula-index pools them by visual id"])
        pooled = [with_role(run, roles[run.name], units) for run in runs]
        for run in runs:
            self.warn(run.file.notes)
        for pooled_run in pooled:
            if count := count_without_unit(pooled_run):
                self.warn([f"{pooled_run.name}: {count:,} formulas have no visual id in a post and are not pooled"])
        yield from build_pool(pooled, protocol, options["seed"])

    def index(self, options: dict[str, Any], runs: Sequence[NamedRun]) -> dict[str, Formula]:
        """The formulas that can be pooled."""
        formulas = indexed(options["formula_index"], retrieved(runs), comments=False)
        if not options["posts"]:
            self.warn(["formulas that occur in no text (spurious) are pooled like others: see --posts"])
            return formulas
        in_texts = occurring(options["posts"], options["comments"], runs)
        return {key: formula for key, formula in formulas.items() if key in in_texts}

    def as_text(self, rows: Iterable[Sequence[Cell]]) -> str:
        return write_pool(row for row in rows if isinstance(row, PoolLine))


def depth(text: str) -> int:
    value = int(text)
    if not 1 <= value <= ranking.LIMIT:
        raise argparse.ArgumentTypeError(f"a depth from 1 to {ranking.LIMIT} is needed")
    return value


def protocol_of(options: Mapping[str, Any]) -> Protocol:
    """The preset, with the depths of the command line if given."""
    depths = {name: options[name] for name in ("primary_depth", "alternate_depth") if options[name] is not None}
    return replace(PRESETS[options["preset"]], **depths)


def check_files(options: Mapping[str, Any]) -> None:
    """Raises ``BadInput`` for a file that is useless without another one."""
    needs = {
        "posts": ("formula_index", "it says which formulas of --formula-index occur in a text: add that"),
        "comments": ("posts", "it only adds to --posts: add that"),
    }
    for name, (other, reason) in needs.items():
        if options[name] and not options[other]:
            raise refuse(f"--{name.replace('_', '-')}", reason)


def units_of(index: Mapping[str, Formula], protocol: Protocol) -> dict[str, str]:
    return {key: formula.visual_id if protocol.unit == "visual" else key for key, formula in index.items()}


def with_role(run: NamedRun, role: PoolRole, units: Mapping[str, str] | None) -> PooledRun:
    rows = ranking.resolve(ranking.order(run.file.lines), units)
    return PooledRun(run.name, role, rows, run.file.format == "task3")


def check_roles(runs: Sequence[NamedRun], roles: Mapping[str, PoolRole], path: str) -> None:
    """Raises ``BadInput`` for a run without a role and a role without a run."""
    problems = Problems(path)
    names = {run.name for run in runs}
    for run in runs:
        if run.name not in roles:
            problems.add(0, f"no role for {run.name} ({run.path})")
    for name in roles:
        if name not in names:
            problems.add(0, f"no run file for {name}; the runs are {', '.join(sorted(names))}")
    problems.check()


def check_formats(runs: Sequence[NamedRun], protocol: Protocol) -> None:
    """Raises ``BadInput`` for a run of another task than the preset's."""
    allowed = {"trec", "task2"} if protocol.task == "formulas" else {"trec", "task1"}
    allowed |= {"task3"} if protocol.written else set()
    for run in runs:
        if run.file.format not in allowed:
            reason = f"found the columns of {run.file.format}, but {protocol.preset} pools {protocol.task}"
            raise refuse(run.path, reason)
