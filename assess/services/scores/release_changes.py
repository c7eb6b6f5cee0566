"""How two releases differ: in topics, in judgments, and in each run's score and place."""

from typing import NamedTuple

from django.db.models import Exists, OuterRef

from assess.ir.common.ids import natural
from assess.ir.common.rows import MeanScore, Qrel
from assess.ir.releases.differences import ChangedLine, Move, changed_lines, moves
from assess.models import Evaluation, Qrels


def line_changes(first: Qrels, second: Qrels, unit: str) -> list[ChangedLine]:
    """The lines of one file that differ. The database leaves out equal ones, which are most."""
    return changed_lines(unlike(first, second, unit), unlike(second, first, unit), unit)


def unlike(release: Qrels, other: Qrels, unit: str) -> list[Qrel]:
    """The lines of a file that the other release does not have, or has with another grade."""
    names = Qrel._fields
    same = other.lines.filter(unit=unit, **{name: OuterRef(name) for name in names})
    return [Qrel(*row) for row in release.lines.filter(~Exists(same), unit=unit).values_list(*names)]


def topic_changes(first: Qrels, second: Qrels, unit: str) -> tuple[list[str], list[str]]:
    """The topics that only the first and only the second release has in one file, in natural order."""
    before, after = (
        set(release.lines.filter(unit=unit).values_list("topic_id", flat=True).distinct())
        for release in (first, second)
    )
    return sorted(before - after, key=natural), sorted(after - before, key=natural)


class RunChanges(NamedTuple):
    """The moves of the runs between the latest evaluations of two releases with the same mean. ``lacking``: the
    releases that have to be evaluated first, each with the mean that is needed."""

    moves: list[Move]
    lacking: list[tuple[Qrels, str]]

    @property
    def measures(self) -> list[str]:
        return list(dict.fromkeys(move.measure for move in self.moves))

    def of(self, measure: str) -> list[Move]:
        return [move for move in self.moves if move.measure == measure]


def run_changes(first: Qrels, second: Qrels) -> RunChanges:
    """Stored evaluations are compared; none is made."""
    before, after = (latest_by_options(release) for release in (first, second))
    common = [options for options in after if options in before]
    if common:
        return RunChanges(moves(means_of_runs(before[common[0]]), means_of_runs(after[common[0]])), [])
    average = next((options[0] for options in (*after, *before)), second.pool.rules.kind.average)
    averages = {release.pk: {options[0] for options in known} for release, known in ((first, before), (second, after))}
    lacking = [release for release in (first, second) if average not in averages[release.pk]]
    return RunChanges([], [(release, average) for release in lacking or (first, second)])


Options = tuple[str, str, str]
"""How an evaluation was made: the average, the gain and the order. The lowest relevant grade is the release's."""


def latest_by_options(release: Qrels) -> dict[Options, Evaluation]:
    latest: dict[Options, Evaluation] = {}
    for evaluation in release.evaluations.filter(level=release.protocol["level"]).order_by("-pk"):
        latest.setdefault((evaluation.average, evaluation.gain, evaluation.order), evaluation)
    return latest


def means_of_runs(evaluation: Evaluation) -> list[MeanScore]:
    """Under the present names of the runs."""
    names = dict(evaluation.campaign.entered_runs().values_list("pk", "name"))
    rows = [row for row in evaluation.means if row["run_id"] in names]
    return [MeanScore(names[row["run_id"]], row["measure"], row["value"], row["topics"]) for row in rows]
