"""Collections: the labs' files become columns on disk; threads that are shown become rows."""

import hashlib
import io
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar

import polars as pl
from django.conf import settings
from django.db import transaction

from assess.ir.formats.formula_index import iter_formulas
from assess.ir.formats.posts import PostLink as LinkRow
from assess.ir.formats.posts import iter_comments, iter_post_links, iter_posts, iter_users, vote_scores
from assess.ir.html import canonical, canonical_inline
from assess.ir.problems import Problems
from assess.ir.rows import CommentRow, FormulaRow, PostRow
from assess.models import Collection, Comment, Post, PostLink
from assess.services import columns
from assess.services.errors import Refused
from assess.services.jobs import Tell

AnyRow = TypeVar("AnyRow")
KINDS = {
    "posts": "Posts.xml",
    "comments": "Comments.xml",
    "links": "PostLinks.xml",
    "users": "Users.xml",
    "votes": "Votes.xml",
    "formulas": "Formula index (TSV)",
}
ROW_TYPES: dict[str, type[Any]] = {
    "posts": PostRow,
    "comments": CommentRow,
    "links": LinkRow,
    "formulas": FormulaRow,
}
FORMULA_FIELDS = ("formula_id", "post_id", "kind", "visual_id", "latex")


class Upload(NamedTuple):
    """A file to import: what it is (a key of KINDS), its name as the person knows it, where it lies."""

    kind: str
    name: str
    path: Path


class Meter(io.RawIOBase):
    """A file that tells how far it has been read."""

    def __init__(self, file: BinaryIO, tell: Callable[[int], None]) -> None:
        self.file, self.tell_bytes, self.count = file, tell, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.file.read(len(buffer))
        buffer[: len(data)] = data
        self.count += len(data)
        self.tell_bytes(self.count)
        return len(data)


def folder(collection: Collection, kind: str) -> Path:
    """Where the columns of a collection lie in the media store."""
    return settings.MEDIA_ROOT / "collections" / str(collection.pk) / kind


def import_files(collection: Collection, uploads: list[Upload], tell: Tell) -> dict[str, int]:
    """Read the files into columns, all or nothing; returns how many rows of each kind there are now.

    Authors' names and scores come from Users.xml and Votes.xml where the posts do not carry them.
    Raises BadInput for a file that cannot be read, Refused where a frozen pool stands on the collection.
    """
    require_unused(collection)
    work = settings.MEDIA_ROOT / "work" / uuid.uuid4().hex
    notes: list[str] = []
    try:
        with ExitStack() as stack:
            sources = {up.kind: (opened(stack, up, tell), up.name) for up in uploads}
            for kind, rows in converted(sources, notes).items():
                columns.write(work / kind, rows, lambda _: None)
        for kind in ROW_TYPES:
            if (work / kind).exists():
                columns.replace(work / kind, folder(collection, kind))
    finally:
        shutil.rmtree(work, ignore_errors=True)
    record(collection, uploads, notes)
    return counted(collection)


def require_unused(collection: Collection) -> None:
    for campaign in collection.campaigns.all():
        if campaign.frozen_pool():
            raise Refused(f"{campaign} has a frozen pool on this collection, so its texts cannot change.")


def opened(stack: ExitStack, upload: Upload, tell: Tell) -> BinaryIO:
    total = upload.path.stat().st_size
    file = stack.enter_context(upload.path.open("rb"))
    return io.BufferedReader(Meter(file, lambda count: tell(count, total, f"reading {upload.name}")), 1 << 20)


def converted(sources: Mapping[str, tuple[BinaryIO, str]], notes: list[str]) -> dict[str, Iterator[NamedTuple]]:
    """For each kind of column its rows, ready to store: HTML in canonical form, names and scores filled in."""
    names = {user.user_id: user.name for user in iter_users(*sources["users"])} if "users" in sources else {}
    scores = vote_scores(*sources["votes"]) if "votes" in sources else {}
    rows: dict[str, Iterator[NamedTuple]] = {}
    if "posts" in sources:
        rows["posts"] = (clean_post(row, names, scores) for row in posts_with_notes(*sources["posts"], notes))
    if "comments" in sources:
        rows["comments"] = (
            row._replace(text=canonical_inline(row.text), owner=names.get(row.owner, row.owner))
            for row in iter_comments(*sources["comments"])
        )
    if "links" in sources:
        rows["links"] = iter_post_links(*sources["links"])
    if "formulas" in sources:
        rows["formulas"] = once_each(iter_formulas(*sources["formulas"]), "formula_id", sources["formulas"][1])
    return rows


def posts_with_notes(source: BinaryIO, name: str, notes: list[str]) -> Iterator[PostRow]:
    found = Problems(name)
    yield from once_each(iter_posts(source, name, found), "post_id", name)
    notes.extend(str(note) for note in found.found)


