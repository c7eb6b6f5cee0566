"""How two releases differ in judgments, and in each run's score and place."""

from typing import Any

from django.db.models import Exists, OuterRef

from assess.ir.common.rows import MeanScore, Qrel
from assess.ir.releases.differences import ChangedLine, Move, changed_lines, moves
from assess.models import Evaluation, Qrels


def line_changes(first: Qrels, second: Qrels, unit: str) -> list[ChangedLine]:
    """The lines of one file that differ. The database leaves out equal ones, which are most."""
    names, differing = Qrel._fields, []
    for release, other in ((first, second), (second, first)):
        same = other.lines.filter(unit=unit, **{name: OuterRef(name) for name in names})
        rows = release.lines.filter(~Exists(same), unit=unit).values_list(*names)
        differing.append([Qrel(*row) for row in rows])
    return changed_lines(differing[0], differing[1], unit)


def run_changes(first: Qrels, second: Qrels) -> list[Move]:
    """The moves of the runs between the latest evaluations of two releases with the same options; none without such."""
    before, after = (latest_by_options(release) for release in (first, second))
    common = next((options for options in after if options in before), None)
    return moves(means_of_runs(before[common]), means_of_runs(after[common])) if common else []


def latest_by_options(release: Qrels) -> dict[tuple[Any, ...], Evaluation]:
    """By the mean and what else was chosen. The lowest relevant grade is the release's."""
    latest: dict[tuple[Any, ...], Evaluation] = {}
    for evaluation in release.evaluations.filter(level=release.protocol["level"]):
        options = tuple(value for name, value in evaluation.options.items() if name != "level")
        latest.setdefault(options, evaluation)
    return latest


def means_of_runs(evaluation: Evaluation) -> list[MeanScore]:
    """Under the present names of the runs."""
    names = dict(evaluation.campaign.entered_runs().values_list("pk", "name"))
    rows = [row for row in evaluation.means if row["run_id"] in names]
    return [MeanScore(names[row["run_id"]], row["measure"], row["value"], row["topics"]) for row in rows]
