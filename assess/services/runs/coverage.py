"""How many of the documents that runs retrieved are in the collection, and their units."""

from collections.abc import Sequence

import polars as pl

from assess.ir.formats.formula_index import IN_POST
from assess.ir.runs.ranking import RANKING, resolve, with_units
from assess.models import Campaign, Run, VisualMap
from assess.services.collection import collections
from assess.services.formulas import visual_ids


def look_up_documents(
    campaign: Campaign, rankings: Sequence[pl.DataFrame], version: VisualMap | None = None
) -> pl.DataFrame | None:
    """Which documents of these rankings the collection has: columns doc_id, unit_id, kind (of the post, or of the
    place of the formula), can_pool and, for formulas, post_id. None if there is nothing to compare with. ``version``:
    the visual ids, by default the current ones."""
    collection = campaign.collection
    if collection is None or not (collection.has_formulas if campaign.is_formulas else collection.has_posts):
        return None
    documents = pl.concat([RANKING.to_frame(), *rankings])["doc_id"].unique()
    if campaign.is_formulas:
        return visual_ids.formula_units(collection, documents, version).select(
            "post_id", "kind", doc_id="formula_id", unit_id="visual_id", can_pool=IN_POST
        )
    kinds = collections.kinds_of_posts(collection, documents)
    posts = pl.DataFrame(list(kinds.items()), schema={"doc_id": pl.String, "kind": pl.String}, orient="row")
    return posts.with_columns(unit_id="doc_id", can_pool=pl.lit(True))


def resolve_run(run: Run, ranking: pl.DataFrame, units: pl.DataFrame | None) -> pl.DataFrame:
    """The ranking with unit ids and a column ``can_pool``: whether a row can be judged. A formula in a comment, or in
    no post, is scored like any other but cannot be shown. Also sets the run's coverage: how many different documents
    it returned, and how many of them the collection has (formulas: how many the index has in posts)."""
    run.coverage = {} if units is None or run.is_written else count_known(run, ranking, units)
    if run.format != Run.Format.TASK2:
        return resolve(ranking, None).with_columns(can_pool=pl.lit(True))
    if units is None:
        return resolve(ranking, {}).with_columns(can_pool=pl.lit(True))
    poolable = units.filter("can_pool")["doc_id"]
    mapped = with_units(ranking.select(RANKING.names()), units.select("doc_id", "unit_id"))
    return mapped.with_columns(can_pool=pl.col("doc_id").is_in(poolable.implode()))


def count_known(run: Run, ranking: pl.DataFrame, units: pl.DataFrame) -> dict[str, int]:
    documents = ranking.select("doc_id").unique()
    in_collection = documents.join(units, on="doc_id")
    counts = {"documents": len(documents)}
    if run.format == Run.Format.TASK2:
        in_comments = int((in_collection["kind"] == "comment").sum())
        return counts | {"known": int(in_collection["can_pool"].sum()), "in_comments": in_comments}
    questions = int((in_collection["kind"] == "question").sum())
    return counts | {"known": len(in_collection) - questions, "questions": questions}
