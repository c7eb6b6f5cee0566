"""Collections: the labs' files become columns on disk, the threads to show become database rows."""

import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from pathlib import Path

import polars as pl
from django.conf import settings

from assess.ir.campaign.protocol import Protocol
from assess.ir.common.rows import FormulaRow
from assess.models import Campaign, Collection, OnProgress, Pool, Post
from assess.services.collection import preparing
from assess.services.collection.preparing import CollectionFile, Years
from assess.services.collection.threads import clean_and_store, read_threads
from assess.services.common import parquet
from assess.services.common.errors import Refused
from assess.services.common.wording import listed

KINDS = {
    "posts": "Posts.xml",
    "comments": "Comments.xml",
    "links": "PostLinks.xml",
    "users": "Users.xml",
    "votes": "Votes.xml",
    "formulas": "Formula index (TSV)",
}
DOCUMENTS = {"documents": "Documents (JSON lines, TREC, TSV, zip)"}
"""The only kind of a collection of documents, which are stored as posts are."""
STORED = ("posts", "comments", "links", "formulas")
"""The kinds stored as columns; users' names and vote scores become part of the posts."""

FORMULA_FIELDS = ("formula_id", "post_id", "kind", "visual_id", "latex", "spurious")


def collection_home(collection: Collection) -> Path:
    """The folder of a collection in the media store."""
    return Path(settings.MEDIA_ROOT, "collections", str(collection.pk))


def columns_folder(collection: Collection, kind: str) -> Path:
    """The folder of a collection's columns. Its row names it, so that saving the row replaces all columns at once."""
    name: str = collection.sources.get(source_of(collection, kind), {}).get("folder", kind)
    return collection_home(collection) / name


def source_of(collection: Collection, kind: str) -> str:
    """The kind of file from which stored rows come."""
    return "documents" if kind == "posts" and "documents" in collection.sources else kind


def file_kinds(rules: Protocol) -> dict[str, str]:
    """The kinds of files that can be imported for what is judged, with their labels."""
    return DOCUMENTS if rules.kind.post == "document" else KINDS


@contextmanager
def new_columns(
    collection: Collection, uploads: list[CollectionFile], on_progress: OnProgress, years: Years
) -> Iterator[None]:
    """Read the files into new columns, which `save_import` then puts in place of the old ones. On failure the new
    columns are removed, otherwise the old ones. If posts lack authors' names and scores, these come from Users.xml and
    Votes.xml. Posts written outside ``years`` are left out. Raises BadInput for a file that cannot be read, and as
    `require_importable` does."""
    require_importable(collection, {upload.kind for upload in uploads})
    token = uuid.uuid4().hex[:12]
    old = {kind: columns_folder(collection, kind) for kind in STORED}
    new = {kind: collection_home(collection) / f"{kind}-{token}" for kind in STORED}
    try:
        record_import(collection, preparing.write_columns(uploads, old, new, years, on_progress), new)
        yield
    except BaseException:
        for path in new.values():
            shutil.rmtree(path, ignore_errors=True)
        raise
    used = {columns_folder(collection, kind) for kind in STORED}
    for kind in STORED:
        for path in set(collection_home(collection).glob(f"{kind}*")) - used:  # replaced, or of an interrupted import
            shutil.rmtree(path)


def frozen_and_open(collection: Collection) -> tuple[Campaign | None, list[str]]:
    """A campaign with a frozen pool on the collection, be it of a training round, and the kinds of files that can still
    be imported. Pools depend on the texts; only one of formulas also on their index, which changes no text."""
    frozen = Pool.every.filter(frozen__isnull=False).values("campaign")
    campaigns = list(collection.campaigns.filter(pk__in=frozen))
    if of_formulas := next((campaign for campaign in campaigns if campaign.is_formulas), None):
        return of_formulas, []
    if not campaigns:
        return None, [*KINDS, *DOCUMENTS]
    return campaigns[0], [] if "documents" in collection.sources else ["formulas"]


def require_importable(collection: Collection, kinds: Set[str]) -> None:
    """Raises Refused if a frozen pool depends on what files of these kinds change, and if documents would stand beside
    posts, which are stored in the same columns."""
    campaign, free = frozen_and_open(collection)
    if not kinds <= set(free):
        rest = "Only a formula index can still be imported" if free else "Choose another collection for a new campaign"
        raise Refused(f"{campaign} has a frozen pool on this collection, so its texts can no longer change. {rest}.")
    together = kinds | collection.sources.keys()
    if together & DOCUMENTS.keys() and together & KINDS.keys():
        others = listed(KINDS[kind] for kind in KINDS if kind in together)
        raise Refused(f"Documents need a collection of their own, without {others}. Name a new collection for them.")


