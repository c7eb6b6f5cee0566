"""Agreement of any number of raters at once, of whom each may have rated only some of the items."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from assess.ir.agreement.kappa import Counts, Kappa
from assess.ir.common.rows import LABS, JudgmentRow, Scale

NO_ITEMS, ALL_EQUAL = "no item with two grades", "all grades equal"


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
    items: defaultdict[tuple[str, str, str], Counter[int]] = defaultdict(Counter)
    for row in judgments:
        if row.grade is not None:
            items[row.round, row.topic_id, row.doc_id][row.grade] += 1
    rows = [[ratings[grade] for grade in grades] for ratings in items.values() if ratings.total() > 1]
    return np.array(rows, dtype=np.int64).reshape(-1, len(grades))


def alpha(counts: Counts) -> Kappa:
    """Krippendorff's alpha with the ordinal difference (K. Krippendorff 2011, Computing Krippendorff's Alpha-
    Reliability); ``counts`` as made by `count_ratings`. Undefined without items, and if all grades are equal."""
    if not len(counts):
        return Kappa(None, NO_ITEMS)
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
