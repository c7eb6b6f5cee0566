"""Kappa from two lists of labels, as textbooks and scikit-learn take it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from assess.ir.agreement.kappa import Kappa, Weights, kappas


def cohen_kappa(first: Sequence[int], second: Sequence[int], weights: Weights = "none") -> Kappa:
    """Labels 0, 1, 2… for the same items."""
    labels = max((*first, *second), default=0) + 1
    counts = np.zeros((1, labels, labels), dtype=np.int64)
    np.add.at(counts[0], (list(first), list(second)), 1)
    return kappas(counts, weights)[0]


def kappa_of_scikit_learn(first: Sequence[int], second: Sequence[int], **options: Any) -> float:
    """It is loaded where it is needed: that takes longer than all other imports together."""
    from sklearn.metrics import cohen_kappa_score

    return cohen_kappa_score(first, second, **options)
