"""What is different between two sets of qrels."""

from collections.abc import Iterable
from typing import NamedTuple

from assess.ir.common.rows import Qrel


class Difference(NamedTuple):
    """A unit with other grades in the second set than in the first; None where a set lacks it."""

    topic_id: str
    unit_id: str
    before: int | None
    after: int | None


def differences(first: Iterable[Qrel], second: Iterable[Qrel]) -> list[Difference]:
    """In the order of topic and unit."""
    before, after = ({(line.topic_id, line.unit_id): line.grade for line in lines} for lines in (first, second))
    found = [Difference(*unit, before.get(unit), after.get(unit)) for unit in sorted(before.keys() | after.keys())]
    return [one for one in found if one.before != one.after]
