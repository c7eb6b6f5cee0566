"""Threads as web pages: those of the labs, those of the site, and other pages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.ir.common.problems import BadInput
from assess.ir.common.rows import CommentRow
from assess.ir.formats.posts import LinkRow
from assess.ir.formats.thread_pages import ThreadPage, read_thread_page

LAB = """<html><head><title>How large is $n^2$?</title></head><body>
<h1 itemprop="name">How large is <span class="math-container" id="q_1">$n^2$</span>?</h1>
<div class="question" data-questionid="301" id="question">
  <div itemprop="upvoteCount" data-value="7">7</div><span class="d-none">$\\begingroup$</span>
  <div class="post-text" itemprop="text"><p>About <span class="math-container" id="q_2">$x+1$</span>; 1 < 2.</p></div>
  <span class="post-tag" rel="tag">calculus</span>
  <div class="user-action-time">asked <span title="2020-03-04">2020-03-04</span></div>
  <div class="user-details"><span>user id:42</span><span class="reputation-score">1k</span></div>
  <ul><li id="comment-5" class="comment js-comment " data-comment-id="5">
    <div class="comment-score"><span class="cool">3</span></div>
    <span class="comment-copy">Try <b>this</b></span> –
    <span class="comment-date"><span>2020-03-05</span></span></li></ul>
</div>
<div id="answers">
  <div id="answer-302" class="answer accepted-answer"data-answerid="302" itemprop="acceptedAnswer">
    <div itemprop="upvoteCount" data-value="-1">-1</div><div class="js-accepted-answer-indicator d-none"></div>
    <div class="post-text" itemprop="text"><p>No.</p></div>
    <div class="user-details"><span>user id: user</span></div>
    <ul><li class="comment"><span class="comment-copy">Why?</span></li></ul></div>
  <div id="answer-303" class="answer accepted-answer"data-answerid="303" itemprop="acceptedAnswer">
    <div itemprop="upvoteCount" data-value="4">4</div><div class="js-accepted-answer-indicator "></div>
    <div class="post-text" itemprop="text"><p>Yes.</p></div></div>
</div>
<div class="linked">
[123] A title
[124] Another one
</div></body></html>"""

SITE = """<html><body><h1 itemprop="name"><a class="question-hyperlink" href="/questions/301/x">How large?</a></h1>
<div id="question" class="question" data-questionid="301">
  <aside class="js-post-notice">This question already has answers here: <a href="/questions/99/that">That</a></aside>
  <div class="js-vote-count"> −2 </div><div class="s-prose js-post-body" itemprop="text"><p>Q</p></div>
  <div class="user-action-time">edited <span title="2021-02-02 10:00:00Z">Feb 2</span></div>
  <div class="user-details"><a href="/users/8/e">Editor</a></div>
  <div class="user-action-time">asked <span title="2021-01-01 10:00:00Z">Jan 1</span></div>
  <div class="user-details" itemprop="author"><a href="/users/7/ann">Ann</a><span itemprop="name">Ann</span></div>