def clean_post(row: PostRow, names: Mapping[str, str], scores: Mapping[str, int]) -> PostRow:
    return row._replace(
        title=canonical_inline(row.title),
        body=canonical(row.body),
        owner=names.get(row.owner, row.owner),
        score=scores.get(row.post_id) if row.score is None else row.score,
    )


def once_each(rows: Iterable[AnyRow], key: str, name: str) -> Iterator[AnyRow]:
    """The rows, if none of the ids comes twice: raises BadInput after the last one."""
    problems, seen = Problems(name), set()
    for row in rows:
        row_id = getattr(row, key)
        if row_id in seen:
            problems.add(0, f"{key} {row_id} comes twice; remove one of the rows")
        seen.add(row_id)
        yield row
    problems.check()


def record(collection: Collection, uploads: list[Upload], notes: list[str]) -> None:
    """Write down what the collection now holds and which files it came from."""
    for upload in uploads:
        with upload.path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        collection.sources[upload.kind] = {"name": upload.name, "sha256": digest}
    collection.counts = counted(collection)
    collection.notes = notes or collection.notes
    with transaction.atomic():
        Post.objects.filter(collection=collection).delete()
        collection.save(update_fields=["sources", "counts", "notes"])


def counted(collection: Collection) -> dict[str, int]:
    posts = columns.count_by(folder(collection, "posts"), "kind")
    formulas = columns.count_by(folder(collection, "formulas"), "kind")
    return {
        "questions": posts.get("question", 0),
        "answers": posts.get("answer", 0),
        "comments": sum(columns.count_by(folder(collection, "comments"), "post_id").values()),
        "links": sum(columns.count_by(folder(collection, "links"), "kind").values()),
        "formulas": sum(formulas.values()),
        "formulas_in_comments": formulas.get("comment", 0),
    }


def kinds_of_posts(collection: Collection, post_ids: Iterable[str]) -> dict[str, str]:
    """For each post that the collection holds whether it is a question or an answer."""
    return columns.pairs(folder(collection, "posts"), "post_id", "kind", post_ids)


def formula_rows(collection: Collection, formula_ids: Iterable[str]) -> dict[str, FormulaRow]:
    """The index rows of these formulas, by formula id."""
    rows = columns.select(folder(collection, "formulas"), FormulaRow, "formula_id", formula_ids)
    return {row.formula_id: row for row in rows}


def formula_frame(collection: Collection, formula_ids: Iterable[str]) -> pl.DataFrame:
    """The same in columns, for many: formula_id, post_id, kind, visual_id, latex (text) and spurious (whether the
    formula stands in no post). The order is that of the index; ids that it lacks have no row."""
    found = columns.frame(folder(collection, "formulas"), "formula_id", formula_ids, FORMULA_FIELDS)
    spurious = columns.frame(folder(collection, "spurious"), "formula_id", formula_ids, ("formula_id",))
    return found.with_columns(spurious=pl.col("formula_id").is_in(spurious["formula_id"].implode()))


def load_threads(collection: Collection, post_ids: Iterable[str], tell: Tell) -> set[str]:
    """Make rows of the threads that hold these posts; returns the posts the collection has. Threads that are
    rows already stay as they are."""
    posts = folder(collection, "posts")
    threads = columns.pairs(posts, "post_id", "thread_id", post_ids)
    there = set(Post.objects.filter(collection=collection).values_list("thread_id", flat=True))
    missing = set(threads.values()) - there
    rows = list(columns.select(posts, PostRow, "thread_id", missing))
    post_ids = [row.post_id for row in rows]
    comments = list(columns.select(folder(collection, "comments"), CommentRow, "post_id", post_ids))
    links = list(columns.select(folder(collection, "links"), LinkRow, "post_id", post_ids))
    tell(len(rows), 0, f"loading {len(missing)} threads")
    store_threads(collection, rows, comments, links)
    return set(threads)


@transaction.atomic
def store_threads(
    collection: Collection, rows: list[PostRow], comments: list[CommentRow], links: list[LinkRow]
) -> None:
    Post.objects.bulk_create([as_post(collection, row) for row in rows], batch_size=500)
    posts = dict(Post.objects.filter(collection=collection).values_list("post_id", "pk"))
    Comment.objects.bulk_create([as_comment(posts, row) for row in comments], batch_size=500)
    PostLink.objects.bulk_create(
        [PostLink(post_id=posts[row.post_id], related_id=row.related_id, kind=row.kind) for row in links],
        batch_size=500,
    )


def as_post(collection: Collection, row: PostRow) -> Post:
    return Post(
        collection=collection,
        post_id=row.post_id,
        kind=row.kind,
        thread_id=row.thread_id,
        title=row.title,
        body=row.body,
        tags=list(row.tags),
        score=row.score,
        written=row.created,
        owner=row.owner,
        accepted_id=row.accepted_id,
    )


def as_comment(posts: Mapping[str, int], row: CommentRow) -> Comment:
    return Comment(
        post_id=posts[row.post_id],
        comment_id=row.comment_id,
        text=row.text,
        score=row.score,
        written=row.created,
        owner=row.owner,
    )
