"""What an import leaves on disk: all or nothing, with spurious formulas marked."""

from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assess.ir.collection import html
from assess.ir.common.problems import BadInput
from assess.models import Collection, Comment, Post
from assess.services.collection import collections, threads
from assess.services.collection.preparing import EVER, CollectionFile, Years
from assess.services.common import parquet
from tests.cast import import_files, on_progress
from tests.real import data_file

pytestmark = [pytest.mark.django_db, pytest.mark.engines]

Import = Callable[..., dict[str, int]]
HEAD = "id\tpost_id\tthread_id\ttype\tcomment_id\told_visual_id\tvisual_id\tissue\tformula\n"


def span(formula_id: int) -> str:
    return f'<span class="math-container" id="{formula_id}">$x$</span>'


def question(post_id: int, body: str = "b", *, title: str = "t", year: int | None = None) -> str:
    date = f' CreationDate="{year}-06-01T00:00:00.000"' if year else ""
    return f'<row Id="{post_id}" PostTypeId="1" Title="{escape(title)}" Body="{escape(body)}"{date} />'


def xml(root: str, *rows: str) -> str:
    return f"<{root}>\n" + "\n".join(rows) + f"\n</{root}>\n"


def index(*rows: tuple[int, str]) -> str:
    return HEAD + "".join(f"{formula_id}\t1\t1\t{kind}\t\t\tv1\t\tx\n" for formula_id, kind in rows)


@pytest.fixture
def collection() -> Collection:
    return Collection.objects.create(name="small")


@pytest.fixture
def import_texts(collection: Collection, tmp_path: Path) -> Import:
    """Imports these texts as files and returns the counts."""

    def import_texts(years: Years = EVER, **texts: str | bytes) -> dict[str, int]:
        return import_files(collection, files(tmp_path, **texts), on_progress, years)

    return import_texts


def files(folder: Path, **texts: str | bytes) -> list[CollectionFile]:
    for kind, text in texts.items():
        (folder / kind).write_bytes(text.encode() if isinstance(text, str) else text)
    return [CollectionFile(kind, kind, folder / kind) for kind in texts]


def stored(collection: Collection, kind: str) -> list[tuple[Any, ...]]:
    return [row for part in parts(collection, kind) for row in part.iter_rows()]


def parts(collection: Collection, kind: str) -> list[pl.DataFrame]:
    return [pl.read_parquet(file) for file in parquet.files(collections.columns_folder(collection, kind))]


def spurious(collection: Collection) -> list[str]:
    return [row[0] for row in stored(collection, "formulas") if row[-1]]


def folders(collection: Collection) -> set[str]:
    return {path.name for path in collections.collection_home(collection).iterdir()}


def test_formulas_in_no_imported_text_are_spurious(collection: Collection, import_texts: Import) -> None:
    posts = xml("posts", question(1, span(1), title=span(2)))
    rows = index((1, "question"), (2, "title"), (3, "answer"), (4, "comment"), (5, "comment"))
    counts = import_texts(posts=posts, formulas=rows)
    assert spurious(collection) == ["3"]
    assert (counts["formulas"], counts["formulas_in_comments"], counts["spurious"]) == (4, 2, 1)
    counts = import_texts(comments=xml("comments", f'<row Id="1" PostId="1" Text="{escape(span(4))}" />'))
    assert spurious(collection) == ["3", "5"]
    assert (counts["formulas"], counts["formulas_in_comments"], counts["spurious"]) == (3, 1, 2)


def test_posts_imported_after_index_mark_its_spurious_formulas(collection: Collection, import_texts: Import) -> None:
    assert import_texts(formulas=index((1, "question"), (2, "question"), (3, "comment")))["spurious"] == 0
    assert import_texts(posts=xml("posts", question(1, span(2))))["spurious"] == 1
    assert spurious(collection) == ["1"]


def test_posts_of_other_years_are_left_out_and_counted(collection: Collection, import_texts: Import) -> None:
    posts = xml("posts", *(question(year, year=year) for year in range(2009, 2012)), question(1))
    assert import_texts(Years(2010, 2010), posts=posts)["questions"] == 2
    assert [row[0] for row in stored(collection, "posts")] == ["2010", "1"]
    assert collection.notes == ["posts: 2 posts written outside 2010–2010 left out"]
    assert import_texts(Years(2010), posts=posts)["questions"] == 3


