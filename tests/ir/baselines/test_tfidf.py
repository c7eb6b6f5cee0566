import pytest

from assess.ir.baselines.search import rank_by_tfidf, spoken, terms
from assess.ir.collection.html import canonical, quick
from assess.ir.formats.posts import iter_posts
from tests.cast import math
from tests.real import data_file

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
