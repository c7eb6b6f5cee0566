"""How many of the documents of runs the collection has, and their units. When the collection or its visual ids change,
both change in the same transaction."""

from collections.abc import Iterable, Sequence

import polars as pl
from django.contrib.auth.models import User
from django.db import transaction

from assess.ir.formats.formula_index import IN_POST
from assess.ir.runs.ranking import RANKING, pack, resolve, unpack, with_units
from assess.models import Campaign, Collection, OnProgress, Ranking, Run, VisualMap
from assess.services.collection import collections
from assess.services.collection.preparing import EVER, CollectionFile, Years
from assess.services.formulas import visual_ids


def load_ranking(run: Run) -> pl.DataFrame:
    return unpack(bytes(run.ranking.packed)).select(RANKING.names())


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


def prepare_updates(campaign: Campaign, on_progress: OnProgress, version: VisualMap | None = None) -> list[Run]:
    """All runs with new coverage and ranking, after the collection or its visual ids changed; not stored yet."""
    stored = list(campaign.runs.select_related("campaign__collection", "ranking"))
    rankings = [load_ranking(run) for run in stored if not run.is_written]
    units = look_up_documents(campaign, rankings, version)
    for number, run in enumerate(stored):
        on_progress(number, len(stored), f"looking up the documents of {run.name}")
        run.ranking.packed = pack(resolve_run(run, load_ranking(run), units))
    return stored


@transaction.atomic
def store_updates(changed: Iterable[Run]) -> None:
    for run in changed:
        Ranking.objects.filter(run=run).update(packed=run.ranking.packed)
        Run.objects.filter(pk=run.pk).update(coverage=run.coverage)


def apply_visual_ids(version: VisualMap, on_progress: OnProgress) -> None:
    """Apply a version, and update the runs of all formula campaigns on it. Raises Refused as `apply_version` does."""
    campaigns = [campaign for campaign in version.collection.campaigns.all() if campaign.is_formulas]
    changed = [run for campaign in campaigns for run in prepare_updates(campaign, on_progress, version)]
    with transaction.atomic():
        visual_ids.apply_version(version)
        store_updates(changed)


def import_collection(
    collection: Collection, uploads: list[CollectionFile], by: User, on_progress: OnProgress, years: Years = EVER
) -> dict[str, int]:
    """Read the files into columns (``collections.new_columns``) and return the number of rows of each kind."""
    with collections.new_columns(collection, uploads, on_progress, years):
        campaigns = collection.campaigns.all()
        changed = [run for campaign in campaigns for run in prepare_updates(campaign, on_progress)]
        is_new = collection.has_formulas and visual_ids.current_version(collection) is None
        counts = visual_ids.count_formulas(collection) if is_new else None
        with transaction.atomic():
            collections.save_import(collection)
            if counts:
                visual_ids.record_index(collection, by, counts)
            store_updates(changed)
    rows: dict[str, int] = collection.counts
    return rows
