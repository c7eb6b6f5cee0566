"""The threads of topics: their sources, the topic each belongs to, and what is refused."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django import Settings

from assess.ir.common.problems import BadInput
from assess.models import Campaign, Collection, Post
from assess.services.collection import topic_threads
from assess.services.collection.preparing import EVER, CollectionFile, Years
from assess.services.common.errors import Refused
from tests import cast
from tests.archives import zipped

pytestmark = pytest.mark.django_db

Uploader = Callable[[str, str, str | bytes], CollectionFile]

QUESTION = "How large is $n^2$?"  # the titles of all topics of the cast


def attribute(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def row(post_id: int, body: str, parent: int = 0, **more: object) -> str:
    place = f'PostTypeId="2" ParentId="{parent}"' if parent else f'PostTypeId="1" Title="{attribute(QUESTION)}"'
    rest = "".join(f' {name}="{value}"' for name, value in more.items())
    return f'<row Id="{post_id}" {place} Body="{attribute(body)}"{rest}/>'


POSTS = [
    row(901, "<p>Question 1 about <i>$x+1$</i>.</p>", Score=4, AcceptedAnswerId=903),  # A.1, in other words of HTML
    row(902, "<p>Yes, <script>alert(1)</script>$2$.</p>", 901, CreationDate="2020-05-01T00:00:00"),
    row(903, "<p>No.</p>", 901, Score=2, CreationDate="2021-01-01T00:00:00"),
    row(904, "<p>Question 2 about $x+2$.</p>"),  # A.2 has x+1
    row(905, "<p>Elsewhere.</p>", 904),
    row(906, "<p>Question 1 about $x+1$.</p>"),  # asked again: the first one counts
]
COMMENTS = '<comments><row Id="1" PostId="902" Text="Why?"/><row Id="2" PostId="905" Text="So."/></comments>'
LINKS = '<postlinks><row Id="1" PostId="901" RelatedPostId="20" LinkTypeId="3"/></postlinks>'


@pytest.fixture
def upload(tmp_path: Path) -> Uploader:
    """Stores a file of a kind with this content."""

    def build(kind: str, name: str, content: str | bytes) -> CollectionFile:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return CollectionFile(kind, name, path)

    return build


@pytest.fixture
def posts(upload: Uploader) -> CollectionFile:
    return upload("posts", "Posts.xml", f"<posts>{''.join(POSTS)}</posts>")


def page(number: int, *, with_id: bool = True) -> str:
    identity = f' data-questionid="{number}"' if with_id else ""
    return (
        f'<h1>{QUESTION}</h1><div class="question"{identity}><div class="post-text">'
        f'<p>Question {number % 10} about <b onclick="alert(1)">$x+1$</b>.</p></div></div>'
        f'<div class="answer"><div class="post-text">Page {number} says $z$</div></div>'
    )


def import_(campaign: Campaign, *uploads: CollectionFile, years: Years = EVER) -> None:
    topic_threads.import_topic_threads(campaign, list(uploads), years, cast.on_progress)
    campaign.refresh_from_db()


def imported(campaign: Campaign) -> Collection:
    """The collection with the threads of the topics."""
    assert campaign.topic_threads
    return campaign.topic_threads


def thread_ids(campaign: Campaign) -> dict[str, str]:
    return dict(campaign.topics.values_list("topic_id", "thread_id"))


def stored(campaign: Campaign) -> list[str]:
    return sorted(Post.objects.filter(collection=imported(campaign)).values_list("post_id", flat=True))


def test_title_and_text_identify_topics(
    campaign: Campaign, upload: Uploader, posts: CollectionFile, settings: Settings
) -> None:
    import_(campaign, posts, upload("comments", "Comments.xml", COMMENTS), upload("links", "PostLinks.xml", LINKS))
    assert thread_ids(campaign) == {"A.1": "901", "A.2": ""}
    assert stored(campaign) == ["901", "902", "903"]
    question = imported(campaign).posts.get(post_id="901")
    assert (question.score, question.accepted_id) == (4, "903")
    assert [link.related_id for link in question.links.all()] == ["20"]
    answer = imported(campaign).posts.get(post_id="902")
    assert "script" not in answer.body
    assert [comment.text for comment in answer.comments.all()] == ["Why?"]
    assert imported(campaign).counts == {"topics": 1, "posts": 3, "comments": 1}
    assert not list((settings.MEDIA_ROOT / "work").iterdir())


def test_an_import_without_later_answers_is_replaced_by_the_next_and_kept_if_that_is_refused(
    campaign: Campaign, upload: Uploader, posts: CollectionFile
) -> None:
    import_(campaign, posts, years=Years(last=2020))
    assert stored(campaign) == ["901", "902"]
    first = imported(campaign)
    with pytest.raises(Refused, match=r"table\.tsv: tables of topics are no longer read"):
        import_(campaign, posts, upload("table", "table.tsv", "A.1\t901"))  # a job of an earlier version
    with pytest.raises(Refused, match="no question of a topic"):
        import_(campaign, upload("posts", "Posts.xml", f"<posts>{POSTS[3]}</posts>"))
    assert thread_ids(campaign) == {"A.1": "901", "A.2": ""}
    import_(campaign, upload("pages", "A.2.html", page(902)))
    assert thread_ids(campaign) == {"A.1": "", "A.2": "902"}
    assert not Collection.objects.filter(pk=first.pk).exists()
    assert not Post.objects.filter(post_id="901").exists()


def test_pages_belong_to_the_topic_with_their_name_or_text(campaign: Campaign, upload: Uploader) -> None:
    archive = zipped({"threads/A.2.html": page(907, with_id=False), "x/901.htm": page(901), "arqmath.png": "no page"})
    import_(campaign, upload("pages", "threads.zip", archive))
    assert thread_ids(campaign) == {"A.1": "901", "A.2": "A.2"}
    assert stored(campaign) == ["901", "901-1", "A.2", "A.2-1"]
    assert "onclick" not in imported(campaign).posts.get(post_id="901").body
    assert list(imported(campaign).sources) == ["threads.zip"]


def test_a_post_on_two_pages_and_a_broken_page_are_refused(campaign: Campaign, upload: Uploader) -> None:
    with pytest.raises(BadInput, match="post 901 is on 2 pages"):
        import_(campaign, upload("pages", "A.1.html", page(901)), upload("pages", "A.2.html", page(901)))
    with pytest.raises(BadInput, match=r"A\.2\.html: no question"):
        import_(campaign, upload("pages", "t.zip", zipped({"A.1.html": page(901), "A.2.html": "<p>Hello</p>"})))
