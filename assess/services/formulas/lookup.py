"""What organizers look up about visual ids: the formulas of one, those that assessors found not to match, and what a
repair moves."""

from typing import Any, NamedTuple

import polars as pl

from assess.ir.common.rows import FormulaRow
from assess.models import Campaign, Collection, Judgment, VisualMap
from assess.models.judging import Outcome
from assess.services.collection import collections
from assess.services.common import parquet
from assess.services.formulas import visual_ids


class Writing(NamedTuple):
    """One way in which a visual id is written, how many formulas are, and the first of them."""

    latex: str
    size: int
    formulas: list[FormulaRow]


def cluster(collection: Collection, visual_id: str, shown: int) -> list[Writing]:
    """The formulas of a visual id in its current version, the commonest writing first; of each the ``shown`` formulas
    with the lowest ids."""
    rows = members(collection, visual_id)
    in_order = rows.sort(pl.col("formula_id").cast(pl.Int64, strict=False), "formula_id", nulls_last=True)
    parts = in_order.group_by("latex", maintain_order=True).agg(pl.len(), rows=pl.struct(rows.columns).head(shown))
    parts = parts.sort("len", descending=True, maintain_order=True)
    return [Writing(latex, count, [FormulaRow(**row) for row in found]) for latex, count, found in parts.iter_rows()]


def members(collection: Collection, visual_id: str) -> pl.DataFrame:
    """The index rows that have a visual id now: given by the index and not changed, or given by the version."""
    types = parquet.schema(FormulaRow)
    index = collections.folder(collection, "formulas")
    given = parquet.frame(index, "visual_id", [visual_id], types)
    version = visual_ids.current(collection)
    if version is None:
        return given
    place = visual_ids.folder(version, "map")
    moved = parquet.frame(place, "formula_id", given["formula_id"], visual_ids.PAIRS)
    come = parquet.frame(place, "visual_id", [visual_id], visual_ids.PAIRS)
    stay = given.join(moved, on="formula_id", how="anti")
    return pl.concat([stay, parquet.frame(index, "formula_id", come["formula_id"], types)])


class NotMatching(NamedTuple):
    """A formula of which an assessor said that it does not look like the others of its unit. ``visual_id`` is the one
    that it has now."""

    topic_id: str
    unit_id: str
    formula_id: str
    latex: str
    visual_id: str
    comment: str
    assessor: str


def not_matching(campaign: Campaign) -> list[NotMatching]:
    """Over all pools and rounds, in the order of topics and units."""
    said = Judgment.objects.filter(instance__entry__pool__campaign=campaign, outcome=Outcome.NOT_MATCHING)
    marks = said.order_by("instance__entry__topic__number", "instance__entry__unit_id", "instance__doc_id", "pk")
    rows = list(
        marks.values_list(
            "instance__entry__topic__topic_id",
            "instance__entry__unit_id",
            "instance__doc_id",
            "comment",
            "assignment__assessor__username",
        )
    )
    found = visual_ids.units(campaign.collection, {row[2] for row in rows}) if campaign.collection and rows else None
    known = {} if found is None else {row["formula_id"]: row for row in found.iter_rows(named=True)}
    return [
        NotMatching(topic, unit, formula, row.get("latex", ""), row.get("visual_id", ""), comment, assessor)
        for topic, unit, formula, comment, assessor in rows
        for row in [known.get(formula, {})]
    ]


def partitions(version: VisualMap, first: int = 0, count: int | None = None) -> list[dict[str, Any]]:
    """The parts of the mixed clusters of a repair, cluster by cluster, the one that keeps the id first: the columns of
    ``ir.formulas.repair.PARTITION``, and latex."""
    rows = pl.scan_parquet(parquet.files(visual_ids.folder(version, "partitions")))
    return rows.slice(first, count).collect().to_dicts()


def count_partitions(version: VisualMap) -> int:
    return parquet.count(visual_ids.folder(version, "partitions"))


def moved_file(version: VisualMap) -> str:
    """Of every formula that a repair moves the old and the new visual id and the reason, tab-separated."""
    rows = pl.read_parquet(parquet.files(visual_ids.folder(version, "moved")))
    named = rows.select("formula_id", old_visual_id="old", new_visual_id="new", reason="reason")
    return named.write_csv(separator="\t", quote_style="never")
