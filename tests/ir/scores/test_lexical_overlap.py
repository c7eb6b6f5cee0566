"""Lexical overlap, by hand."""

import pytest

from assess.ir.scores.lexical_overlap import Answer, Overlaps, f1, plain_tokens, references


def test_the_best_reference_of_the_topic_counts_by_f1_of_tokens() -> None:
    assert plain_tokens(r"By Euler, $\frac{12}{x_1}$!") == [
        *("by", "euler", ",", "$", r"\frac", "{", "12", "}", "{", "x", "_", "1", "}", "$", "!")
    ]
    assert f1({"a": 3, "b": 1}, {"a": 2, "c": 4}) == pytest.approx(2 / (4 / 2 + 6 / 2))  # precision 2/4, recall 2/6
    assert f1({"a": 1}, {}) == 0
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
