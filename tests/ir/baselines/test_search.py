"""Rankings by BM25, TF-IDF and votes."""

from collections.abc import Mapping, Sequence
from math import log

import pytest

from assess.ir.baselines.search import (
    Bm25,
    VotedAnswer,
    rank_by_bm25,
    rank_by_tfidf,
    rank_by_votes,
    spoken,
    terms,
    threads_of_topics,
)
from assess.ir.collection.html import canonical, quick
from assess.ir.formats.posts import LinkRow, iter_posts
from tests.cast import math
from tests.real import data_file

DOCUMENTS = [("1", ["a", "b"]), ("2", ["a", "a", "c", "d"]), ("3", ["d", "d", "d"])]  # lengths 2, 4, 3: mean 3


def scores(
    query: Mapping[str, float], documents: Sequence[tuple[str, Sequence[str]]] = DOCUMENTS, **constants: float
) -> dict[str, float]:
    return {row.doc_id: row.score for row in rank_by_bm25({"A.1": query}, documents, Bm25(**constants))}


def test_scores_and_order_of_bm25() -> None:
    rarity = log((3 - 2 + 0.5) / (2 + 0.5) + 1)  # "a" is in two of three documents
    expected = {
        "1": rarity * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / 3)),
        "2": rarity * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 4 / 3)),
    }
    assert scores({"a": 1.0}) == pytest.approx(expected, abs=1e-6)
    a, d = scores({"a": 1.0}), scores({"d": 1.0})
    mixed = {doc: 0.3 * a.get(doc, 0) + 0.7 * d.get(doc, 0) for doc in ("1", "2", "3")}
    assert scores({"a": 0.3, "d": 0.7}) == pytest.approx(mixed, abs=2e-6)
    once = [("short", ["a"]), ("long", ["a", "x", "y", "z"]), ("other", ["b"])]
    without_b = scores({"a": 1.0}, once, b=0.0)
    assert without_b["short"] == without_b["long"] > 0
    twins = [("9", ["a"]), ("10", ["a"]), ("11", ["b"])]
    assert [row.doc_id for row in rank_by_bm25({"A.1": {"a": 1.0}}, twins)] == ["9", "10"]
    many = [(str(number), ["a"]) for number in range(20)]
    doc_ids = [row.doc_id for row in rank_by_bm25({"A.1": {"a": 1.0}}, many, limit=3)]
    assert doc_ids == ["9", "8", "7"]  # as text: 9, 8, 7 … 19, 18
    queries = {"A.1": {"a": 1.0, "d": 0.5}, "A.2": {"c": 1.0}}
    assert rank_by_bm25(queries, DOCUMENTS) == rank_by_bm25(queries, DOCUMENTS[::-1])
    assert rank_by_bm25({}, DOCUMENTS) == rank_by_bm25({"A.1": {}}, DOCUMENTS) == []
    assert rank_by_bm25({"A.1": {"a": 1.0}}, []) == rank_by_bm25({"A.1": {"a": 1.0}}, [("1", [])]) == []


ANSWERS = [
    ("11", "<p>The integral " + math("1", r"\int x dx") + " is easy.</p>"),
    ("12", "<p>Count the <em>vertices</em> of a graph.</p>"),
    ("13", "<p>The integral is hard, and this answer goes on about other things.</p>"),
]


def test_answers_are_ranked_by_similarity_and_those_that_share_no_term_are_left_out() -> None:
    rows = rank_by_tfidf({"A.1": "<p>How hard is an integral?</p>"}, ANSWERS)
    assert [row.doc_id for row in rows] == ["13", "11"]
    assert 1 > rows[0].score > rows[1].score > 0
    [itself, *_] = rank_by_tfidf({"A.1": ANSWERS[0][1]}, ANSWERS)
    assert itself.doc_id == "11"
    assert itself.score == pytest.approx(1, abs=1e-5)


def test_terms_are_words_then_symbols_which_as_words_match_those_of_the_text() -> None:
    topic = {"A.1": math("q_1", r"\int f")}
    assert [row.doc_id for row in rank_by_tfidf(topic, ANSWERS, "latex")] == ["11"]
    assert {row.doc_id for row in rank_by_tfidf(topic, ANSWERS, "words")} == {"11", "13"}
    html = f"<p>Is {math('1', 'x^2')} Even?</p>"
    assert terms(html, "words") == ["is", "even", "x", "superscript", "2"]
    assert terms(math("1", r"\frac{a_1}{\sqrt 2}\%"), "latex") == [r"\frac", "a", "_", "1", r"\sqrt", "2", r"\%"]


@pytest.mark.parametrize(
    ("latex", "english"),
    [
        (r"\frac{1}{n}", "fraction 1 n"),
        (r"\dfrac 1n", "fraction 1 n"),
        (r"\left( a \right)", "open parenthesis a close parenthesis"),
        (r"\mathbb{R} \le \alpha", "R less equal alpha"),
        (r"\Gamma \ne \gamma", "Gamma not equal gamma"),
        (r"a \, b", "a b"),
    ],
)
def test_latex_becomes_english_words(latex: str, english: str) -> None:
    assert " ".join(spoken(latex)) == english


def test_terms_are_the_same_without_sanitizing_the_html() -> None:
    with data_file("posts/Posts.xml").open("rb") as source:
        posts = [post.body for post in iter_posts(source, "Posts.xml")]
    sample = posts[::10]
    assert [terms(quick(body), "latex") for body in sample] == [terms(canonical(body), "latex") for body in sample]


LINKS = [
    LinkRow("900", "10", "duplicate"),  # the topic's question was closed for 10
    LinkRow("20", "900", "duplicate"),  # 20 was closed for the topic's question
    LinkRow("900", "30", "related"),  # not a duplicate
    LinkRow("10", "40", "duplicate"),  # a link of a link
]
VOTED = [
    VotedAnswer("11", "10", 3),
    VotedAnswer("12", "10", -1),
    VotedAnswer("13", "10", None),  # votes unknown
    VotedAnswer("21", "20", 3),
    VotedAnswer("31", "30", 9),  # only related
    VotedAnswer("41", "40", 9),  # a duplicate of a duplicate
]


def test_answers_to_duplicates_in_either_direction_are_ranked_by_votes() -> None:
    rows = rank_by_votes(threads_of_topics({"A.1": ["900"]}, LINKS), VOTED)
    assert [(row.doc_id, row.score) for row in rows] == [("21", 3), ("11", 3), ("13", 0), ("12", -1)]
    rows = rank_by_votes(threads_of_topics({"A.1": ["20"], "A.2": ["20", "30"]}, []), VOTED)
    assert [(row.topic_id, row.doc_id) for row in rows] == [("A.1", "21"), ("A.2", "31"), ("A.2", "21")]
