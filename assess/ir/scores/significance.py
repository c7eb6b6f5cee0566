"""Whether runs differ: tests of the paired values of topics, corrections for many comparisons, intervals of a mean. A
value is None, with the reason, without enough topics or if all values are equal."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

CONFIDENCE = 0.95
SMALLEST = 1e-12
"""Differences below it are rounding."""
RESAMPLES = 10_000
"""Assignments of signs drawn at random; up to 13 topics have fewer, and then all are tried."""
FEW, EQUAL = "fewer than two topics", "all differences are equal"


class Significance(NamedTuple):
    """A test: its statistic and the two-sided probability ``p`` of one as large if the runs do not differ."""

    statistic: float | None
    p: float | None
    reason: str = ""


class Interval(NamedTuple):
    """A mean of ``n`` values with the bounds of its confidence interval."""

    n: int
    mean: float | None
    low: float | None = None
    high: float | None = None


class Comparison(NamedTuple):
    """Two runs by one measure: the mean of the differences (first minus second) with its interval, the p of both tests,
    and the p of the t-test corrected for all comparisons made."""

    first: str
    second: str
    difference: Interval
    t: Significance
    randomization: Significance
    bonferroni: float | None = None
    holm: float | None = None


def t_test(differences: Sequence[float]) -> Significance:
    """Student's paired t-test, two-tailed."""
    if len(differences) < 2:
        return Significance(None, None, FEW)
    if np.ptp(differences) < SMALLEST:
        return Significance(None, None, EQUAL)
    result = scipy.stats.ttest_1samp(differences, 0.0)
    return Significance(float(result.statistic), float(result.pvalue))


def randomization_test(differences: Sequence[float], seed: int) -> Significance:
    """Fisher's randomization test of the mean difference, two-tailed: how often random signs of the differences make a
    mean as far from 0 (Smucker, Allan and Carterette 2007). Exact if there are at most ``RESAMPLES`` assignments of
    signs; otherwise so many are drawn, and p counts the observed one as one more of them."""
    if not len(differences):
        return Significance(None, None, "no topics")
    mean = float(np.mean(differences))
    if not np.any(differences):
        return Significance(mean, 1.0)
    drawn = signs(len(differences), seed)
    means = np.abs(drawn @ differences) / len(differences)
    extreme = int((means >= abs(mean) - SMALLEST).sum())
    is_exact = 2 ** len(differences) <= RESAMPLES
    return Significance(mean, extreme / len(drawn) if is_exact else (extreme + 1) / (len(drawn) + 1))


@lru_cache(maxsize=4)
def signs(n: int, seed: int) -> npt.NDArray[np.float64]:
    """All assignments of signs to ``n`` differences, or ``RESAMPLES`` drawn ones; shape (assignments, n)."""
    if 2**n <= RESAMPLES:
        bits = np.arange(2**n)[:, None] >> np.arange(n) & 1
    else:
        bits = np.random.default_rng(seed).integers(0, 2, (RESAMPLES, n))
    return np.asarray(bits * 2.0 - 1.0)


def interval(values: Sequence[float]) -> Interval:
    """The mean with its two-sided Student-t interval; without bounds of fewer than two values."""
    n = len(values)
    if n < 2:
        return Interval(n, float(values[0]) if n else None)
    mean, error = float(np.mean(values)), float(scipy.stats.sem(values))
    margin = float(scipy.stats.t.ppf((1 + CONFIDENCE) / 2, n - 1)) * error
    return Interval(n, mean, mean - margin, mean + margin)


def bonferroni(ps: Sequence[float | None]) -> list[float | None]:
    """Each p times the number of defined ones, at most 1."""
    n = sum(p is not None for p in ps)
    return [None if p is None else min(1.0, p * n) for p in ps]


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down correction (Holm 1979): never larger than Bonferroni's, with the same guarantee."""
    order = sorted((p, place) for place, p in enumerate(ps) if p is not None)
    corrected: list[float | None] = [None] * len(ps)
    highest = 0.0
    for step, (p, place) in enumerate(order):
        highest = max(highest, min(1.0, p * (len(order) - step)))
        corrected[place] = highest
    return corrected


def compare_runs(
    values: Mapping[str, Mapping[str, float]], seed: int | None = None, against: str = ""
) -> list[Comparison]:
    """Every two runs, or each with the run ``against``. ``values``: of one measure, by run and topic; two runs are
    compared over the topics that both have; without a seed not by the randomization test."""
    names = list(values)
    pairs = [(name, against) for name in names if name != against] if against else list(combinations(names, 2))
    comparisons = [compare_pair(first, second, values, seed) for first, second in pairs]
    ps = [comparison.t.p for comparison in comparisons]
    corrected = zip(comparisons, bonferroni(ps), holm(ps), strict=True)
    return [comparison._replace(bonferroni=b, holm=h) for comparison, b, h in corrected]


def compare_pair(first: str, second: str, values: Mapping[str, Mapping[str, float]], seed: int | None) -> Comparison:
    topics = sorted(values[first].keys() & values[second].keys())
    differences = [values[first][topic] - values[second][topic] for topic in topics]
    randomized = Significance(None, None) if seed is None else randomization_test(differences, seed)
    return Comparison(first, second, interval(differences), t_test(differences), randomized)
