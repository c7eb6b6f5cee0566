import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from assess.ir.results import power
from assess.ir.results.power import against_best, detectable, needed, neighbours, power_of, topics_needed


@pytest.mark.parametrize(("effect", "topics"), [(0.2, 199), (0.5, 34), (0.8, 15), (1.0, 10), (5.0, 3)])
def test_topics_needed_are_those_of_g_power(effect: float, topics: int) -> None:
    # G*Power 3.1, t tests, difference between two dependent means, two tails, alpha 0.05, power 0.80
    assert topics_needed(effect) == topics_needed(-effect) == topics


@given(st.floats(0.05, 3))
def test_one_topic_fewer_has_not_the_power(effect: float) -> None:
    topics = topics_needed(effect)
    assert topics is not None
    assert power_of(effect, topics) >= power.POWER
    assert topics == power.FEWEST or power_of(effect, topics - 1) < power.POWER


def test_power_is_the_share_of_significant_tests() -> None:
    draws = np.random.default_rng(5).normal(0.5, 1, (20_000, 20))
    p = ttest_rel(draws, np.zeros_like(draws), axis=1).pvalue
    assert power_of(0.5, 20) == pytest.approx((p < power.ALPHA).mean(), abs=0.01)


def test_differences_that_need_too_many_topics_or_hardly_any_are_told_apart() -> None:
    assert topics_needed(0.001) is None
    assert topics_needed(1e6) == 2


def test_what_topics_can_detect_is_what_needs_them() -> None:
    for topics in (3, 34, 77):
        effect = detectable(topics)
        assert effect is not None
        assert topics_needed(effect * 1.0001) == topics
    assert detectable(1) is None


VALUES = {
    "best": {"A.1": 0.9, "A.2": 0.7, "A.3": 0.6},
    "next": {"A.1": 0.6, "A.2": 0.6, "A.3": 0.4},
    "last": {"A.1": 0.1, "A.2": 0.1},
}


def test_differences_are_those_of_the_common_topics() -> None:
    row = needed(VALUES, "best", "next")
    assert row.topics == 3
    assert [row.difference, row.deviation] == pytest.approx([0.2, 0.1])
    assert row.p == pytest.approx(ttest_rel([0.9, 0.7, 0.6], [0.6, 0.6, 0.4]).pvalue)
    assert row.needed == topics_needed(2.0)
    assert needed(VALUES, "best", "last").topics == 2


def test_pairs_are_neighbours_in_the_ranking_or_each_run_and_the_best() -> None:
    assert [row[:2] for row in neighbours(VALUES)] == [("best", "next"), ("next", "last")]
    assert [row[:2] for row in against_best(VALUES)] == [("best", "next"), ("best", "last")]
    assert neighbours({}) == against_best({}) == []
    assert against_best({"one": {"A.1": 1.0}, "none": {}}) == []


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ([0.5, 0.2], [0.5, 0.2], power.NO_DIFFERENCE),
        ([0.5, 0.2], [0.4, 0.1], power.NO_SPREAD),
        ([0.5, 0.2], [0.2, 0.5], power.EQUAL_MEANS),
        ([0.5], [0.2], power.TOO_FEW),
        ([], [], power.TOO_FEW),
        ([0.5, 0.0001], [0.0, 0.5], power.TOO_SMALL),
    ],
)
def test_what_is_undefined_has_its_reason(first: list[float], second: list[float], reason: str) -> None:
    values = {
        name: {f"A.{number}": value for number, value in enumerate(row)}
        for name, row in (("one", first), ("other", second))
    }
    row = needed(values, "one", "other")
    assert (row.needed, row.reason) == (None, reason)


def test_the_smallest_difference_is_that_of_the_median_deviation() -> None:
    rows = against_best(VALUES)
    deviation = np.median([row.deviation for row in rows])
    effect = detectable(2)
    assert effect is not None
    assert power.smallest_difference(rows) == pytest.approx(effect * deviation)
    assert power.smallest_difference([]) is None
