"""What two releases say of the runs: each run's change of score and rank."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assess.ir.common.rows import MeanScore
from assess.ir.formats.table import harmless
from assess.ir.results.differences import Difference, Move, moves
from assess.models import Evaluation, Qrels
from assess.services.results.evaluation import default_average

LINES = ("change", "topic", "unit", "before", "after")
MOVES = ("measure", "run", "rank_before", "rank_after", "before", "after", "change")


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
        return RunChanges(moves(means_of(before[common[0]]), means_of(after[common[0]])), [])
    average = next((options[0] for options in (*after, *before)), default_average(second))
    made = {release.pk: {options[0] for options in known} for release, known in ((first, before), (second, after))}
    lacking = [release for release in (first, second) if average not in made[release.pk]]
    return RunChanges([], [(release, average) for release in lacking or (first, second)])


Options = tuple[str, str, str]
"""How an evaluation was made: the average, the gain and the order. The lowest relevant grade is the release's."""


def latest_by_options(release: Qrels) -> dict[Options, Evaluation]:
    """The latest evaluation with each of the options, the latest first."""
    latest: dict[Options, Evaluation] = {}
    for evaluation in release.evaluations.filter(level=release.protocol["level"]).order_by("-pk"):
        latest.setdefault((evaluation.average, evaluation.gain, evaluation.order), evaluation)
    return latest


def means_of(evaluation: Evaluation) -> list[MeanScore]:
    return [MeanScore(mean["run"], mean["measure"], mean["value"], mean["topics"]) for mean in evaluation.means]


def lines_as_csv(changed: Iterable[Difference]) -> str:
    return as_csv(LINES, ((each.kind, *each) for each in changed))


def moves_as_csv(changed: Iterable[Move]) -> str:
    """Values have full precision."""
    rows = ((m.measure, m.run, m.rank_before, m.rank_after, m.before, m.after, m.change) for m in changed)
    return as_csv(MOVES, rows)


def as_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([harmless(cell) for cell in row] for row in rows)
    return text.getvalue()