</div>
<div class="answer" itemprop="suggestedAnswer" data-answerid="302">
<div class="s-prose js-post-body"><p>A</p></div></div>
<div class="answer accepted-answer" itemprop="acceptedAnswer" data-answerid="303">
<div class="s-prose"><p>B</p></div></div>
<div class="linked"><a href="/q/99">9</a> <a class="question-hyperlink" href="/questions/55/other">Other</a></div>
</body></html>"""


def read(text: str) -> ThreadPage:
    return read_thread_page(text.encode(), "A.1.html")


def test_a_page_of_the_labs_gives_question_answers_comments_and_links() -> None:
    page = read(LAB)
    question, low, high = page.posts
    assert (question.kind, question.post_id, question.score, question.created) == ("question", "301", 7, "2020-03-04")
    assert question.title == 'How large is <span class="math-container" id="q_1">$n^2$</span>?'
    assert question.body == '<p>About <span class="math-container" id="q_2">$x+1$</span>; 1 &lt; 2.</p>'
    assert (question.tags, question.owner, question.accepted_id) == (("calculus",), "42", "303")
    assert [(post.post_id, post.thread_id, post.body, post.score, post.owner) for post in (low, high)] == [
        ("302", "301", "<p>No.</p>", -1, ""),
        ("303", "301", "<p>Yes.</p>", 4, ""),
    ]
    assert page.comments == [
        CommentRow("5", "301", "Try <b>this</b>", 3, "2020-03-05"),
        CommentRow("302-c1", "302", "Why?"),
    ]
    assert page.links == [LinkRow("301", "123", "related"), LinkRow("301", "124", "related")]


def test_a_saved_page_of_the_site_gives_the_same_parts() -> None:
    page = read(SITE)
    question = page.question
    assert (question.score, question.owner, question.created) == (-2, "Ann", "2021-01-01")
    assert "How large?" in question.title
    assert (question.accepted_id, [post.body for post in page.posts]) == ("303", ["<p>Q</p>", "<p>A</p>", "<p>B</p>"])
    assert page.links == [LinkRow("301", "99", "duplicate"), LinkRow("301", "55", "related")]


def test_a_minimal_page_is_named_after_its_file() -> None:
    page = read(
        '<title>Sum - Mathematics Stack Exchange</title><div class="post-text">Q &amp; A</div>'
        '<div class="answer"><div class="post-text">yes</div></div><div class="answer"></div>'
    )
    assert [(post.post_id, post.body) for post in page.posts] == [("A.1", "Q &amp; A"), ("A.1-1", "yes"), ("A.1-2", "")]
    assert page.question.title == "Sum"
    assert (page.comments, page.links, page.question.score, page.question.accepted_id) == ([], [], None, "")


def test_the_names_of_ids_differ_and_a_placeholder_is_none() -> None:
    html = SITE.replace("data-questionid", "question_id").replace('data-answerid="302"', 'answer_id="302"')
    page = read(html.replace('data-answerid="303"', 'data-answer-id="303"'))
    assert {post.post_id: post.body for post in page.posts} == {"301": "<p>Q</p>", "302": "<p>A</p>", "303": "<p>B</p>"}
    page = read(LAB.replace('data-questionid="301"', 'data-questionid="#QID#"'))  # in all pages of 2022
    assert [post.post_id for post in page.posts] == ["A.1", "302", "303"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"<!-- -->", "empty"),
        (b"<html><body><p>Hello</p></body></html>", "no question on this page"),
        (b'<div class="answer"><div class="post-text">A</div></div>', "no question on this page"),
        ("Gödel".encode("latin-1"), "byte 2 is not UTF-8"),
        (b'<div data-questionid="%s" class="post-text">Q</div>' % (b"7" * 201), "the id 77777777777777777777… has 201"),
        (b'<p class="post-text">Q</p><p class="linked"><a href="/q/%s">x</a></p>' % (b"7" * 201), "has 201 characters"),
    ],
)
def test_a_page_that_is_not_a_thread_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(BadInput, match=f"x.html: .*({reason})"):
        read_thread_page(data, "x.html")


@given(st.integers(0, len(LAB)), st.integers(0, len(LAB)), st.binary(max_size=5))
def test_a_damaged_page_is_read_or_refused(start: int, end: int, noise: bytes) -> None:
    data = LAB.encode()
    try:
        page = read_thread_page(data[:start] + noise + data[end:], "x.html")
    except BadInput:
        return
    assert page.question.body
    assert {post.thread_id for post in page.posts} == {page.question.post_id}
    assert {comment.post_id for comment in page.comments} <= {post.post_id for post in page.posts}


@pytest.mark.parametrize("digits", [10, 5000])  # the first would not fit into a column of a database
def test_a_number_without_end_is_none(digits: int) -> None:
    page = read(LAB.replace('<span class="cool">3<', f'<span class="cool">{"3" * digits}<'))
    assert page.comments[0].score is None
