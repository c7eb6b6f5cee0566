"""The XML files of a site, and what is wrong with damaged ones."""

from collections import Counter
from collections.abc import Callable, Iterable
from io import BytesIO
from typing import BinaryIO
from xml.sax.saxutils import quoteattr

import pytest

from assess.ir.common.problems import BadInput
from assess.ir.common.rows import LONGEST_ID, LONGEST_TEXT, CommentRow, PostRow
from assess.ir.formats.posts import (
    UNMARKED,
    LinkRow,
    iter_comments,
    iter_post_links,
    iter_posts,
    user_names,
    vote_scores,
)
from tests.real import data_file

SPAN = '<span class="math-container" id="1">'
QUESTION = '<row Id="5" PostTypeId="1" Title="T &amp;lt; U" Body="&lt;p&gt;q&lt;/p&gt;" Tags="&lt;a&gt;&lt;b-c&gt;"/>'
OWNER = 'OwnerDisplayName="user45" OwnerUserId="45"'
ANSWER = f'<row Id="7" PostTypeId="2" ParentId="5" Body="a" Score="-3" CreationDate="2010-07-20" {OWNER}/>'


def rows(*content: str, root: str = "posts") -> BytesIO:
    return BytesIO((f"<{root}>\n" + "\n".join(content) + f"\n</{root}>").encode())


def refused(read: Callable[[BinaryIO, str], Iterable[object]], *content: str, root: str = "posts") -> str:
    with pytest.raises(BadInput) as error:
        list(read(rows(*content, root=root), "Posts.xml"))
    return str(error.value)


def test_references_to_control_characters_are_left_out_and_counted() -> None:
    changes: Counter[str] = Counter()
    row = '<row Id="{}" PostTypeId="1" Title="t" Body="a&#x0E;b&#14;c&#xFFFE;d&#65;&#x9;&amp;#14; {}"/>'
    source = rows(
        *(row.format(number, "x" * 9_000) for number in range(40))
    )  # in blocks of the reader, some cut in two
    bodies = {post.body.split(" x")[0] for post in iter_posts(source, "Posts.xml", changes)}
    assert bodies == {"abcdA\t&#14;"}
    assert changes == {"references to control characters, which XML cannot hold, left out": 120}


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("if a<b and c>d; note that x<y is needed", "if a&lt;b and c&gt;d; note that x&lt;y is needed"),
        ("<b>bold</b> & &lt;i>", "&lt;b&gt;bold&lt;/b&gt; &amp; &lt;i&gt;"),
        (f"a<b {SPAN}x<y</span> c<d", f"a&lt;b {SPAN}x<y</span> c&lt;d"),
        (f"a {SPAN}x<y", 'a &lt;span class="math-container" id="1"&gt;x&lt;y'),
    ],
)
def test_comments_are_plain_text_but_for_marked_formulas(text: str, html: str) -> None:
    row = f'<row Id="1" PostId="7" Score="2" Text={quoteattr(text)} CreationDate="2011-01-02" UserDisplayName="Ada"/>'
    assert list(iter_comments(rows(row, root="comments"), "Comments.xml")) == [
        CommentRow("1", "7", html, 2, "2011-01-02", "Ada")
    ]
    assert "row 1: no PostId, Text" in refused(iter_comments, '<row Id="1"/>', root="comments")


def test_formulas_between_dollars_are_told() -> None:
    changes: Counter[str] = Counter()
    bodies = ["costs $5 and $6", "$5", f"{SPAN}$x$</span> $y$", "no $ \n $"]
    posts = [f'<row Id="{n}" PostTypeId="1" Title="t" Body={quoteattr(body)}/>' for n, body in enumerate(bodies)]
    assert len(list(iter_posts(rows(*posts), "Posts.xml", changes))) == 4
    assert dict(changes) == {UNMARKED: 1}


def test_questions_and_answers_name_their_thread() -> None:
    assert list(iter_posts(rows(QUESTION, ANSWER), "Posts.xml")) == [
        PostRow("5", "question", "5", "T &lt; U", "<p>q</p>", ("a", "b-c")),
        PostRow("7", "answer", "5", "", "a", (), -3, "2010-07-20", "45"),
    ]
    extra = 'AcceptedAnswerId="7" OwnerDisplayName="user12" PostTypeId'
    row = QUESTION.replace("&lt;a&gt;&lt;b-c&gt;", "|a|b-c|").replace("PostTypeId", extra)
    (post,) = iter_posts(rows(row), "Posts.xml")
    assert (post.tags, post.accepted_id, post.owner) == (("a", "b-c"), "7", "user12")


