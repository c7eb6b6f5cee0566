"""What the baselines read from a collection, in parts."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

import polars as pl

from assess.ir.baselines.search import VotedAnswer
from assess.ir.collection.html import quick
from assess.ir.formats.formula_index import IN_POST
from assess.ir.formats.posts import LinkRow
from assess.models import Campaign, Collection
from assess.services.collection import collections
from assess.services.common import parquet
from assess.services.common.errors import Refused
from assess.services.formulas import visual_ids
from assess.services.jobs.job_queue import OnProgress

STEP = 100
"""Documents between two reports of progress."""

FindInstances = Callable[[set[str]], dict[str, list[tuple[str, str]]]]


def require_collection(campaign: Campaign) -> Collection:
    if campaign.collection is None:
        raise Refused("The campaign has no collection. Import one first.")
    return campaign.collection


def watched(
    rows: Iterable[tuple[str, str]], total: int, on_progress: OnProgress, doing: str
) -> Iterator[tuple[str, str]]:
    for number, row in enumerate(rows):
        if number % STEP == 0:
            on_progress(number, total, doing)
        yield row
    on_progress(total, total, "ranking")


def searched_texts(campaign: Campaign, on_progress: OnProgress) -> Iterator[tuple[str, str]]:
    """Id and canonical HTML of every answer, or of every document with its title."""
    collection, kind = require_collection(campaign), campaign.rules.kind.post
    parts = parquet.parts(collections.columns_folder(collection, "posts"), ["post_id", "kind", "title", "body"])
    titled = pl.col("body") if kind == "answer" else pl.concat_str("title", "body", separator=" ", ignore_nulls=True)
    rows = (
        (post_id, quick(text))
        for part in parts
        for post_id, text in part.filter(pl.col("kind") == kind).select("post_id", titled).iter_rows()
    )
    return watched(rows, collection.counts.get(f"{kind}s", 0), on_progress, f"reading {kind}s")


def distinct_formulas(campaign: Campaign, on_progress: OnProgress) -> tuple[Iterator[tuple[str, str]], FindInstances]:
    """Visual id and LaTeX (of the first instance) of every visually distinct formula that can be pooled; and a
    function that returns the instances of some visual ids. Raises Refused if no formula has a visual id."""
    rows = poolable_formulas(require_collection(campaign))
    on_progress(0, 0, "looking for distinct formulas")
    first = rows.select("visual_id", "latex").unique("visual_id", keep="first", maintain_order=True).collect()
    if first.is_empty():
        raise Refused("No formula in the collection has a visual id. Compute visual ids first.")

    def find_instances(units: set[str]) -> dict[str, list[tuple[str, str]]]:
        wanted = pl.Series(sorted(units), dtype=pl.String)
        instances: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        kept = rows.filter(pl.col("visual_id").is_in(wanted.implode())).select("visual_id", "formula_id", "post_id")
        for visual_id, formula_id, post_id in kept.collect().iter_rows():
            instances[visual_id].append((formula_id, post_id))
        return dict(instances)

    return watched(first.iter_rows(), len(first), on_progress, "making tuples of formulas"), find_instances


def poolable_formulas(collection: Collection) -> pl.LazyFrame:
    """The formulas in questions and answers that have a visual id, in the order of the index."""
    parts = parquet.files(collections.columns_folder(collection, "formulas"))
    rows = pl.scan_parquet(parts).select(collections.FORMULA_FIELDS)
    mapped = visual_ids.overlay_ids(rows, visual_ids.read_map(visual_ids.current_version(collection)))
    return mapped.filter(pl.col("visual_id") != "", IN_POST)


def posts_of_formulas(campaign: Campaign, formula_ids: Iterable[str]) -> dict[str, str]:
    collection = campaign.collection
    if collection is None or not collection.has_formulas:
        return {}
    return parquet.pairs(collections.columns_folder(collection, "formulas"), "formula_id", "post_id", formula_ids)


def threads_of_posts(campaign: Campaign, post_ids: Iterable[str]) -> dict[str, str]:
    folder = collections.columns_folder(require_collection(campaign), "posts")
    return parquet.pairs(folder, "post_id", "thread_id", post_ids)


def duplicate_links(campaign: Campaign) -> Iterator[LinkRow]:
    """The duplicate links of the collection and of the topic threads."""
    for collection in filter(None, (campaign.collection, campaign.topic_threads)):
        yield from parquet.select(collections.columns_folder(collection, "links"), LinkRow, "kind", ["duplicate"])


def thread_answers(campaign: Campaign, thread_ids: set[str]) -> Iterator[VotedAnswer]:
    folder = collections.columns_folder(require_collection(campaign), "posts")
    types = {"post_id": pl.String, "thread_id": pl.String, "kind": pl.String, "score": pl.Int64}
    posts = parquet.frame(folder, "thread_id", thread_ids, types).filter(pl.col("kind") == "answer")
    return map(VotedAnswer._make, posts.select("post_id", "thread_id", "score").iter_rows())
