"""What the commands that pool runs share: ``pool`` and ``reusability``."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.core.management.base import CommandParser

from assess.ir.campaign.presets import PRESETS
from assess.ir.campaign.protocol import DEPTHS, Protocol
from assess.ir.common.problems import Problems, refuse
from assess.ir.common.rows import PoolRole
from assess.ir.formats.roles import read_roles
from assess.ir.pool.pooling import PooledRun
from assess.ir.runs import ranking
from assess.management.files import Formula, NamedRun, indexed, read_file, retrieved
from assess.management.options import add_options
from assess.management.output import TableCommand


class PoolingCommand(TableCommand):
    """Reads runs and their roles, to be pooled by the rules of a preset."""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_options(parser, "run", "roles", "preset", "primary-depth", "alternate-depth", "formula-index", "format")

    def protocol(self, options: Mapping[str, Any]) -> Protocol:
        """The preset, with the depths of the command line if given."""
        depths = {name: options[name] for name in DEPTHS if options[name] is not None}
        protocol = replace(PRESETS[options["preset"]], **depths)
        if options["formula_index"] and not protocol.kind.has_formulas:
            raise refuse("--formula-index", f"{protocol.preset} pools no formulas: leave it out")
        return protocol

    def entered_runs(self, options: dict[str, Any], runs: Sequence[NamedRun], protocol: Protocol) -> list[PooledRun]:
        """The runs with their roles and the units of their documents. Raises ``BadInput`` for a run without a role, a
        role without a run, and a run of another task than the preset's."""
        roles = roles_of(runs, options["roles"])
        refuse_other_tasks(runs, protocol)
        units = None
        if options["formula_index"]:
            index = self.index(options, runs).items()
            units = {key: formula.visual_id if protocol.unit == "visual" else key for key, formula in index}
        rankings = (ranking.resolve(run.file.ranking("score", run.path), units) for run in runs)
        return [
            PooledRun(run.name, roles[run.name], rows, run.file.format == "task3")
            for run, rows in zip(runs, rankings, strict=True)
        ]

    def index(self, options: dict[str, Any], runs: Sequence[NamedRun]) -> dict[str, Formula]:
        """The formulas that can be pooled."""
        return indexed(options["formula_index"], retrieved(runs), comments=False)


def roles_of(runs: Sequence[NamedRun], path: str) -> dict[str, PoolRole]:
    roles = read_file(path, read_roles)
    problems = missing_runs(runs, roles, "role", path)
    names = {run.name for run in runs}
    for name in roles:
        if name not in names:
            problems.add(0, f"no run file for {name}; the runs are {', '.join(sorted(names))}")
    problems.check()
    return roles


def missing_runs(runs: Sequence[NamedRun], known: Mapping[str, str], what: str, path: str) -> Problems:
    """The problems of runs that a file does not name."""
    problems = Problems(path)
    for run in runs:
        if run.name not in known:
            problems.add(0, f"no {what} for {run.name} ({run.path})")
    return problems


def refuse_other_tasks(runs: Sequence[NamedRun], protocol: Protocol) -> None:
    allowed = {"trec"} | protocol.run_formats | ({"task1"} if "trec" in protocol.run_formats else set())
    for run in runs:
        if run.file.format not in allowed:
            reason = f"found the columns of {run.file.format}, but {protocol.preset} pools {protocol.task}"
            raise refuse(run.path, reason)