def test_all_defects_are_reported_with_line_and_id() -> None:
    assert [post.body for post in iter_posts(rows('<row Id="8" PostTypeId="2" ParentId="5" Body=""/>'), "x")] == [""]
    bad = ['<row Id="8" PostTypeId="2"/>', '<row Id="9" PostTypeId="2" ParentId="5" Body="a" Score="x"/>']
    assert refused(iter_posts, QUESTION, *bad, "<row/>").splitlines() == [
        "Posts.xml:3: row 8: no ParentId, Body; add what is missing or leave the row out",
        "Posts.xml:4: row 9: Score is 'x'; use a whole number of at most nine digits",
        "Posts.xml:5: row without Id: no PostTypeId; add what is missing or leave the row out",
    ]


@pytest.mark.parametrize(
    ("attribute", "reason"),
    [
        (f'Body="{"x" * (LONGEST_TEXT + 1)}"', f"Body has {LONGEST_TEXT + 1:,} characters, at most"),
        (f'Body="x" ParentId="{"1" * (LONGEST_ID + 1)}"', f"ParentId has {LONGEST_ID + 1} characters, at most"),
        ('Body="x" ParentId="1&#10;2"', "ParentId contains a control character"),
    ],
)
def test_texts_and_ids_have_limits(attribute: str, reason: str) -> None:
    parent = "" if "ParentId" in attribute else 'ParentId="1"'
    data = f'<posts><row Id="2" PostTypeId="2" {parent} {attribute}/></posts>'
    with pytest.raises(BadInput, match=f"row 2: {reason}"):
        list(iter_posts(BytesIO(data.encode()), "Posts.xml"))


def test_other_files_are_refused() -> None:
    crowd = " ".join(f'a{number}="1"' for number in range(50_000))
    assert "more than 100 attributes" in refused(iter_posts, f"<row {crowd}/>")
    assert "<posts> contains no <row" in refused(iter_posts)
    with pytest.raises(BadInput, match=r"Posts\.xml:1: this is not XML; choose the XML file"):
        list(iter_posts(BytesIO(b"id\tpost_id\n"), "Posts.xml"))


READERS: dict[str, Callable[[BinaryIO, str], Iterable[object]]] = {
    "posts": iter_posts,
    "comments": iter_comments,
    "postlinks": iter_post_links,
    "users": user_names,
    "votes": vote_scores,
}


@pytest.mark.parametrize("uploaded", READERS)
@pytest.mark.parametrize("expected", READERS)
def test_a_file_of_another_kind_is_one_problem_that_names_both_roots(uploaded: str, expected: str) -> None:
    content = f"<{uploaded}>\n{'<row/>' * 30}</{uploaded}>".encode()
    with pytest.raises(BadInput) as caught:
        list(READERS[expected](BytesIO(content), "x.xml"))
    if uploaded == expected:
        [problem] = caught.value.problems  # every row lacks what it needs
        assert problem.reason.endswith("(30 times)")
    else:
        assert len(caught.value.problems) == 1
        assert f"x.xml:1: starts with <{uploaded}>" in str(caught.value)
        assert f"which starts with <{expected}>" in str(caught.value)


def test_links_are_related_or_duplicate() -> None:
    links = [f'<row Id="1" PostId="{n}" RelatedPostId="9" LinkTypeId="{n}"/>' for n in (1, 2, 3)]
    left_out = Counter[str]()
    assert list(iter_post_links(rows(*links, root="postlinks"), "PostLinks.xml", left_out)) == [
        LinkRow("1", "9", "related"),
        LinkRow("3", "9", "duplicate"),
    ]
    assert left_out == {"links of type 2 left out": 1}


def test_users_and_the_score_of_a_post_which_is_votes_up_minus_votes_down() -> None:
    content = rows('<row Id="-1" DisplayName="Ada" Reputation="12"/>', '<row Id="2"/>', root="users")
    assert user_names(content, "Users.xml") == {"-1": "Ada", "2": ""}
    votes = [("7", 2), ("7", 2), ("7", 3), ("8", 3), ("9", 1)]  # 9 was accepted, which is not a vote
    content = rows(*(f'<row Id="1" PostId="{post}" VoteTypeId="{kind}"/>' for post, kind in votes), root="votes")
    assert vote_scores(content, "Votes.xml") == {"7": 1, "8": -1}


@pytest.mark.parametrize(
    ("path", "questions", "answers"),
    [("Posts.xml", 1666, 2079), ("indexTest.xml", 5, 2), ("approach0_sample.xml", 6, 7)],
)
def test_the_labs_posts_are_read_completely(path: str, questions: int, answers: int) -> None:
    with data_file(f"posts/{path}").open("rb") as source:
        posts = list(iter_posts(source, path))
    assert Counter(post.kind for post in posts) == {"question": questions, "answer": answers}
    assert all(post.body and post.thread_id for post in posts)
    assert len({post.post_id for post in posts}) == len(posts)
