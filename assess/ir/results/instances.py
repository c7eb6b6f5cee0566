"""Whether qrels by formula instance and by visual id agree: the grade of a visually distinct formula is the highest of
its judged instances (ARQMath-2)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from assess.ir.common.rows import Qrel


class JudgedFormula(NamedTuple):
    """The judged instances of a formula in a topic whose visual id is known, the highest grade among them, and the
    formula's grade."""

    topic_id: str
    visual_id: str
    instances: int
    highest: int
    grade: int

    @property
    def is_equal(self) -> bool:
        return self.highest == self.grade

    @property
    def is_above(self) -> bool:
        """An error: there is an instance with a higher grade. A lower one is none where the index is an excerpt:
        another instance, whose visual id is not known, may have the formula's grade."""
        return self.highest > self.grade

    @property
    def result(self) -> str:
        return "equal" if self.is_equal else "above" if self.is_above else "below"


def check_instances(
    by_instance: Iterable[Qrel], by_visual: Iterable[Qrel], units: Mapping[str, str]
) -> list[JudgedFormula]:
    """The groups of instances that have a visual id in ``units`` with a grade in the topic, sorted."""
    grades = {(line.topic_id, line.unit_id): line.grade for line in by_visual}
    judged: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for line in by_instance:
        group = line.topic_id, units.get(line.unit_id, "")
        if group in grades:
            judged[group].append(line.grade)
    return [JudgedFormula(*unit, len(own), max(own), grades[unit]) for unit, own in sorted(judged.items())]
