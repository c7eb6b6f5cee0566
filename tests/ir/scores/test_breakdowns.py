"""Means by category of the topics, whose weighted means are the mean of the whole; figures of the overview papers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.ir.common.rows import ScoreRow
from assess.ir.scores.breakdowns import Spread, breakdown, highest_p10, order_categories, spread_of
from assess.ir.scores.measures import means_of_topics

TOPICS = [f"A.{number}" for number in range(1, 9)]
SCORES = st.lists(
    st.builds(ScoreRow, st.sampled_from(["r", "s"]), st.sampled_from(TOPICS), st.just("MAP'"), st.floats(0, 1)),
    unique_by=lambda row: row[:2],
)
CATEGORIES = st.dictionaries(st.sampled_from(TOPICS), st.sampled_from(["", "Proof", "Concept"]))


def test_topics_without_a_category_are_a_part_of_their_own_and_the_last() -> None:
    scores = [ScoreRow("r", topic, "MAP'", value) for topic, value in zip(TOPICS, (0.5, 0.1, 0.3), strict=False)]
    means = breakdown(scores, {"A.1": "Proof", "A.3": "Proof"})
    assert list(means.items()) == [("Proof", [("r", "MAP'", 0.4, 2)]), ("", [("r", "MAP'", 0.1, 1)])]


@given(SCORES, CATEGORIES)
def test_weighted_by_topics_the_parts_make_the_whole(scores: list[ScoreRow], categories: dict[str, str]) -> None:
    parts = [part for means in breakdown(scores, categories).values() for part in means]
    for whole in means_of_topics(scores):
        of_run = [part for part in parts if part.run == whole.run]
        assert sum(part.topics for part in of_run) == whole.topics
        assert sum(part.topics * part.value for part in of_run) / whole.topics == pytest.approx(whole.value)


def test_categories_have_an_order_and_spreads_name_their_topics() -> None:
    assert order_categories({"High", "Low", "Medium", ""}) == ["Low", "Medium", "High", ""]
    assert order_categories({"Proof", "Computation", "Concept"}) == ["Computation", "Concept", "Proof"]
    assert spread_of("Judged", {"A.1": 5, "A.2": 9, "A.3": 1}) == Spread("Judged", 3, 5.0, 9, "A.2", 1, "A.3")
    assert highest_p10({"A.1": 50, "A.2": 10, "A.3": 4, "A.4": 2}) == pytest.approx((1 + 1 + 0.4 + 0.2) / 4)
