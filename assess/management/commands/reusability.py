"""``manage.py reusability``: leave one team out of the pool, without a database."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.core.management.base import CommandParser

from assess.ir.formats.roles import read_teams
from assess.ir.pool.pooling import prefixes
from assess.ir.runs.judged import JudgedUnits
from assess.ir.scores import leaderboard, measures, reusability
from assess.ir.scores.leaderboard import Scoring
from assess.management.files import NamedRun, read_file
from assess.management.options import add_options
from assess.management.output import Cell
from assess.management.pooling import PoolingCommand, missing_runs

HEADERS = {
    "left-out": ("team", "lines", "relevant", "run", "measure", "before", "after", "place", "place_after", "tau"),
    "runs": ("run", "team", *reusability.COUNTS, "unjudged_at_10", "topics"),
    "teams": ("team", *reusability.COUNTS),
}


class Command(PoolingCommand):
    help = "Leave one team out of the pool: its runs' scores and places without the units that only they brought in."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_options(parser, "qrels", "average", "level")
        teams = "lines with a run and its team (default: every run is a team of its own)"
        parser.add_argument("--teams", metavar="FILE", help=teams)
        parser.add_argument("--table", choices=HEADERS, default="left-out", help="what to print (default: %(default)s)")

    def rows(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        self.header = HEADERS[options["table"]]
        protocol, runs, level = self.protocol(options), self.read_runs(options), options["level"]
        entered = self.entered_runs(options, runs, protocol)
        teams = teams_of(runs, options["teams"])
        judged = JudgedUnits(self.read_qrels(options["qrels"], runs[0].file.format))
        pooled = [run for run in entered if run.role not in protocol.left_out and not run.written]
        parts = prefixes(pooled, protocol)
        brought = reusability.as_brought({run.name: part for run, part in zip(pooled, parts, strict=True)})
        of_pool = {run.name: teams[run.name] for run in pooled}
        if options["table"] == "teams":
            yield from reusability.contributions(brought, of_pool, judged, level)
        elif options["table"] == "runs":
            rows = reusability.contributions(brought, {name: name for name in of_pool}, judged, level)
            counts = {row.name: row[1:] for row in rows}
            for run in entered:
                of_run = counts.get(run.name, (None,) * len(reusability.COUNTS))  # empty if it is not pooled
                yield run.name, teams[run.name], *of_run, *reusability.unjudged(run.ranking, judged)
        else:
            of_runs = [leaderboard.enter(run.name, run.ranking, judged, protocol.task, "score") for run in entered]
            average = options["average"] or measures.default_average(protocol.task)
            scoring = Scoring(of_runs, measures.MEASURES, average, level)
            for team in reusability.leave_out_each(scoring, judged, brought, of_pool):
                for change in team.changes:
                    yield team.team, team.lines, team.relevant, *change, team.leaderboards[change.measure].value


def teams_of(runs: Sequence[NamedRun], path: str | None) -> dict[str, str]:
    """The team of each run. Raises ``BadInput`` for a run without one."""
    if path is None:
        return {run.name: run.name for run in runs}
    teams = read_file(path, read_teams)
    missing_runs(runs, teams, "team", path).check()
    return teams
