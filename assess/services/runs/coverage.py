"""What a collection holds of what runs retrieved."""

from collections.abc import Sequence

import polars as pl

from assess.ir.formats.formula_index import IN_POST
from assess.ir.runs.ranking import RANKING, resolve, with_units
from assess.models import Campaign, Run, VisualMap
from assess.services.collection import collections
from assess.services.formulas import visual_ids

LOW_COVERAGE = 0.95
"""Below this share of a run's documents people are warned."""


def look_up(
    campaign: Campaign, rankings: Sequence[pl.DataFrame], version: VisualMap | None = None
) -> pl.DataFrame | None:
    """What the collection holds of the documents that these rankings retrieved, in one pass: columns doc_id, unit_id,
    kind (of the post, or of the place where the formula stands), can_pool and, of formulas, post_id. None where there
    is nothing to compare with. Formulas have the visual ids of a version (the current one unless told)."""
    collection = campaign.collection
    if collection is None or not (collection.has_formulas if campaign.is_formulas else collection.has_posts):
        return None
    documents = pl.concat([RANKING.to_frame(), *rankings])["doc_id"].unique()
    if campaign.is_formulas:
        return visual_ids.units(collection, documents, version).select(
            "post_id",
            "kind",
            doc_id="formula_id",
            unit_id="visual_id",
            can_pool=IN_POST,
        )
    kinds = collections.kinds_of_posts(collection, documents)
    found = pl.DataFrame(list(kinds.items()), schema={"doc_id": pl.String, "kind": pl.String}, orient="row")
    return found.with_columns(unit_id="doc_id", can_pool=pl.lit(True))


def resolved(run: Run, ranking: pl.DataFrame, known: pl.DataFrame | None) -> pl.DataFrame:
    """The ranking with unit ids and, as a further column, ``can_pool``: whether a row can be judged. A formula in a
    comment, or in no post at all, is scored like any other but cannot be shown. As a side effect the run's coverage:
    how many different documents it returned and how many of them the collection holds (for formulas: the index, in
    posts)."""
    run.coverage = {} if known is None or run.is_written else counted(run, ranking, known)
    if run.format != Run.Format.TASK2:
        return resolve(ranking, None).with_columns(can_pool=pl.lit(True))
    if known is None:
        return resolve(ranking, {}).with_columns(can_pool=pl.lit(True))
    poolable = known.filter("can_pool")["doc_id"]
    found = with_units(ranking.select(RANKING.names()), known.select("doc_id", "unit_id"))
    return found.with_columns(can_pool=pl.col("doc_id").is_in(poolable.implode()))


def held(run: Run) -> dict[str, int | None]:
    """How many different documents a run retrieved, and how many of them the collection holds; None where there is
    nothing to compare with."""
    return {name: run.coverage.get(name) for name in ("documents", "known")}


def counted(run: Run, ranking: pl.DataFrame, known: pl.DataFrame) -> dict[str, int]:
    documents = ranking.select("doc_id").unique()
    found = documents.join(known, on="doc_id")
    counts = {"documents": len(documents)}
    if run.format == Run.Format.TASK2:
        in_comments = int((found["kind"] == "comment").sum())
        return counts | {"known": int(found["can_pool"].sum()), "in_comments": in_comments}
    answers = int((found["kind"] == "answer").sum())
    return counts | {"known": answers, "questions": len(found) - answers}