def test_rows_left_out_are_counted_for_each_reason(collection: Collection, import_texts: Import) -> None:
    wiki, link = '<row Id="9" PostTypeId="5" Body="w" />', '<row Id="1" PostId="1" RelatedPostId="2" LinkTypeId="2" />'
    import_texts(posts=xml("posts", question(1), wiki, wiki), links=xml("postlinks", link))
    assert collection.notes == [
        "posts: 2 posts of type 5, neither question nor answer, left out",
        "links: 1 links of type 2 left out",
    ]
    before = folders(collection)
    import_texts(posts=xml("posts", question(1)))  # notes on a replaced file disappear
    assert folders(collection) == {collection.sources[kind]["folder"] for kind in ("posts", "links")}
    assert len(before - folders(collection)) == 1
    assert collection.notes == ["links: 1 links of type 2 left out"]


POSTS = xml("posts", question(1, span(1)), question(2, span(2)))
DAMAGED: dict[str, dict[str, Any]] = {
    "cut off": {"posts": POSTS[:-30]},
    "a repeated id": {"posts": xml("posts", question(1), question(2), question(1))},
    "a repeated formula": {"posts": POSTS, "formulas": index((1, "answer"), (2, "answer"), (1, "answer"))},
    "a broken last row": {"posts": POSTS, "formulas": index((1, "answer")) + "2\t1"},
    "broken comments": {"posts": POSTS, "comments": "<comments><row"},
}
REASONS = {"a repeated id": "posts: post_id 1 is repeated", "a repeated formula": "formulas: formula_id 1 is repeated"}


def test_a_damaged_file_changes_nothing(collection: Collection, import_texts: Import) -> None:
    import_texts(posts=xml("posts", question(7)), formulas=index((9, "question")))
    before = folders(collection), stored(collection, "posts"), stored(collection, "formulas")
    for damage, texts in DAMAGED.items():
        [*_, kind] = texts
        with pytest.raises(BadInput, match=REASONS.get(damage, f"^{kind}:")):
            import_texts(**texts)
        collection.refresh_from_db()
        assert (folders(collection), stored(collection, "posts"), stored(collection, "formulas")) == before


def test_other_processes_clean_alike(
    collection: Collection, import_texts: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = f"<p>{span(1)}</p><script>x</script>"
    comments = [f'<row Id="{n}" PostId="{n}" Text="{n} &lt; {n + 1}" />' for n in range(1, 8)]
    import_texts(posts=xml("posts", *(question(n, body) for n in range(1, 8))), comments=xml("comments", *comments))
    monkeypatch.setattr(threads, "FEW", 0)
    monkeypatch.setattr(threads, "BATCH", 3)
    assert len(collections.load_threads(collection, map(str, range(1, 8)), on_progress)) == 7
    assert [post.body for post in Post.objects.all()] == [html.canonical(body)] * 7
    assert sorted(comment.text for comment in Comment.objects.all()) == [f"{n} &lt; {n + 1}" for n in range(1, 8)]


@pytest.mark.sqlite
def test_the_labs_posts_have_the_formulas_of_the_index_that_readers_see(collection: Collection) -> None:
    paths = {"posts": data_file("posts/Posts.xml"), "formulas": data_file("formula-index/formulas.v3.tsv")}
    counts = import_files(collection, [CollectionFile(kind, path.name, path) for kind, path in paths.items()])
    assert (counts["questions"], counts["answers"], counts["formulas"]) == (1666, 2079, 48389 - 131)
    assert (counts["spurious"], counts["formulas_in_comments"]) == (131, 8977)  # Comments.xml was not imported
    row = collections.index_rows(collection, ["1553"])["1553"]
    assert (row.post_id, row.visual_id, row.latex) == ("9253", "236740", "2+3i")
    for part in parts(collection, "posts"):
        for title, body, mentioned in part.select("title", "body", "formulas").iter_rows():
            shown = html.formulas(html.canonical(title) + html.canonical(body))
            assert mentioned == [formula_id for formula_id, _ in shown if formula_id]


def test_ids_that_look_alike_are_distinct(tmp_path: Path) -> None:
    ids = ["7", "07", "+7", "a7", "٧", str(2**64), str(2**63 + 7), "-7"]
    for name, more in (("ids", []), ("repeated", ["a7", "7"])):
        parts = [pl.DataFrame({"id": each}) for each in (ids, more) if each]
        parquet.write(tmp_path / name, parts, parquet.unchanged, lambda _: None)
        assert parquet.repeated(tmp_path / name, "id").to_list() == more
