"""The lists to fuse, as one table."""

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from assess.ir.common.problems import refuse
from assess.ir.common.rows import Order
from assess.ir.runs.judged import TOPIC_AND_UNIT
from assess.ir.runs.ranking import first_of_each_unit, place_in_topic

MOST_LISTS = 100


class RankedList(NamedTuple):
    """A run to fuse: ``ranking`` is as `ranking.order` and `ranking.resolve` make it, ``order`` the column that
    set it."""

    name: str
    ranking: pl.DataFrame
    order: Order = "score"


class Lists(NamedTuple):
    """Lists in the order given. ``rows`` has the columns ``topic_id``, ``unit_id``, ``doc_id``, ``list`` (from 0),
    ``rank`` (from 1, among the units of the list) and ``score``."""

    names: Sequence[str]
    rows: pl.DataFrame

    @property
    def indexes(self) -> range:
        return range(len(self.names))


def stack(lists: Sequence[RankedList]) -> Lists:
    """The lists as one table. Raises BadInput unless there are 2 to ``MOST_LISTS``.

    Units are fused: of a visually distinct formula, the first instance counts, as in scoring. A document without a
    unit is one of its own. A list ordered by its rank column has no scores that mean anything, so it gets the negated
    ranks instead.
    """
    if not 2 <= len(lists) <= MOST_LISTS:
        raise refuse("", f"Choose 2 to {MOST_LISTS} runs ({len(lists)} chosen).")
    rows = pl.concat([list_rows(item, index) for index, item in enumerate(lists)])
    return Lists([item.name for item in lists], rows)


def list_rows(item: RankedList, index: int) -> pl.DataFrame:
    # The mark keeps a formula without visual id apart from a visual id that reads like its number.
    unit = pl.when(pl.col("unit_id") == "").then(pl.concat_str(pl.lit("?"), "doc_id")).otherwise("unit_id")
    kept = first_of_each_unit(item.ranking.with_columns(unit_id=unit))
    kept = kept.with_columns(rank=place_in_topic(kept), list=pl.lit(index, pl.Int32))
    score = pl.col("score") if item.order == "score" else -pl.col("rank").cast(pl.Float64)
    return kept.select("topic_id", "unit_id", "doc_id", "list", "rank", score=score)


def documents(rows: pl.DataFrame) -> pl.DataFrame:
    """The document of each unit: the one that a list ranks highest; of several, that of the first list."""
    best = rows.sort("rank", "list").unique(TOPIC_AND_UNIT, keep="first", maintain_order=True)
    return best.select(*TOPIC_AND_UNIT, "doc_id")
