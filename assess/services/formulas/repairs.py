"""Repairs of mixed visual ids: proposed as a version, reviewed, applied; and marks of assessors that ask for one."""

from typing import Any

import polars as pl
from django.contrib.auth.models import User
from django.db.models import F, Sum

from assess.ir.common.rows import NOT_MATCHING
from assess.ir.formulas.repair import JOINED, NEW, Repair, repair
from assess.models import Campaign, Collection, Instance, Judgment, OnProgress, VisualMap
from assess.services.common import parquet
from assess.services.common.errors import Refused
from assess.services.formulas import visual_ids


def draft_repair(collection: Collection) -> VisualMap | None:
    """The repair under review, not applied yet."""
    return visual_ids.versions(collection).filter(applied__isnull=True, kind=VisualMap.Kind.REPAIR).first()


def propose_repair(collection: Collection, by: User, on_progress: OnProgress) -> VisualMap | None:
    """Create a repair of the current version for review, in place of the last one; None if no id is mixed."""
    on_progress(0, 0, visual_ids.READING)
    if not (base := visual_ids.record_index(collection, by)):
        raise Refused("The index has no visual ids. Compute them first.")
    visual_ids.drop_pending(collection)
    old = visual_ids.read_map(base)
    rows = visual_ids.overlay_ids(visual_ids.scan_index(collection), old).filter(pl.col("visual_id") != "")
    keys = visual_ids.keys_of(collection, rows, on_progress)
    on_progress(0, 0, "comparing the formulas of each visual id")
    repaired = repair(members_of_ids(rows, keys, collection))
    if (found := repaired.partitions).is_empty():
        return None
    mapped = pl.concat([old.join(repaired.moved, on="formula_id", how="anti"), repaired.moved])
    latex = rows.select("latex", lowest="formula_id").join(found.lazy().select("lowest"), on="lowest", how="semi")
    shown = found.join(latex.collect(engine="streaming"), on="lowest", how="left", maintain_order="left")
    parts = {"map": mapped, "partitions": shown, "moved": with_reason(repaired, rows, keys)}
    counts = visual_ids.count_formulas(collection, mapped) | {
        "clusters": found["visual_id"].n_unique(),
        "moved": len(repaired.moved),
        "joined": len(found.filter(reason=JOINED)),
        "new": found.filter(reason=NEW)["new_id"].n_unique(),
    }
    return visual_ids.create_version(collection, VisualMap.Kind.REPAIR, parts, counts=counts, created_by=by)


def members_of_ids(rows: pl.LazyFrame, keys: pl.DataFrame, collection: Collection) -> pl.DataFrame:
    """What a repair needs for every formula (``ir.formulas.repair.MEMBERS``)."""
    graded = (
        Judgment.objects.filter(
            assignment__official=True,
            grade__isnull=False,
            instance__kind=Instance.Kind.FORMULA,
            instance__entry__pool__campaign__collection=collection,
        )
        .values_list("instance__doc_id")
        .annotate(Sum("grade"))
    )
    grades = pl.LazyFrame(list(graded), {"formula_id": pl.String, "relevance": pl.Int64}, orient="row")
    joined = rows.join(keys.lazy(), on="latex").join(grades, on="formula_id", how="left")
    return joined.select("formula_id", "visual_id", "key", pl.col("relevance").fill_null(0)).collect(engine="streaming")


def with_reason(repaired: Repair, rows: pl.LazyFrame, keys: pl.DataFrame) -> pl.DataFrame:
    """Every formula that moves: formula_id, old and new visual id, reason."""
    moved = rows.join(repaired.moved.lazy(), on="formula_id", how="semi").join(keys.lazy(), on="latex")
    reasons = repaired.partitions.select("visual_id", "key", "new_id", "reason")
    joined = moved.collect(engine="streaming").join(reasons, on=("visual_id", "key"))
    return joined.select("formula_id", "reason", old="visual_id", new="new_id").sort("old", "new", "formula_id")


def read_partitions(version: VisualMap) -> pl.DataFrame:
    """The parts of mixed ids (``ir.formulas.repair.PARTITION``, and latex), of each id first the one that keeps it."""
    return parquet.scan(visual_ids.version_folder(version, "partitions"), {}).collect()


def moved_file(version: VisualMap) -> str:
    """The old and the new visual id, and the reason, of every formula that a repair moves, tab-separated."""
    rows = parquet.scan(visual_ids.version_folder(version, "moved"), {})
    named = rows.select("formula_id", old_visual_id="old", new_visual_id="new", reason="reason")
    return named.collect().write_csv(separator="\t", quote_style="never")


def not_matching(campaign: Campaign) -> list[dict[str, Any]]:
    """The formulas that assessors marked as not looking like the others of their unit, over all pools and rounds, in
    the order of topics and units. ``visual_id`` is the current one; it and ``latex`` are empty without an index."""
    judgments = Judgment.objects.filter(instance__entry__pool__campaign=campaign, outcome=NOT_MATCHING)
    marks = judgments.order_by("instance__entry__topic__number", "instance__entry__unit_id", "instance__doc_id", "pk")
    rows = marks.values(
        "comment",
        topic_id=F("instance__entry__topic__topic_id"),
        unit_id=F("instance__entry__unit_id"),
        formula_id=F("instance__doc_id"),
        assessor=F("assignment__assessor__username"),
    )
    indexed: dict[str, dict[str, str]] = {}
    if campaign.collection and rows:
        units = visual_ids.formula_units(campaign.collection, {row["formula_id"] for row in rows})
        named = units.select("formula_id", "latex", "visual_id")
        indexed = named.rows_by_key("formula_id", named=True, unique=True)
    return [row | indexed.get(row["formula_id"], {"latex": "", "visual_id": ""}) for row in rows]