def refuse_useless_files(collection: Collection | None, kinds: Set[str]) -> None:
    """Raises Refused for files that add to others which are missing."""
    if not kinds & {"posts", "formulas", "documents"} and not (collection and collection.has_posts):
        raise Refused("The first import needs Posts.xml or a formula index.")
    if kinds & {"users", "votes"} and not kinds & {"posts", "comments"}:
        raise Refused("Names and scores are only added to posts imported with them: add Posts.xml too.")


def record_import(collection: Collection, result: preparing.Prepared, new: dict[str, Path]) -> None:
    """Set the collection's counts, sources and notes after an import, without saving them."""
    replaced = {collection.sources.get(kind, {}).get("name") for kind in result.sources}
    collection.sources |= result.sources
    for kind in result.kinds:
        collection.sources[source_of(collection, kind)]["folder"] = new[kind].name
    collection.counts = count_rows(collection)
    collection.notes = [note for note in collection.notes if note.partition(":")[0] not in replaced] + result.notes


def save_import(collection: Collection) -> None:
    """Replace the old columns. Threads are loaded again when they are shown, but those of a frozen pool stay."""
    if not frozen_and_open(collection)[0]:
        Post.objects.filter(collection=collection).delete()
    collection.save(update_fields=["sources", "counts", "notes"])


def count_rows(collection: Collection) -> dict[str, int]:
    """The number of rows of each kind. Spurious formulas are counted only as such."""
    posts = parquet.count_by(columns_folder(collection, "posts"), "kind")
    if "documents" in collection.sources:
        return {"documents": posts.get("document", 0)}
    formulas = parquet.count_by(columns_folder(collection, "formulas"), "kind", "spurious")
    return {
        "questions": posts.get("question", 0),
        "answers": posts.get("answer", 0),
        "comments": parquet.count(columns_folder(collection, "comments")),
        "links": parquet.count(columns_folder(collection, "links")),
        "formulas": sum(count for (_, spurious), count in formulas.items() if not spurious),
        "formulas_in_comments": formulas.get(("comment", False), 0),
        "spurious": sum(count for (_, spurious), count in formulas.items() if spurious),
    }


def kinds_of_posts(collection: Collection, post_ids: Iterable[str]) -> dict[str, str]:
    """For each of these posts that the collection has, whether it is a question, an answer or a document."""
    return parquet.pairs(columns_folder(collection, "posts"), "post_id", "kind", post_ids)


def documents_without_text(collection: Collection | None, places: Mapping[str, str]) -> set[str]:
    """The documents whose post (``places``) the collection lacks, or whose stored post is empty."""
    posts = kinds_of_posts(collection, filter(None, places.values())) if collection else {}
    empty = set(Post.objects.filter(collection=collection, body="").values_list("post_id", flat=True))
    return {doc_id for doc_id, post_id in places.items() if post_id not in posts or post_id in empty}


def index_rows(collection: Collection, formula_ids: Iterable[str]) -> dict[str, FormulaRow]:
    rows = parquet.select(columns_folder(collection, "formulas"), FormulaRow, "formula_id", formula_ids)
    return {row.formula_id: row for row in rows}


def formula_frame(collection: Collection, formula_ids: Iterable[str]) -> pl.DataFrame:
    """The same in columns, for many formulas: those of ``FORMULA_FIELDS``, in index order. Unknown ids have no row."""
    types = {name: parquet.schema(FormulaRow)[name] for name in FORMULA_FIELDS}
    return parquet.frame(columns_folder(collection, "formulas"), "formula_id", formula_ids, types)


def load_threads(collection: Collection, post_ids: Iterable[str], on_progress: OnProgress) -> set[str]:
    """Store the threads of these posts, cleaned, unless they are stored. Returns the posts that the collection has."""
    threads = parquet.pairs(columns_folder(collection, "posts"), "post_id", "thread_id", post_ids)
    stored = set(Post.objects.filter(collection=collection).values_list("thread_id", flat=True).distinct())
    missing = set(threads.values()) - stored
    word = "texts" if "documents" in collection.sources else "threads"
    on_progress(0, 0, f"looking up {len(missing):,} {word}")
    folders = {kind: columns_folder(collection, kind) for kind in STORED}
    clean_and_store(collection, read_threads(folders, missing), on_progress, f"loading {word}")
    return set(threads)
