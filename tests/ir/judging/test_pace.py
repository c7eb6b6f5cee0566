"""The pace of assessors on the topics that they share."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.ir.judging.pace import RelativePace, relative_paces


def test_assessors_are_compared_on_shared_topics_only() -> None:
    seconds = {
        ("ada", "A.1"): 10.0,
        ("emmy", "A.1"): 20.0,
        ("sofia", "A.1"): 40.0,
        ("ada", "A.2"): 90.0,  # nobody else judged it
        ("kurt", "A.3"): 1.0,
    }
    assert relative_paces(seconds) == {
        "ada": RelativePace(10 / 30, 1),
        "emmy": RelativePace(20 / 25, 1),
        "sofia": RelativePace(40 / 15, 1),
    }


def test_several_topics_count_by_their_median() -> None:
    seconds = {("ada", str(topic)): factor for topic, factor in enumerate((1.0, 2.0, 9.0))}
    seconds |= {("emmy", str(topic)): 1.0 for topic in range(3)}
    assert relative_paces(seconds)["ada"] == RelativePace(2.0, 3)


@pytest.mark.parametrize(("factor", "is_outlier"), [(0.5, True), (0.51, False), (1, False), (1.99, False), (2, True)])
def test_twice_as_fast_or_slow_is_an_outlier(factor: float, is_outlier: bool) -> None:
    assert RelativePace(factor, 1).is_outlier is is_outlier


@given(st.dictionaries(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), st.floats(1, 1000)))
def test_a_slower_clock_changes_no_comparison(seconds: dict[tuple[str, str], float]) -> None:
    slower = {key: 2 * value for key, value in seconds.items()}
    assert relative_paces(slower) == relative_paces(seconds)
