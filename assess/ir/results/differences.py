"""Differences between two sets of qrels."""

from collections.abc import Iterable
from typing import NamedTuple

from assess.ir.common.rows import Qrel


class Difference(NamedTuple):
    """A unit whose grade differs between the sets; None if a set lacks it."""

    topic_id: str
    unit_id: str
    before: int | None
    after: int | None


def differences(first: Iterable[Qrel], second: Iterable[Qrel]) -> list[Difference]:
    """In the order of topic and unit."""
    before, after = ({(line.topic_id, line.unit_id): line.grade for line in lines} for lines in (first, second))
    units = sorted(before.keys() | after.keys())
    return [
        Difference(*unit, before.get(unit), after.get(unit)) for unit in units if before.get(unit) != after.get(unit)
    ]
