"""A collection is imported completely or not at all; its threads are loaded when they are to be shown."""

import time
from concurrent.futures import ThreadPoolExecutor
from html import escape
from pathlib import Path

import pytest
from django.db import connection, transaction

from assess.models import Collection, Comment, Post, PostLink
from assess.services.collection import collections
from assess.services.collection.preparing import CollectionFile
from assess.services.common.errors import Refused
from tests.cast import import_files, make_campaign, make_pool, on_progress

pytestmark = [pytest.mark.django_db, pytest.mark.engines]

BODY = '<p><span class="math-container" id="7">$x$</span><script>alert(1)</script></p>'
POSTS = f"""<posts>
<row Id="1" PostTypeId="1" Title="Is $x$ prime?" Body="{escape(BODY)}" OwnerUserId="5" Tags="&lt;primes&gt;"
     AcceptedAnswerId="2"/>
<row Id="2" PostTypeId="2" ParentId="1" Body="yes" Score="4"/>
<row Id="3" PostTypeId="1" Title="Other" Body="other"/>
</posts>"""
FILES = {
    "posts": POSTS,
    "comments": """<comments><row Id="1" PostId="2" Text="&lt;i&gt;really&lt;/i&gt;?" UserId="5"/>
        <row Id="2" PostId="3" Text="x"/></comments>""",
    "links": '<postlinks><row Id="1" PostId="1" RelatedPostId="3" LinkTypeId="3"/></postlinks>',
    "users": '<users><row Id="5" DisplayName="Emmy N." Reputation="10"/></users>',
    "votes": """<votes><row Id="1" PostId="1" VoteTypeId="2"/><row Id="2" PostId="1" VoteTypeId="2"/>
        <row Id="3" PostId="1" VoteTypeId="3"/></votes>""",
}


@pytest.fixture
def collection() -> Collection:
    return Collection.objects.create(name="small")


def uploads(folder: Path, **texts: str) -> list[CollectionFile]:
    files = [CollectionFile(kind, f"{kind}.xml", folder / f"{kind}.xml") for kind in texts]
    for file in files:
        file.path.write_text(texts[file.kind])
    return files


def test_all_kinds_of_files_are_imported_and_only_the_requested_threads_are_loaded(
    collection: Collection, tmp_path: Path
) -> None:
    reports: list[tuple[int, int, str]] = []
    counts = import_files(collection, uploads(tmp_path, **FILES), lambda *report: reports.append(report))
    assert counts == {
        "questions": 2, "answers": 1, "comments": 2, "links": 1, "formulas": 0, "formulas_in_comments": 0,
        "spurious": 0,
    }  # fmt: skip
    size = sum(len(text.encode()) for text in FILES.values())
    assert {total for _, total, _ in reports} == {size}
    assert "reading posts.xml: 3 rows" in {message for *_, message in reports}
    assert set(collection.sources) == set(FILES)
    assert len(collection.sources["posts"]["sha256"]) == 64
    for _ in range(2):  # again adds nothing
        assert collections.load_threads(collection, ["2", "404"], on_progress) == {"2"}
    question, answer = Post.objects.order_by("post_id")
    assert (question.owner, question.score, question.tags, question.accepted_id) == ("Emmy N.", 1, ["primes"], "2")
    assert (answer.thread_id, answer.score) == ("1", 4)
    assert Comment.objects.get().text == "&lt;i&gt;really&lt;/i&gt;?"  # comments are plain text
    link = PostLink.objects.get()
    assert (link.post_id, link.related_id, link.kind) == (question.pk, "3", "duplicate")


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_two_jobs_loading_same_thread_at_the_same_time_store_it_once(collection: Collection, tmp_path: Path) -> None:
    import_files(collection, uploads(tmp_path, **FILES))

    def load() -> set[str]:
        try:
            return collections.load_threads(collection, ["1"], on_progress)
        finally:
            connection.close()

    with ThreadPoolExecutor() as pool:
        with transaction.atomic():
            collections.load_threads(collection, ["1"], on_progress)
            other = pool.submit(load)
            wait_for_a_blocked_connection()
        assert other.result() == {"1"}
    assert (Post.objects.count(), Comment.objects.count(), PostLink.objects.count()) == (2, 1, 1)


def wait_for_a_blocked_connection() -> None:
    """Until another connection waits for a lock of this transaction."""
    waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))"
    deadline = time.monotonic() + 10
    with connection.cursor() as cursor:
        while not (cursor.execute(waiting) or cursor.fetchall()):
            assert time.monotonic() < deadline
            time.sleep(0.02)


def test_of_a_collection_with_a_frozen_pool_only_the_index_can_change(tmp_path: Path) -> None:
    campaign = make_campaign()
    make_pool(campaign)
    before = list(Post.objects.values())
    with pytest.raises(Refused, match="frozen"):
        import_files(campaign.collection, uploads(tmp_path, posts=POSTS))
    index = "id\tpost_id\tthread_id\ttype\tvisual_id\tformula\n110\t11\t10\tanswer\tv1\tx\n"
    import_files(campaign.collection, uploads(tmp_path, formulas=index))
    assert list(Post.objects.values()) == before


def test_formulas_are_looked_up_in_the_columns(collection: Collection, tmp_path: Path) -> None:
    assert collections.formula_frame(collection, ["1"]).rows() == []
    index = "id\tpost_id\tthread_id\ttype\tvisual_id\tformula\n7\t1\t1\tquestion\tv1\tx\n8\t1\t1\ttitle\tv2\ty\n"
    import_files(collection, uploads(tmp_path, posts=POSTS, formulas=index))
    formulas = collections.formula_frame(collection, ["8", "7", "404"])
    assert formulas.columns == ["formula_id", "post_id", "kind", "visual_id", "latex", "spurious"]
    assert formulas.rows() == [
        ("7", "1", "question", "v1", "x", False),
        ("8", "1", "title", "v2", "y", True),  # no span of a post has this id
    ]
