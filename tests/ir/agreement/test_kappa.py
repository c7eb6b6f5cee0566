import csv
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.ir.agreement.kappa import (
    BOTH_CONSTANT,
    BOTH_DIFFERENT,
    NO_ITEMS,
    ONE_CONSTANT,
    WEIGHTS,
    Kappa,
    Weights,
    credit,
    estimates,
    kappas,
)
from tests.ir.agreement.raters import cohen_kappa, kappa_of_scikit_learn
from tests.real import data_file

SKIN = [[10, 4, 1, 0], [5, 10, 12, 2], [2, 4, 12, 5], [0, 2, 6, 13]]
"""Two dermatologists, SAS/STAT, example "Cohen's Kappa Coefficient"."""
MOVIES = [[24, 8, 13], [8, 13, 11], [10, 9, 64]]
"""Siskel and Ebert, Agresti, Categorical Data Analysis, section 10.5."""

graded = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40)


@pytest.mark.parametrize("weights", WEIGHTS)
@given(graded)
def test_kappa_is_that_of_scikit_learn(weights: Weights, pairs: list[tuple[int, int]]) -> None:
    first, second = map(list, zip(*pairs, (3, 0), (0, 3), strict=True))  # so that all four labels have their distance
    kind = None if weights == "none" else weights
    expected = kappa_of_scikit_learn(first, second, labels=range(4), weights=kind)
    assert cohen_kappa(first, second, weights).value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("first", "second", "kappa"),
    [
        ([], [], Kappa(None, NO_ITEMS)),
        ([1, 1], [1, 1], Kappa(None, BOTH_CONSTANT)),
        ([2, 2], [3, 3], Kappa(0.0, BOTH_DIFFERENT)),
        ([2, 2], [2, 3], Kappa(0.0, ONE_CONSTANT)),
        ([2, 3], [2, 3], Kappa(1.0)),  # no interval: its standard error is 0
    ],
)
def test_special_cases(first: list[int], second: list[int], kappa: Kappa) -> None:
    assert {cohen_kappa(first, second, weights) for weights in WEIGHTS} == {kappa}


@pytest.mark.parametrize(
    ("matrix", "weights", "published"),  # kappa, its standard error, and the interval if it is printed
    [
        (SKIN, "none", (0.3449, 0.0724, 0.2030, 0.4868)),
        (SKIN, "linear", (0.5082, 0.0655, 0.3798, 0.6366)),
        (MOVIES, "none", (0.389, 0.060)),
    ],
)
def test_published_standard_errors_and_intervals(
    matrix: list[list[int]], weights: Weights, published: tuple[float, ...]
) -> None:
    counts = np.array([matrix])
    (error,) = estimates(counts, credit(weights, len(matrix)))[1]
    (kappa,) = kappas(counts, weights)
    digits = 4 if matrix is SKIN else 3
    computed = (kappa.value, float(error), kappa.low, kappa.high)[: len(published)]
    assert tuple(round(value, digits) for value in computed) == published


@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_standard_error_is_that_of_a_bootstrap(weights: Weights) -> None:
    draw, counts = np.random.default_rng(1), np.array(SKIN)
    samples = draw.multinomial(counts.sum(), counts.ravel() / counts.sum(), 4000).reshape(-1, 4, 4)
    values, _ = estimates(samples, credit(weights, 4))
    (error,) = estimates(counts[None], credit(weights, 4))[1]
    assert values.std() == pytest.approx(error, rel=0.05)


def test_an_interval_stays_within_minus_1_and_1_and_published_matrices_give_their_kappas() -> None:
    (kappa,) = kappas(np.array([[[5, 0], [1, 1]]]))
    assert (kappa.low < kappa.value < kappa.high, kappa.high) == (True, 1.0)
    with data_file("agreement/published_confusion_matrices.tsv").open() as source:
        published = list(csv.DictReader(source, delimiter="\t"))
    assert len(published) == 3
    for row in published:
        matrix = np.array(json.loads(row["matrix_rows_json"]))
        (kappa,) = kappas(matrix[None])
        equal = matrix.trace() / matrix.sum()
        assert round(kappa.value, len(row["kappa"]) - 2) == float(row["kappa"])
        assert round(equal, len(row["raw_agreement"]) - 2) == float(row["raw_agreement"])
