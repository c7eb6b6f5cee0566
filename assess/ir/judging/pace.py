"""How quickly assessors judge, compared only on the same topics: some topics take much longer than others."""

from collections import defaultdict
from collections.abc import Mapping
from statistics import median
from typing import NamedTuple

OUTLIER = 2.0
"""Twice as fast or as slow as the others."""


class RelativePace(NamedTuple):
    """``factor``: how many times as long an assessor takes as the others on the same topics; ``topics``: how many of
    theirs others have judged, too."""

    factor: float
    topics: int

    @property
    def is_outlier(self) -> bool:
        return not 1 / OUTLIER < self.factor < OUTLIER


def relative_paces(seconds: Mapping[tuple[str, str], float]) -> dict[str, RelativePace]:
    """From each assessor's seconds per judgment on each topic, by assessor and topic: the median over shared topics of
    the assessor's seconds, divided by the median of the others'. Assessors without a shared topic have none."""
    by_topic: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for (assessor, topic), value in seconds.items():
        by_topic[topic][assessor] = value
    factors: defaultdict[str, list[float]] = defaultdict(list)
    for paces in by_topic.values():
        for assessor, value in paces.items():
            if others := [pace for name, pace in paces.items() if name != assessor]:
                factors[assessor].append(value / median(others))
    return {assessor: RelativePace(median(values), len(values)) for assessor, values in factors.items()}
