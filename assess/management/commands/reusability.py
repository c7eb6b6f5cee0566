"""``manage.py reusability``: leave one team out of the pool, without a database."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

import polars as pl
from django.core.management.base import CommandParser

from assess.ir.campaign.presets import PRESETS, Protocol
from assess.ir.common.problems import Problems
from assess.ir.common.rows import RELEVANT, Qrel
from assess.ir.formats.qrels import read_qrels
from assess.ir.formats.roles import read_roles, read_teams
from assess.ir.formats.runs import RunFormat
from assess.ir.pool.pooling import PooledRun, prefixes
from assess.ir.runs.judged import JudgedUnits
from assess.ir.scores import definitions, leaderboard, measures, reusability
from assess.ir.scores.leaderboard import Scoring
from assess.management.commands.pool import check_formats, check_roles, depth, protocol_of, units_of, with_role
from assess.management.files import NamedRun, indexed, read_file, read_runs, retrieved
from assess.management.output import Cell, TableCommand

LEFT_OUT = ("team", "lines", "relevant", "run", "measure", "before", "after", "place", "place_after", "tau")
HEADERS = {
    "left-out": LEFT_OUT,
    "runs": ("run", "team", *reusability.COUNTS, "unjudged_at_10", "topics"),
    "teams": ("team", *reusability.COUNTS),
}


class Command(TableCommand):
    help = "Leave one team out of the pool: its runs' scores and places without the units that only they brought in."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--qrels", required=True, metavar="FILE")
        parser.add_argument("--run", nargs="+", action="extend", required=True, metavar="FILE")
        parser.add_argument(
            "--roles", required=True, metavar="FILE", help="lines with a run and primary, alternate or none"
        )
        parser.add_argument(
            "--teams", metavar="FILE", help="lines with a run and its team (default: every run is a team of its own)"
        )
        parser.add_argument("--preset", required=True, choices=list(PRESETS), help="the rules of the pool")
        for role in ("primary", "alternate"):
            parser.add_argument(f"--{role}-depth", type=depth, metavar="N", help="default: as in the preset")
        parser.add_argument("--formula-index", metavar="FILE", help="resolves formulas to visual ids")
        parser.add_argument("--table", choices=HEADERS, default="left-out", help="what to print (default: %(default)s)")
        parser.add_argument("--average", choices=get_args(definitions.Average), help="which topics the mean covers")
        parser.add_argument("--level", type=int, default=RELEVANT, help="lowest relevant grade (default: %(default)s)")
        parser.add_argument(
            "--format", choices=get_args(RunFormat), help="of the runs (default: recognized by their columns)"
        )

    def rows(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        self.header = HEADERS[options["table"]]
        protocol, runs = protocol_of(options), read_runs(options["run"], options["format"])
        roles = read_file(options["roles"], read_roles)
        check_roles(runs, roles, options["roles"])
        check_formats(runs, protocol)
        teams = teams_of(runs, options["teams"])
        file = read_file(options["qrels"], lambda source, name: read_qrels(source, name, runs[0].file.format))
        for notes in (file.notes, *(run.file.notes for run in runs)):
            self.warn(notes)
        units = self.units(options, runs, protocol)
        entered = [with_role(run, roles[run.name], units) for run in runs]
        pooled = [run for run in entered if run.role != "none" and not run.written]
        parts = prefixes(pooled, protocol)
        brought = reusability.as_brought({run.name: part for run, part in zip(pooled, parts, strict=True)})
        of_pool = {run.name: teams[run.name] for run in pooled}
        level = options["level"]
        if options["table"] == "teams":
            yield from reusability.contributions(brought, of_pool, file.qrels, level)
        elif options["table"] == "runs":
            yield from of_runs(entered, brought, teams, of_pool, file.qrels, level)
        else:
            average = options["average"] or measures.default_average(protocol.task)
            yield from left_out(entered, brought, of_pool, file.qrels, protocol, average, level)

    def units(self, options: Mapping[str, Any], runs: Sequence[NamedRun], protocol: Protocol) -> dict[str, str] | None:
        if not options["formula_index"]:
            return None
        return units_of(indexed(options["formula_index"], retrieved(runs), comments=False), protocol)


def teams_of(runs: Sequence[NamedRun], path: str | None) -> dict[str, str]:
    """The team of each run. Raises ``BadInput`` for a run without one."""
    if path is None:
        return {run.name: run.name for run in runs}
    teams, problems = read_file(path, read_teams), Problems(path)
    for run in runs:
        if run.name not in teams:
            problems.add(0, f"no team for {run.name} ({run.path})")
    problems.check()
    return teams


def of_runs(
    entered: Sequence[PooledRun],
    brought: pl.DataFrame,
    teams: Mapping[str, str],
    of_pool: Mapping[str, str],
    qrels: Sequence[Qrel],
    level: int,
) -> Iterator[Sequence[Cell]]:
    """What each run brought in, empty if it is not pooled, and how much of its top is unjudged."""
    rows = reusability.contributions(brought, {name: name for name in of_pool}, qrels, level)
    counts = {row.name: row[1:] for row in rows}
    judged = JudgedUnits(qrels)
    for run in entered:
        nothing = (None,) * len(reusability.COUNTS)
        yield run.name, teams[run.name], *counts.get(run.name, nothing), *reusability.unjudged(run.ranking, judged)


def left_out(
    entered: Sequence[PooledRun],
    brought: pl.DataFrame,
    of_pool: Mapping[str, str],
    qrels: Sequence[Qrel],
    protocol: Protocol,
    average: definitions.Average,
    level: int,
) -> Iterator[Sequence[Cell]]:
    judged = JudgedUnits(qrels)
    runs = [leaderboard.enter(run.name, run.ranking, judged, protocol.task, "score") for run in entered]
    scoring = Scoring(runs, measures.MEASURES, average, level)
    for team in reusability.leave_out_each(scoring, judged, brought, of_pool):
        taus = {row.measure: row.tau for row in team.leaderboards}
        for change in team.changes:
            yield team.team, team.lines, team.relevant, *change, taus[change.measure]
