"""Collections: the labs' files become columns on disk; threads that are shown become rows."""

import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import polars as pl
from django.conf import settings

from assess.ir.common.rows import CommentRow, FormulaRow, PostRow
from assess.ir.formats.posts import LinkRow
from assess.models import Collection, Post
from assess.services.collection import loading, preparing
from assess.services.collection.preparing import SourceFile, Years
from assess.services.common import parquet
from assess.services.common.errors import Refused
from assess.services.jobs.job_queue import Tell

KINDS = {
    "posts": "Posts.xml",
    "comments": "Comments.xml",
    "links": "PostLinks.xml",
    "users": "Users.xml",
    "votes": "Votes.xml",
    "formulas": "Formula index (TSV)",
}
STORED = ("posts", "comments", "links", "formulas")
"""The kinds that are kept as rows; names and scores go into the posts."""

FORMULA_FIELDS = ("formula_id", "post_id", "kind", "visual_id", "latex", "spurious")


def home(collection: Collection) -> Path:
    """The folder of a collection in the media store."""
    return Path(settings.MEDIA_ROOT, "collections", str(collection.pk))


def folder(collection: Collection, kind: str) -> Path:
    """Where the columns of a collection lie in the media store. Its row names them, so that saving the row puts
    all that an import wrote in the place of what was there, at once."""
    name: str = collection.sources.get(kind, {}).get("folder", kind)
    return home(collection) / name


@contextmanager
def prepared(collection: Collection, uploads: list[SourceFile], tell: Tell, years: Years) -> Iterator[None]:
    """Read the files into columns, for ``store`` to put in the place of those before. What was read is removed again
    where that fails, else what it replaced. Authors' names and scores come from Users.xml and Votes.xml where the posts
    do not carry them. Posts written outside ``years`` are left out. Raises BadInput for a file that cannot be read,
    Refused where a frozen pool stands on the collection.
    """
    require_unused(collection)
    token = uuid.uuid4().hex[:12]
    there = {kind: folder(collection, kind) for kind in STORED}
    fresh = {kind: home(collection) / f"{kind}-{token}" for kind in STORED}
    try:
        note(collection, uploads, preparing.prepare(uploads, there, fresh, years, tell), fresh)
        yield
    except BaseException:
        for path in fresh.values():
            shutil.rmtree(path, ignore_errors=True)
        raise
    tidy(collection)


def require_unused(collection: Collection) -> None:
    for campaign in collection.campaigns.all():
        if campaign.frozen_pool():
            raise Refused(f"{campaign} has a frozen pool on this collection, so its texts cannot change.")


def note(collection: Collection, uploads: list[SourceFile], made: preparing.Prepared, fresh: dict[str, Path]) -> None:
    """What the collection will hold and which files it came from; not stored yet."""
    replaced = {collection.sources.get(upload.kind, {}).get("name") for upload in uploads}
    for upload in uploads:
        collection.sources[upload.kind] = {"name": upload.name, "sha256": made.digests[upload.kind]}
    for kind in made.kinds:
        collection.sources[kind] |= {"folder": fresh[kind].name}
    collection.counts = count_rows(collection)
    collection.notes = [note for note in collection.notes if note.partition(":")[0] not in replaced] + made.notes


def store(collection: Collection) -> None:
    """Put the new columns in the place of those before."""
    Post.objects.filter(collection=collection).delete()
    collection.save(update_fields=["sources", "counts", "notes"])


def tidy(collection: Collection) -> None:
    """Remove the columns that the collection does not name: those it had before, and of imports cut short."""
    used = {folder(collection, kind) for kind in STORED}
    for kind in STORED:
        for path in set(home(collection).glob(f"{kind}*")) - used:
            shutil.rmtree(path)


def count_rows(collection: Collection) -> dict[str, int]:
    """How many rows of each kind there are. Spurious formulas are counted for themselves only."""
    posts = parquet.count_by(folder(collection, "posts"), "kind")
    formulas = parquet.count_by(folder(collection, "formulas"), "kind", "spurious")
    return {
        "questions": posts.get("question", 0),
        "answers": posts.get("answer", 0),
        "comments": parquet.count(folder(collection, "comments")),
        "links": parquet.count(folder(collection, "links")),
        "formulas": sum(count for (_, spurious), count in formulas.items() if not spurious),
        "formulas_in_comments": formulas.get(("comment", False), 0),
        "spurious": sum(count for (_, spurious), count in formulas.items() if spurious),
    }


def kinds_of_posts(collection: Collection, post_ids: Iterable[str]) -> dict[str, str]:
    """For each post that the collection holds whether it is a question or an answer."""
    return parquet.pairs(folder(collection, "posts"), "post_id", "kind", post_ids)


def without_text(collection: Collection | None, places: Mapping[str, str]) -> set[str]:
    """Those of the documents, given with the posts in which they stand, whose text the collection does not hold."""
    held = kinds_of_posts(collection, filter(None, places.values())) if collection else {}
    return {doc_id for doc_id, post_id in places.items() if post_id not in held}


def formula_rows(collection: Collection, formula_ids: Iterable[str]) -> dict[str, FormulaRow]:
    """The index rows of these formulas, by formula id."""
    rows = parquet.select(folder(collection, "formulas"), FormulaRow, "formula_id", formula_ids)
    return {row.formula_id: row for row in rows}


def formula_frame(collection: Collection, formula_ids: Iterable[str]) -> pl.DataFrame:
    """The same in columns, for many: those of ``FORMULA_FIELDS``. The order is that of the index; ids that it lacks
    have no row."""
    types = {name: parquet.schema(FormulaRow)[name] for name in FORMULA_FIELDS}
    return parquet.frame(folder(collection, "formulas"), "formula_id", formula_ids, types)


def load_threads(collection: Collection, post_ids: Iterable[str], tell: Tell) -> set[str]:
    """Make rows of the threads that hold these posts, their HTML in canonical form; returns the posts the collection
    has. Threads that are rows already stay as they are."""
    threads = parquet.pairs(folder(collection, "posts"), "post_id", "thread_id", post_ids)
    there = set(Post.objects.filter(collection=collection).values_list("thread_id", flat=True).distinct())
    missing = set(threads.values()) - there
    tell(0, 0, f"looking up {len(missing):,} threads")
    posts = held(collection, "posts", PostRow, "thread_id", missing)
    comments = held(collection, "comments", CommentRow, "post_id", posts["post_id"])
    links = held(collection, "links", LinkRow, "post_id", posts["post_id"])
    loading.load(collection, loading.Threads(posts, comments, links), tell)
    return set(threads)


def held(
    collection: Collection, kind: str, row_type: type[NamedTuple], column: str, values: Iterable[str]
) -> pl.DataFrame:
    return parquet.frame(folder(collection, kind), column, values, parquet.schema(row_type))
