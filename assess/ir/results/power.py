"""How many topics a difference between two runs needs to be significant.

By the paired t-test, two-sided, as it is used for runs: the least number of topics for which the test would find the
observed standardized difference (Cohen's d of the differences: their mean over their standard deviation) with the
given power, from the noncentral t distribution (Cohen 1988; Sakai 2016, Topic set size design). The power that a test
had with the topics at hand says nothing that its p-value does not say (Hoenig and Heisey 2001), and is not computed.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import sqrt
from statistics import fmean, median, stdev
from typing import NamedTuple

from assess.ir.results.significance import t_test

ALPHA, POWER = 0.05, 0.8
MOST = 100_000
"""A difference that needs more topics than these is none."""
FEWEST = 2
TOO_FEW = "fewer than two topics in common"
NO_DIFFERENCE = "no difference on any topic"
EQUAL_MEANS = "the means are equal"
NO_SPREAD = "the same difference on every topic"
TOO_SMALL = f"more than {MOST:,} topics"
TINY = 1e-12
"""A deviation below this is rounding."""

Values = Mapping[str, Mapping[str, float]]
"""The values of one measure, by run and topic."""


class Needed(NamedTuple):
    """Two runs over the ``topics`` that both have: the mean ``difference`` and the standard ``deviation`` of the
    differences (n - 1), the p-value of the paired t-test, and the number of topics ``needed``. What is undefined is
    None, with the reason."""

    first: str
    second: str
    topics: int
    difference: float | None
    deviation: float | None
    p: float | None
    needed: int | None
    reason: str


def neighbours(values: Values) -> list[Needed]:
    """Each run with the next one in the ranking."""
    return [needed(values, first, second) for first, second in pairwise(ranked(values))]


def against_best(values: Values) -> list[Needed]:
    """The best run with each of the others."""
    best, *others = ranked(values) or [""]
    return [needed(values, best, other) for other in others]


def ranked(values: Values) -> list[str]:
    """The runs by the means of their topics, the best first."""
    return sorted((run for run in values if values[run]), key=lambda run: (-fmean(values[run].values()), run))


def needed(values: Values, first: str, second: str) -> Needed:
    differences = list(differences_of(values, first, second))
    row = Needed(first, second, len(differences), None, None, None, None, TOO_FEW)
    if differences:
        row = row._replace(difference=fmean(differences))
    if len(differences) < FEWEST:
        return row
    mean, deviation = fmean(differences), stdev(differences)
    if deviation < TINY:
        return row._replace(deviation=0.0, reason=NO_DIFFERENCE if abs(mean) < TINY else NO_SPREAD)
    row = row._replace(deviation=deviation, p=t_test(differences, [0.0] * len(differences)).p)
    if abs(mean) < TINY:
        return row._replace(reason=EQUAL_MEANS)
    topics = topics_needed(mean / deviation)
    return row._replace(needed=topics, reason="" if topics else TOO_SMALL)


def differences_of(values: Values, first: str, second: str) -> Iterator[float]:
    """On the topics of both, sorted."""
    for topic in sorted(values[first].keys() & values[second].keys()):
        yield values[first][topic] - values[second][topic]


def power_of(effect: float, topics: int, alpha: float = ALPHA) -> float:
    """The chance that the test finds a standardized difference of this size."""
    from scipy.stats import nct, t

    degrees, shift = topics - 1, abs(effect) * sqrt(topics)
    limit = t.isf(alpha / 2, degrees)
    # The other tail by symmetry: SciPy's distribution function is not a number far out on the left.
    return float(nct.sf(limit, degrees, shift) + nct.sf(limit, degrees, -shift))


def topics_needed(effect: float, alpha: float = ALPHA, power: float = POWER) -> int | None:
    """The least number of topics for this power; None if it is more than ``MOST``."""
    high = FEWEST
    while power_of(effect, high, alpha) < power:
        if high == MOST:
            return None
        high = min(2 * high, MOST)
    low = max(FEWEST - 1, high // 2)
    while high - low > 1:  # too few at low, enough at high
        middle = (low + high) // 2
        low, high = (low, middle) if power_of(effect, middle, alpha) >= power else (middle, high)
    return high


def detectable(topics: int) -> float | None:
    """The least standardized difference that so many topics find with a power of ``POWER``; None for fewer than two."""
    from scipy.optimize import brentq

    if topics < FEWEST:
        return None
    high = 1.0
    while power_of(high, topics, ALPHA) < POWER:
        high *= 2
    return float(brentq(lambda effect: power_of(effect, topics, ALPHA) - POWER, 0.0, high))


def smallest_difference(rows: Sequence[Needed]) -> float | None:
    """The least difference of means that the topics find, at the median deviation and number of topics of these
    pairs; None if no pair has a deviation."""
    defined = [row for row in rows if row.deviation]
    effect = detectable(int(median(row.topics for row in defined))) if defined else None
    return None if effect is None else effect * median(row.deviation or 0 for row in defined)
