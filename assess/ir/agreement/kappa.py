"""Coefficients of agreement: Cohen's kappa (J. Cohen 1960, weighted 1968) of many pairs of raters at once, from their
confusion matrices, and Krippendorff's alpha of any number of raters, of whom each may have rated only some items."""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from assess.ir.common.rows import LABS, JudgmentRow, Scale, grouped

Weights = Literal["none", "linear", "quadratic"]
WEIGHTS: tuple[Weights, ...] = get_args(Weights)
WEIGHTED: tuple[Weights, ...] = WEIGHTS[1:]
Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
NORMAL_95 = 1.959964
TINY = 1e-12
NO_ITEMS, BOTH_CONSTANT = "no common items", "both raters constant"
BOTH_DIFFERENT, ONE_CONSTANT = "both raters constant, with different labels", "one rater constant"
NO_COMPARISON, ALL_EQUAL = "no item with two grades", "all grades equal"
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


class ManyRaters(NamedTuple):
    """Krippendorff's ordinal alpha over the ``items`` with two or more grades; ``most`` is the largest number of
    grades of an item. ``_hm``: the same for relevant or not."""

    items: int
    most: int
    alpha: Kappa
    alpha_hm: Kappa


def many_raters(judgments: Iterable[JudgmentRow], scale: Scale = LABS) -> ManyRaters:
    """Alpha of all judgments together; outcomes are left out."""
    grades = sorted(scale.values)
    counts, place = count_ratings(judgments, grades), grades.index(scale.level)
    binary = np.stack([counts[:, :place].sum(axis=1), counts[:, place:].sum(axis=1)], axis=1)
    most = int(counts.sum(axis=1).max(initial=0))
    return ManyRaters(len(counts), most, alpha(counts), alpha(binary))


def count_ratings(judgments: Iterable[JudgmentRow], grades: Sequence[int]) -> Counts:
    """How often each item got each grade, shape (items, grades); only items with two or more."""
    graded = (row for row in judgments if row.grade is not None)
    items = grouped(((row.round, row.topic_id, row.doc_id), row.grade) for row in graded)
    rows = [[ratings.count(grade) for grade in grades] for ratings in items.values() if len(ratings) > 1]
    return np.array(rows, dtype=np.int64).reshape(-1, len(grades))


def alpha(counts: Counts) -> Kappa:
    """Krippendorff's alpha with the ordinal difference (K. Krippendorff 2011, Computing Krippendorff's Alpha-
    Reliability); ``counts`` as made by `count_ratings`. Undefined without items, and if all grades are equal."""
    if not len(counts):
        return Kappa(None, NO_COMPARISON)
    if counts.any(axis=0).sum() == 1:
        return Kappa(None, ALL_EQUAL)
    ratings = counts.sum(axis=1)
    coincidences = np.einsum("uc,uk,u->ck", counts, counts, 1 / (ratings - 1))
    coincidences -= np.diag((counts / (ratings - 1)[:, None]).sum(axis=0))
    totals = coincidences.sum(axis=1)
    reached = np.cumsum(totals) - totals / 2
    differences = (reached[:, None] - reached) ** 2  # by the ratings between two labels, half of their own included
    expected = totals @ differences @ totals / (totals.sum() - 1)
    return Kappa(float(1 - (coincidences * differences).sum() / expected))
