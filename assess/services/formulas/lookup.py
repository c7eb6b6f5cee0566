"""What organizers look up: the formulas of a visual id, and formulas marked as not matching."""

from typing import Any

import polars as pl
from django.db.models import F

from assess.ir.common.rows import NOT_MATCHING, FormulaRow
from assess.models import Campaign, Collection, Judgment
from assess.services.collection import collections
from assess.services.common import parquet
from assess.services.formulas import visual_ids


def find_writings(collection: Collection, visual_id: str, shown: int) -> list[dict[str, Any]]:
    """The ways in which the formulas of a visual id in the current version are written (``latex``), the most common
    first, how many are (``size``), and the ``shown`` ``formulas`` with the lowest ids (`FormulaRow`)."""
    rows = formulas_with_id(collection, visual_id)
    in_order = rows.sort(pl.col("formula_id").cast(pl.Int64, strict=False), "formula_id", nulls_last=True)
    first = pl.struct(rows.columns).head(shown)
    writings = in_order.group_by("latex", maintain_order=True).agg(size=pl.len(), formulas=first)
    return writings.sort("size", descending=True, maintain_order=True).to_dicts()


def formulas_with_id(collection: Collection, visual_id: str) -> pl.DataFrame:
    """The index rows with a visual id in the current version: from the index unless changed, or from the version."""
    types = parquet.schema(FormulaRow)
    index = collections.columns_folder(collection, "formulas")
    indexed = parquet.frame(index, "visual_id", [visual_id], types)
    version = visual_ids.current_version(collection)
    if version is None:
        return indexed
    changes = visual_ids.version_folder(version, "map")
    moved = parquet.frame(changes, "formula_id", indexed["formula_id"], visual_ids.PAIRS)
    added = parquet.frame(changes, "visual_id", [visual_id], visual_ids.PAIRS)
    kept = indexed.join(moved, on="formula_id", how="anti")
    return pl.concat([kept, parquet.frame(index, "formula_id", added["formula_id"], types)])


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
