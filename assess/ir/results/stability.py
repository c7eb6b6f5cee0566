"""How stable the ranking of runs is over topics: would other topics have ranked them alike?

Voorhees and Buckley (2002, The effect of topic set size on retrieval experiment error): two sets of topics without a
common one are drawn, and the runs compared on both. A pair of runs in the opposite order is a swap; the error rate of a
difference is the share of swaps among the pairs with a difference of that size on the first set. Sets can't be larger
than half of the topics, so a whole collection errs less often than its half.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assess.ir.results.leaderboard import DECIMALS
from assess.ir.results.places import EQUAL

Floats = npt.NDArray[np.float64]
TRIALS = 100
SIZES = 8
"""The most sizes of topic sets for which the ranking is compared."""
SMALLEST = 5
WIDTH, LAST = 0.01, 0.2
"""Differences in steps of one hundredth, as in the paper; those of a fifth and more are counted together."""
ERROR = 0.05
"""The error rate that a difference should stay below."""


class AtSize(NamedTuple):
    """Two sets of so many ``topics``: mean, 5th and 95th percentile of Kendall's tau-b between the rankings of the two
    sets over all trials, and the share of swapped pairs. None if tau was undefined in every trial."""

    topics: int
    tau: float | None
    low: float | None
    high: float | None
    swapped: float


class SwapStep(NamedTuple):
    """Pairs of runs whose difference on the first set is at least ``least`` and below ``below`` (None: any), and how
    many of them are swapped on the second."""

    least: float
    below: float | None
    pairs: int
    swaps: int

    @property
    def rate(self) -> float | None:
        return self.swaps / self.pairs if self.pairs else None


class Stability(NamedTuple):
    """``sizes``: from few topics up to half of them; ``steps``: by size of the difference, at half of the topics;
    ``safe``: the least difference from which on no step errs more often than ``ERROR``, None if the largest does;
    ``reason``: why stability is undefined."""

    topics: int
    trials: int
    sizes: list[AtSize]
    steps: list[SwapStep]
    safe: float | None
    reason: str


def stability(values: Mapping[str, Mapping[str, float]], seed: int, trials: int = TRIALS) -> Stability:
    """``values``: of one measure by run and topic. A run counts only on the topics that it has. The same seed draws the
    same sets, whatever the order of runs and topics."""
    table = as_table(values)
    runs, topics = table.shape
    if runs < 2 or topics < 2:
        reason = "fewer than two runs" if runs < 2 else "fewer than two topics"
        return Stability(topics, trials, [], [], None, reason)
    random = np.random.default_rng(seed)
    sizes, means = [], np.empty((0, 2, runs))
    for size in sizes_of(topics):
        means = np.array([halves(table, size, random) for _ in range(trials)])
        sizes.append(at_size(size, means))
    steps = list(steps_of(means))
    return Stability(topics, trials, sizes, steps, safe_difference(steps), "")


def as_table(values: Mapping[str, Mapping[str, float]]) -> Floats:
    """Runs (rows) by topics (columns), not a number where a run lacks a topic."""
    runs = sorted(run for run in values if values[run])
    topics = sorted({topic for run in runs for topic in values[run]})
    rows = [[values[run].get(topic, np.nan) for topic in topics] for run in runs]
    return np.array(rows, dtype=np.float64).reshape(len(runs), len(topics))


def sizes_of(topics: int) -> list[int]:
    """Up to half of the topics, evenly spaced; from fewer than ``SMALLEST`` on if a quarter of that is fewer."""
    half = topics // 2
    first = min(SMALLEST, max(1, half // 4))
    return sorted({int(size) for size in np.linspace(first, half, SIZES)})


def halves(table: Floats, size: int, random: np.random.Generator) -> Floats:
    """The means of all runs over two sets of topics without a common one; shape (2, runs)."""
    drawn = random.permutation(table.shape[1])
    return np.array([mean_of(table[:, drawn[:size]]), mean_of(table[:, drawn[size : 2 * size]])])


def mean_of(values: Floats) -> Floats:
    """The mean of each row over what it has; not a number if it has nothing."""
    counts = (~np.isnan(values)).sum(axis=1)
    sums = np.nansum(values, axis=1)
    return np.asarray(np.divide(sums, counts, out=np.full(len(values), np.nan), where=counts > 0))


def at_size(size: int, means: Floats) -> AtSize:
    """``means``: shape (trials, 2, runs)."""
    taus = [tau for first, second in means for tau in tau_of(first, second)]
    first, second = differences(means)
    pairs = int((~np.isnan(first) & ~np.isnan(second)).sum())
    swapped = float(is_swap(first, second).sum() / max(1, pairs))
    if not taus:
        return AtSize(size, None, None, None, swapped)
    low, high = np.percentile(taus, [5, 95])
    return AtSize(size, float(np.mean(taus)), float(low), float(high), swapped)


def tau_of(first: Floats, second: Floats) -> Iterator[float]:
    """Kendall's tau-b over the runs with a mean on both sets; nothing if it is undefined."""
    from scipy.stats import kendalltau

    is_known = ~np.isnan(first) & ~np.isnan(second)
    columns = [np.round(means[is_known], DECIMALS) for means in (first, second)]
    if is_known.sum() > 1 and all(np.ptp(column) > 0 for column in columns):
        yield float(kendalltau(*columns).statistic)


def differences(means: Floats) -> tuple[Floats, Floats]:
    """Of each pair of runs on both sets, over all trials."""
    first, second = np.triu_indices(means.shape[2], 1)
    apart = means[:, :, first] - means[:, :, second]
    return apart[:, 0].ravel(), apart[:, 1].ravel()


def is_swap(first: Floats, second: Floats) -> npt.NDArray[np.bool_]:
    """Whether the order is the opposite. Ties are no order; comparing with a missing mean is no swap."""
    is_clear = np.minimum(np.abs(first), np.abs(second)) > EQUAL
    return np.asarray(is_clear & (np.sign(first) != np.sign(second)))


def steps_of(means: Floats) -> Iterator[SwapStep]:
    first, second = differences(means)
    is_known = ~np.isnan(first) & ~np.isnan(second)
    first, second = first[is_known], second[is_known]
    last = round(LAST / WIDTH)
    # A difference of 0.03 belongs to the step from 0.03 on, though it is stored as a little less.
    steps = np.minimum((np.abs(first) / WIDTH + EQUAL).astype(np.int64), last)
    swaps = np.bincount(steps[is_swap(first, second)], minlength=last + 1)
    for number, pairs in enumerate(np.bincount(steps, minlength=last + 1)):
        below = None if number == last else (number + 1) / 100
        yield SwapStep(number / 100, below, int(pairs), int(swaps[number]))


def safe_difference(steps: list[SwapStep]) -> float | None:
    """The least difference from which on all steps with pairs stay at the error rate or below."""
    safe = None
    for step in reversed([step for step in steps if step.pairs]):
        if step.swaps > ERROR * step.pairs:
            break
        safe = step.least
    return safe
