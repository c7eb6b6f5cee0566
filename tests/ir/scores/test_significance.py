"""Tests of the differences between runs, against SciPy's own and figures by hand."""

from math import sqrt

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from assess.ir.scores.significance import (
    Interval,
    Significance,
    bonferroni,
    compare_runs,
    holm,
    interval,
    randomization_test,
    t_test,
)

DIFFERENCES = [0.1, 0.2, 0.1, -0.2]


def test_the_t_test_by_hand_and_undefined_with_its_reason() -> None:
    deviation = sqrt((0.05**2 + 0.15**2 + 0.05**2 + 0.25**2) / 3)
    test = t_test(DIFFERENCES)
    assert test.statistic == pytest.approx(0.05 / (deviation / 2))
    assert test.p == pytest.approx(scipy.stats.ttest_rel(DIFFERENCES, [0.0] * 4).pvalue)
    assert t_test([0.5, 1.0 - 0.5]) == Significance(None, None, "all differences are equal")
    assert t_test([0.5]) == Significance(None, None, "fewer than two topics")
    made = interval([1.0, 2.0, 3.0])
    assert made[:2] == (3, 2.0)
    assert made.high == pytest.approx(2 + 4.302653 * 1 / sqrt(3))  # the table of t for 2 degrees of freedom
    assert made.low == pytest.approx(4 - (made.high or 0))
    assert interval([0.3]) == Interval(1, 0.3, None, None)
    assert interval([]).mean is None


def test_the_randomization_test_tries_all_signs_of_a_few_topics_and_samples_those_of_many() -> None:
    """Of the 16 assignments of signs to 1, 2, 1 and -2 tenths, those with a mean as far from 0 as 0.05."""
    signs = [[1 if place >> bit & 1 else -1 for bit in range(4)] for place in range(16)]
    extreme = sum(abs(a + 2 * b + c + 2 * d) >= 2 for a, b, c, d in signs)
    assert randomization_test(DIFFERENCES, seed=1).p == pytest.approx(extreme / 16)
    assert randomization_test([0.0, 0.0], seed=1) == Significance(0.0, 1.0)
    assert randomization_test([], seed=1) == Significance(None, None, "no topics")
    rng = np.random.default_rng(3)
    differences = rng.random(77) - rng.random(77)
    test = randomization_test(list(differences), seed=1)
    assert test == randomization_test(list(differences), seed=1)
    assert test.p == pytest.approx(scipy.stats.ttest_1samp(differences, 0).pvalue, abs=0.02)
    assert randomization_test(list(-differences), seed=1).p == test.p  # two-sided


@given(st.lists(st.integers(-20, 20), min_size=2, max_size=9))
def test_exact_randomization_equals_scipys(twentieths: list[int]) -> None:
    differences = np.array(twentieths) / 20
    expected = scipy.stats.permutation_test(
        (differences,), lambda x, axis: x.mean(axis=axis), permutation_type="samples", vectorized=True
    )
    assert randomization_test(list(differences), seed=1).p == pytest.approx(expected.pvalue)


def test_corrections_by_hand() -> None:
    assert bonferroni([0.01, None, 0.04, 0.5]) == [pytest.approx(0.03), None, pytest.approx(0.12), 1.0]
    assert holm([0.01, None, 0.04, 0.03]) == [pytest.approx(0.03), None, pytest.approx(0.06), pytest.approx(0.06)]


def test_runs_are_compared_over_the_topics_that_both_have() -> None:
    values = {
        "a": {"A.1": 0.5, "A.2": 0.7, "A.3": 0.1},
        "b": {"A.2": 0.6, "A.1": 0.1},
        "c": {"A.1": 0.2, "A.2": 0.0, "A.3": 0.4},
    }
    made = compare_runs(values, seed=1)
    assert [(row.first, row.second, row.difference.n) for row in made] == [("a", "b", 2), ("a", "c", 3), ("b", "c", 2)]
    assert made[0].difference.mean == pytest.approx(0.25)
    assert made[0].bonferroni == pytest.approx(min(1, 3 * (made[0].t.p or 0)))
    against = compare_runs(values, seed=1, against="b")
    assert [(row.first, row.second) for row in against] == [("a", "b"), ("c", "b")]
