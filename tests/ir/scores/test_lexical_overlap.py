"""Lexical overlap, by hand."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.ir.scores.lexical_overlap import Answer, Overlaps, f1, plain_tokens, references

BAGS = st.dictionaries(st.sampled_from("abc"), st.integers(1, 3))


def test_words_commands_numbers_and_signs_are_tokens() -> None:
    assert plain_tokens(r"By Euler, $\frac{12}{x_1}$!") == [
        *("by", "euler", ",", "$", r"\frac", "{", "12", "}", "{", "x", "_", "1", "}", "$", "!")
    ]


@given(BAGS, BAGS)
def test_f1_is_the_harmonic_mean_of_precision_and_recall(first: dict[str, int], second: dict[str, int]) -> None:
    common = (Counter(first) & Counter(second)).total()
    assert f1(first, second) == f1(second, first)
    if common:
        precision, recall = common / sum(first.values()), common / sum(second.values())
        assert f1(first, second) == pytest.approx(2 * precision * recall / (precision + recall))


def test_the_best_reference_of_the_topic_counts() -> None:
    known = [Answer("A.1", "x y"), Answer("A.1", "x y z"), Answer("A.2", "x y z w")]
    rows = Overlaps(known).score("run", [Answer("A.1", "x y z w"), Answer("A.3", "x")])
    assert [(row.topic_id, row.measure) for row in rows] == [("A.1", "LO")]
    assert rows[0].value == pytest.approx(2 * 3 / 7)


def test_references_of_other_teams_count_and_none_that_are_too_long() -> None:
    known = [
        Answer("A.1", "x y", frozenset({"Own"})),
        Answer("A.1", "x q", frozenset({"Own", "Other"})),
        Answer("A.2", "x y", frozenset({"Own"})),
    ]
    answers = [Answer("A.1", "x y"), Answer("A.2", "x y")]
    overlaps = Overlaps(known)
    assert [row.value for row in overlaps.score("run", answers, "Own")] == [0.5]  # A.2 has none left
    assert [row.value for row in overlaps.score("run", answers, "Other")] == [1.0, 1.0]
    assert [row.value for row in overlaps.score("run", answers)] == [1.0, 1.0]
    written, posts = [Answer("A.1", "w" * 1201)], [Answer("A.1", "p" * 1200), Answer("A.1", "p" * 1201)]
    assert references(written, posts) == [written[0], posts[0]]
