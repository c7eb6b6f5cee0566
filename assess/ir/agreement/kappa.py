"""Cohen's kappa (J. Cohen 1960, weighted 1968) of many pairs of raters at once, from their confusion matrices."""

from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

Weights = Literal["none", "linear", "quadratic"]
WEIGHTS: tuple[Weights, ...] = get_args(Weights)
WEIGHTED: tuple[Weights, ...] = WEIGHTS[1:]
Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
NORMAL_95 = 1.959964
TINY = 1e-12
NO_ITEMS, BOTH_CONSTANT = "no common items", "both raters constant"
BOTH_DIFFERENT, ONE_CONSTANT = "both raters constant, with different labels", "one rater constant"
REASONS = NO_ITEMS, BOTH_CONSTANT, BOTH_DIFFERENT, ONE_CONSTANT


class Kappa(NamedTuple):
    """A coefficient of agreement with its 95 % interval. If it is undefined (None) or degenerate (0 because a rater is
    constant), ``reason`` says why, and it enters no mean (ARQMath-2: kappa means nothing for an assessor who found
    nothing relevant). ``low`` and ``high`` are None without an interval."""

    value: float | None
    reason: str = ""
    low: float | None = None
    high: float | None = None

    @property
    def counted(self) -> float | None:
        """Its value, or None if it enters no mean."""
        return None if self.reason else self.value


def kappas(counts: Counts, weights: Weights = "none") -> list[Kappa]:
    """The kappa of each matrix; ``counts`` has the shape (pairs, labels, labels). Undefined without items, and if both
    raters give all items the same label (0/0); 0 if a rater is constant otherwise, whatever the other does."""
    values, errors = estimates(counts, credit(weights, counts.shape[-1]))
    lows, highs = np.maximum(values - NORMAL_95 * errors, -1), np.minimum(values + NORMAL_95 * errors, 1)
    columns = (values.tolist(), reasons_undefined(counts), lows.tolist(), highs.tolist())
    made = []
    for value, reason, low, high in zip(*columns, strict=True):
        if reason:
            made.append(Kappa(None if reason in (NO_ITEMS, BOTH_CONSTANT) else 0.0, reason))
        else:  # there is no interval if all items are equal: the standard error would be 0
            made.append(Kappa(value) if value > 1 - TINY else Kappa(value, "", low, high))
    return made


def reasons_undefined(counts: Counts) -> list[str]:
    """Why each kappa is undefined or degenerate; empty if it is neither."""
    rows, columns = counts.any(axis=2), counts.any(axis=1)
    labels = np.stack([rows.sum(axis=1), columns.sum(axis=1)])
    is_constant = labels == 1
    is_same = (rows == columns).all(axis=1)
    cases = [labels[0] == 0, is_constant.all(axis=0) & is_same, is_constant.all(axis=0), is_constant.any(axis=0)]
    return list(map(str, np.select(cases, REASONS, "")))


def credit(weights: Weights, labels: int) -> Floats:
    """The credit for each two labels: 1 for equal ones, 0 for others, or for the most distant ones with weights."""
    places = np.arange(labels, dtype=np.float64)
    distance = np.abs(places[:, None] - places)
    if weights == "none":
        return np.eye(labels)
    return np.asarray(1 - (distance / max(labels - 1, 1)) ** (1 if weights == "linear" else 2))


def estimates(counts: Counts, weights: Floats) -> tuple[Floats, Floats]:
    """Each kappa and its large-sample standard error (Fleiss, Cohen and Everitt 1969, formula 13), which does not
    assume that kappa is 0; not a number if it is undefined."""
    n = counts.sum(axis=(1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        p = counts / n[:, None, None]
        rows, columns = p.sum(axis=2), p.sum(axis=1)
        observed = (p * weights).sum(axis=(1, 2))
        expected = np.einsum("mi,ij,mj->m", rows, weights, columns)
        means = (columns @ weights.T)[:, :, None] + (rows @ weights)[:, None, :]
        chance, missed = (1 - expected)[:, None, None], (1 - observed)[:, None, None]
        spread = (p * (weights * chance - means * missed) ** 2).sum(axis=(1, 2))
        centre = (observed * expected - 2 * expected + observed) ** 2
        variance = np.clip(spread - centre, 0, None) / (n * (1 - expected) ** 4)
        return (observed - expected) / (1 - expected), np.sqrt(variance)
