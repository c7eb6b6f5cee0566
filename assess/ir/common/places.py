"""The places of runs in a leaderboard."""

from collections.abc import Mapping

EQUAL = 1e-9
"""Means that differ by less share their place."""


def places(means: Mapping[str, float]) -> dict[str, int]:
    """The place of each run: 1 and the number of runs that are ahead. Runs with equal means share theirs."""
    return {run: 1 + sum(other > mean + EQUAL for other in means.values()) for run, mean in means.items()}
