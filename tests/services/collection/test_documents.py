"""A collection of documents: read once into the columns of posts; what is shown becomes rows."""

import hashlib
import json
from pathlib import Path

import polars as pl
import pytest

from assess.ir.common.problems import BadInput
from assess.models import Collection, Post
from assess.services.collection import collections
from assess.services.collection.preparing import CollectionFile
from assess.services.common import parquet
from assess.services.common.errors import Refused
from tests.cast import import_files, import_texts, on_progress

pytestmark = pytest.mark.django_db

LINES = [
    {"docno": "a/1", "title": "A", "text": "One.\n\nTwo <b>.", "url": "https://a.org/1", "language": "ar"},
    {"docno": "b", "text": "<p>Three<script>alert(1)</script></p>"},
]


@pytest.fixture
def collection() -> Collection:
    return Collection.objects.create(name="pages")


def upload(folder: Path, lines: list[dict[str, str]], key: str = "") -> list[CollectionFile]:
    path = folder / "docs.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return [CollectionFile("documents", path.name, path, key)]


def test_documents_are_counted_and_become_posts_when_they_are_shown(collection: Collection, tmp_path: Path) -> None:
    files = upload(tmp_path, LINES)
    assert import_files(collection, files) == {"documents": 2}
    assert collection.has_posts
    assert collection.sources["documents"]["sha256"] == hashlib.sha256(files[0].path.read_bytes()).hexdigest()
    assert collections.load_threads(collection, ["a/1", "404"], on_progress) == {"a/1"}
    [post] = Post.objects.all()
    assert (post.kind, post.thread_id, post.title) == ("document", "a/1", "A")
    assert (post.url, post.language) == ("https://a.org/1", "ar")
    assert post.body == "<p>One.</p>\n<p>Two &lt;b&gt;.</p>"
    collections.load_threads(collection, ["b"], on_progress)
    assert Post.objects.get(post_id="b").body == "<p>Three</p>"
    lines = [{"id": "b", "hash": "h1", "text": "x"}, {"id": "b", "hash": "h2", "text": "y"}]  # the next replaces all
    with pytest.raises(BadInput, match=r"docs\.jsonl:2: document b is in line 1, too: keep one"):
        import_files(collection, upload(tmp_path, lines))
    assert import_files(collection, upload(tmp_path, lines, "hash")) == {"documents": 2}
    assert set(collections.kinds_of_posts(collection, ["a/1", "h1", "h2", "b"])) == {"h1", "h2"}
    assert len(list(collections.collection_home(collection).iterdir())) == 1
    with pytest.raises(Refused, match=r"a collection of their own, without Posts\.xml"):
        import_texts(collection, tmp_path, posts='<posts><row Id="1" PostTypeId="1" Title="t" Body="b"/></posts>')


def test_parts_without_the_newer_columns_are_read_as_if_these_were_empty(
    collection: Collection, tmp_path: Path
) -> None:
    import_files(collection, upload(tmp_path, LINES))
    for file in parquet.files(collections.columns_folder(collection, "posts")):
        pl.read_parquet(file).drop("url", "language").write_parquet(file)
    collections.load_threads(collection, ["a/1"], on_progress)
    assert list(Post.objects.values_list("post_id", "url", "language")) == [("a/1", "", "")]


def test_long_documents_make_small_parts(
    collection: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "PART_LENGTH", 1_000)
    import_files(collection, upload(tmp_path, [{"id": str(n), "text": "x" * 500} for n in range(10)]))
    parts = parquet.files(collections.columns_folder(collection, "posts"))
    assert [len(pl.read_parquet(part)) for part in parts] == [2] * 5
