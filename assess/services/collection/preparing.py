"""The labs' files of a collection become columns: read once, in constant memory, all or nothing."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
import polars as pl

from assess.ir.common.problems import Problems
from assess.ir.common.rows import CommentRow, FormulaRow, PostRow
from assess.ir.formats.documents import iter_documents, repeated_documents
from assess.ir.formats.formula_index import formula_frames, formulas_in
from assess.ir.formats.posts import LinkRow, iter_comments, iter_post_links, iter_posts, user_names, vote_scores
from assess.models import OnProgress
from assess.services.common import parquet

Folders = Mapping[str, Path]
"""Where the rows of each kind are."""
TEXT_KINDS = ("posts", "comments")
"""The kinds of rows in whose texts formulas occur."""


class CollectionFile(NamedTuple):
    """A file to import: its kind (of `collections.KINDS` or `.DOCUMENTS`), name and place; ``key``: of `Reading`."""

    kind: str
    name: str
    path: Path
    key: str = ""


class Years(NamedTuple):
    """The first and last year (inclusive) of the posts that belong to a collection."""

    first: int | None = None
    last: int | None = None

    def __str__(self) -> str:
        return f"{self.first or ''}–{self.last or ''}"


EVER = Years()


class FilesRead:
    """The files of an import while they are read: bytes read, rows written, and what was left out (``changes``)."""

    def __init__(self, stack: ExitStack, uploads: Iterable[CollectionFile], on_progress: OnProgress) -> None:
        self.uploads = {upload.kind: upload for upload in uploads}
        self.changes = {kind: Counter[str]() for kind in self.uploads}
        self.on_progress = on_progress
        self.total = sum(upload.path.stat().st_size for upload in self.uploads.values())
        self.files = {kind: stack.enter_context(upload.path.open("rb")) for kind, upload in self.uploads.items()}
        self.activity = ""

    def source(self, kind: str) -> tuple[BinaryIO, str, Counter[str]]:
        """An open file, its name and its changes, as the readers expect them."""
        self.activity = f"reading {self.uploads[kind].name}"
        self.report()
        return self.files[kind], self.uploads[kind].name, self.changes[kind]

    def report(self, rows: int = 0) -> None:
        """``rows``: how many were written of the file that is read."""
        done = sum(file.tell() for file in self.files.values())
        self.on_progress(done, self.total, f"{self.activity}: {rows:,} rows" if rows else self.activity)

    def sources(self) -> dict[str, dict[str, str]]:
        """Name and SHA-256 of each file."""
        for file in self.files.values():
            file.seek(0)
        digests = {kind: hashlib.file_digest(file, "sha256").hexdigest() for kind, file in self.files.items()}
        return {kind: {"name": self.uploads[kind].name, "sha256": digest} for kind, digest in digests.items()}


class Prepared(NamedTuple):
    """The result of an import: the kinds written, name and SHA-256 of the files, and notes on what was left out."""

    kinds: list[str]
    sources: dict[str, dict[str, str]]
    notes: list[str]


def write_columns(
    uploads: list[CollectionFile], old: Folders, new: Folders, years: Years, on_progress: OnProgress
) -> Prepared:
    """Write each kind of row in the files to its ``new`` folder; ``old`` are the collection's current folders. The
    formulas are rewritten with posts or comments, which decide what is spurious. Raises BadInput."""
    with ExitStack() as stack:
        reading = FilesRead(stack, uploads, on_progress)
        written = []
        for kind, parts, change in text_parts(reading, years):
            parquet.write(new[kind], parts, change, reading.report)
            written.append(kind)
        folders = {kind: new[kind] if kind in written else old[kind] for kind in old}
        if "formulas" in reading.uploads or (set(written) & set(TEXT_KINDS) and parquet.files(old["formulas"])):
            mark = spurious_marker({kind: folders[kind] for kind in TEXT_KINDS})
            if "formulas" in reading.uploads:
                index = formula_frames(*reading.source("formulas")[:2])
            else:
                index = parquet.parts(old["formulas"], list(parquet.schema(FormulaRow))[:-1])
            parquet.write(new["formulas"], index, mark, reading.report)
            written.append("formulas")
        check_ids(reading, new)
        sources = reading.sources()
    left_out = [(file.name, *counted) for file in uploads for counted in sorted(reading.changes[file.kind].items())]
    return Prepared(written, sources, [f"{name}: {count:,} {what}" for name, what, count in left_out])


def text_parts(reading: FilesRead, years: Years) -> Iterator[tuple[str, Iterator[pl.DataFrame], parquet.Change]]:
    """The posts, comments and links among the files, with names and scores, and the change to apply to their parts."""
    uploads = reading.uploads
    names = user_names(*reading.source("users")[:2]) if "users" in uploads else {}
    scores = vote_scores(*reading.source("votes")[:2]) if "votes" in uploads else {}
    if "posts" in uploads:
        posts = (complete_post(row, names, scores) for row in iter_posts(*reading.source("posts")))
        kept = partial(in_years, years=years, changes=reading.changes["posts"])
        yield "posts", parquet.frames(posts, PostRow), lambda part: with_formulas(kept(part))
    if "documents" in uploads:
        documents = iter_documents(*reading.source("documents"), uploads["documents"].key)
        yield "posts", parquet.frames(documents, PostRow, lambda row: len(row.body)), with_formulas
    if "comments" in uploads:
        comments = iter_comments(*reading.source("comments"))
        named = (row._replace(owner=names.get(row.owner, row.owner)) for row in comments)
        yield "comments", parquet.frames(named, CommentRow), with_formulas
    if "links" in uploads:
        yield "links", parquet.frames(iter_post_links(*reading.source("links")), LinkRow), parquet.unchanged


def complete_post(row: PostRow, names: Mapping[str, str], scores: Mapping[str, int]) -> PostRow:
    if not names and not scores:
        return row
    score = scores.get(row.post_id) if row.score is None else row.score
    return row._replace(owner=names.get(row.owner, row.owner), score=score)


def in_years(part: pl.DataFrame, years: Years, changes: Counter[str]) -> pl.DataFrame:
    """The posts written in these years and those without a date."""
    year = pl.col("created").str.slice(0, 4).cast(pl.Int32, strict=False)
    kept = part.filter(year.is_between(years.first or 0, years.last or 9999).fill_null(True))
    if len(kept) < len(part):
        changes[f"posts written outside {years} left out"] += len(part) - len(kept)
    return kept


def with_formulas(part: pl.DataFrame) -> pl.DataFrame:
    """Add a column with the ids of the formulas in each row's texts."""
    texts = pl.concat_str([pl.col(name) for name in ("title", "body", "text") if name in part.columns])
    return part.with_columns(formulas=formulas_in(texts))


