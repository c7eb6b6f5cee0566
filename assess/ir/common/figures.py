"""Figures on screen: percentages, all rounded alike, and the places of runs in a leaderboard."""

from collections.abc import Mapping

EQUAL = 1e-9
"""Means that differ by less share their place."""


def percent(part: int, whole: int, digits: int = 1) -> float:
    """``part`` of ``whole`` in percent, rounded half up, but 100 only if they are equal; 0 if ``whole`` is 0."""
    if not whole:
        return 0.0
    unit: int = 10**digits
    rounded = (200 * unit * part + whole) // (2 * whole)
    return (rounded if part == whole else min(rounded, 100 * unit - 1)) / unit


def places(means: Mapping[str, float]) -> dict[str, int]:
    """The place of each run: 1 and the number of runs that are ahead. Runs with equal means share theirs."""
    return {run: 1 + sum(other > mean + EQUAL for other in means.values()) for run, mean in means.items()}
