"""Differences between two sets of qrels, and what they do to runs."""

from collections.abc import Iterable
from typing import Literal, NamedTuple, get_args

from assess.ir.common.figures import places
from assess.ir.common.rows import MeanScore, Qrel

Kind = Literal["changed", "added", "removed"]


class ChangedLine(NamedTuple):
    """A unit of a file whose grade differs between the sets; None if a set lacks it."""

    file: str
    topic_id: str
    unit_id: str
    before: int | None
    after: int | None

    @property
    def kind(self) -> Kind:
        if self.before is None:
            return "added"
        return "removed" if self.after is None else "changed"


def changed_lines(first: Iterable[Qrel], second: Iterable[Qrel], file: str = "") -> list[ChangedLine]:
    """In the order of topic and unit."""
    before, after = ({(line.topic_id, line.unit_id): line.grade for line in lines} for lines in (first, second))
    lines = (
        ChangedLine(file, *unit, before.get(unit), after.get(unit)) for unit in sorted(before.keys() | after.keys())
    )
    return [line for line in lines if line.before != line.after]


def count_changes(changed: Iterable[ChangedLine]) -> dict[Kind, int]:
    kinds = [line.kind for line in changed]
    return {kind: kinds.count(kind) for kind in get_args(Kind)}


class Move(NamedTuple):
    """A run's mean of a measure and its place by it, with two sets of qrels. None if the run was not scored with a set;
    then it has no place."""

    run: str
    measure: str
    before: float | None
    after: float | None
    place_before: int | None
    place_after: int | None

    @property
    def change(self) -> float | None:
        return None if self.before is None or self.after is None else self.after - self.before

    @property
    def climb(self) -> int | None:
        """How many places the run gains; negative if it loses some."""
        return None if self.place_before is None or self.place_after is None else self.place_before - self.place_after


def moves(first: Iterable[MeanScore], second: Iterable[MeanScore]) -> list[Move]:
    """For each measure, in order of appearance, the runs by their new place, then by name."""
    before, after = means_by_measure(first), means_by_measure(second)
    rows: list[Move] = []
    for measure in dict.fromkeys((*before, *after)):
        old, new = before.get(measure, {}), after.get(measure, {})
        both = old.keys() & new.keys()
        old_places, new_places = (places({run: values[run] for run in both}) for values in (old, new))
        of_measure = (
            Move(run, measure, old.get(run), new.get(run), old_places.get(run), new_places.get(run))
            for run in old.keys() | new.keys()
        )
        rows += sorted(of_measure, key=lambda move: (move.place_after or len(new) + 1, move.run))
    return rows


def means_by_measure(means: Iterable[MeanScore]) -> dict[str, dict[str, float]]:
    values: dict[str, dict[str, float]] = {}
    for mean in means:
        values.setdefault(mean.measure, {})[mean.run] = mean.value
    return values