def spurious_marker(folders: Folders) -> parquet.Change:
    """A change that marks the formulas that occur in no text, by their sorted keys. For those of posts (of comments),
    this is known only if the collection has the texts of posts (of comments)."""
    posts, comments = (bool(parquet.files(folders[kind])) for kind in TEXT_KINDS)
    parts = (part for folder in folders.values() for part in parquet.parts(folder, ["formulas"]))
    keys = (parquet.keys(part["formulas"].explode().drop_nulls()) for part in parts)
    mentioned: parquet.Keys = np.concatenate([np.zeros(0, np.uint64), *keys])
    mentioned.sort()

    def marked(part: pl.DataFrame) -> pl.DataFrame:
        occurs = parquet.is_among(parquet.keys(part["formula_id"]), mentioned)
        is_comment = part["kind"] == "comment"
        return part.with_columns(spurious=~occurs & ((is_comment & comments) | (~is_comment & posts)))

    return marked


def check_ids(reading: FilesRead, folders: Folders) -> None:
    for kind, key in (("posts", "post_id"), ("formulas", "formula_id")):
        if kind in reading.uploads:
            problems = Problems(reading.uploads[kind].name)
            for repeated in parquet.repeated(folders[kind], key):
                problems.add(0, f"{key} {repeated} is repeated; remove one of the rows")
            problems.check()
    if (upload := reading.uploads.get("documents")) and len(ids := parquet.repeated(folders["posts"], "post_id")):
        with upload.path.open("rb") as source:
            repeated_documents(source, upload.name, set(ids), upload.key).check()
