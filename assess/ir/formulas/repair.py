"""The repair of visual ids, as for ARQMath-3: split ids whose formulas differ, keep as many ids as possible."""

from typing import NamedTuple

import polars as pl

KEPT = "keeps the id"
JOINED = "joins an id that looks the same"
NEW = "new id"

MEMBERS = {"formula_id": pl.String, "visual_id": pl.String, "key": pl.UInt32, "relevance": pl.Int64}
"""What a repair needs for each formula: its current id, the number of its key, the sum of its grades (0: unjudged)."""

PARTITION = ("visual_id", "new_id", "reason", "instances", "relevance", "lowest", "key")

_CLUSTER = ("visual_id", "key")


class Repair(NamedTuple):
    """``partitions``: every part of a mixed cluster: visual_id (the old one), new_id, reason, instances, relevance (sum
    of grades), lowest (formula id), key. ``moved``: formula_id and new visual_id of each formula that changes."""

    partitions: pl.DataFrame
    moved: pl.DataFrame


def repair(members: pl.DataFrame) -> Repair:
    """Split every visual id whose formulas differ in their key (S1:93 of the ARQMath-3 overview). The largest part
    keeps the id; ties go to the largest sum of grades, then to the lowest formula id. Every other part joins an
    existing id that keeps a part with the same key (the largest, then the one with the lowest formula id); otherwise it
    gets a new id: the next numbers, in the order of the parts' lowest formula ids. Parts with the same key from
    different clusters get the same id. ``members`` has the columns of MEMBERS."""
    parts = partitions(_concerned(members)).with_row_index("rank")
    parts = parts.with_columns(
        mixed=pl.len().over("visual_id") > 1, stays=pl.int_range(pl.len()).over("visual_id") == 0
    )
    homes = parts.filter("stays").unique("key", keep="first", maintain_order=True)
    mixed = parts.filter("mixed").join(homes.select("key", home="visual_id"), on="key", how="left")
    fresh = new_ids(mixed.filter(~pl.col("stays"), pl.col("home").is_null()), members["visual_id"])
    moves = pl.when(pl.col("home").is_null()).then(pl.lit(NEW)).otherwise(pl.lit(JOINED))
    mixed = mixed.join(fresh, on="key", how="left").with_columns(
        new_id=pl.when("stays").then("visual_id").otherwise(pl.coalesce("home", "fresh")),
        reason=pl.when("stays").then(pl.lit(KEPT)).otherwise(moves),
    )
    mixed = mixed.sort(_id_order("visual_id"), "visual_id", "rank", nulls_last=True)
    changed = mixed.filter(~pl.col("stays")).select(*_CLUSTER, "new_id")
    moved = members.join(changed, on=_CLUSTER, maintain_order="left")
    return Repair(mixed.select(PARTITION), moved.select("formula_id", visual_id="new_id"))


def assign(formulas: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """A visual id for each formula (formula_id, key): the one that ``known`` (key, visual_id) has for its key, else a
    new one, numbered in the order of the formula ids. Columns: formula_id, visual_id."""
    homes = known.unique("key", keep="first", maintain_order=True)
    numbered = formulas.with_columns(number=_id_order("formula_id"), lowest="formula_id")
    fresh = new_ids(numbered.join(homes, on="key", how="anti"), known["visual_id"])
    assigned = formulas.join(homes, on="key", how="left", maintain_order="left").join(
        fresh, on="key", how="left", maintain_order="left"
    )
    return assigned.select("formula_id", visual_id=pl.coalesce("visual_id", "fresh"))


def _concerned(members: pl.DataFrame) -> pl.DataFrame:
    """The formulas of mixed ids, and formulas of other ids that look like one of them: few among millions."""
    keys = members.group_by("visual_id").agg(low=pl.min("key"), high=pl.max("key"))
    mixed = keys.filter(pl.col("low") != pl.col("high"))["visual_id"]
    is_mixed = members["visual_id"].is_in(mixed.implode())
    return members.filter(is_mixed | members["key"].is_in(members["key"].filter(is_mixed).unique().implode()))


def partitions(members: pl.DataFrame) -> pl.DataFrame:
    """Each combination of visual id and key, the strongest of each id first: most instances, then highest sum of
    grades, then lowest formula id."""
    numbered = members.with_columns(number=_id_order("formula_id"))
    parts = numbered.group_by(_CLUSTER).agg(
        instances=pl.len(),
        relevance=pl.sum("relevance"),
        number=pl.min("number"),
        lowest=pl.col("formula_id").sort_by("number", "formula_id", nulls_last=True).first(),
    )
    order = ("instances", "relevance", "number", "lowest")
    return parts.sort(order, descending=(True, True, False, False), nulls_last=True)


def new_ids(parts: pl.DataFrame, taken: pl.Series) -> pl.DataFrame:
    """An unused id for each key: numbers after the highest one, in the order of the lowest formula ids."""
    highest = taken.cast(pl.Int64, strict=False).max()
    first = 1 + (highest if isinstance(highest, int) else 0)
    keys = parts.sort("number", "lowest", nulls_last=True).unique("key", keep="first", maintain_order=True)
    return keys.select("key", fresh=pl.int_range(first, first + pl.len()).cast(pl.String))


def _id_order(column: str) -> pl.Expr:
    """The id as a number; null, which sorts last, for other ids."""
    return pl.col(column).cast(pl.Int64, strict=False)
