"""The lists to fuse, as one table, and what every method returns: a ranking with falling scores."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from assess.ir.common.problems import refuse
from assess.ir.common.rows import Order
from assess.ir.runs.ranking import LIMIT, TOPIC_AND_UNIT, first_of_each_unit, place_in_topic

MOST_LISTS = 100

FUSED = ("topic_id", "rank", "doc_id", "score")
"""The columns of a fused run: ``rank`` from 1 on, at most ``LIMIT`` documents for each topic."""

LARGEST = 1e38
NOTHING = int(np.float32(2**-30).view(np.int32))
"""The bits of the smallest number that scores take, about 1e-9; nearer to 0 some programs read 0."""


class RankedList(NamedTuple):
    """A run to fuse: ``ranking`` as `ranking.order` and `ranking.resolve` make it, by the column ``order``."""

    name: str
    ranking: pl.DataFrame
    order: Order = "score"


class Lists(NamedTuple):
    """Lists in the order given. ``rows`` has the columns ``topic_id``, ``unit_id``, ``doc_id``, ``list`` (from 0),
    ``rank`` (from 1, among the units of the list) and ``score``."""

    names: Sequence[str]
    rows: pl.DataFrame


def stack(lists: Sequence[RankedList]) -> Lists:
    """The lists as one table. Raises BadInput unless there are 2 to ``MOST_LISTS``. Units are fused: of a visually
    distinct formula, the first instance counts, as in scoring. A document without a unit is one of its own. A list
    ordered by its rank column has no scores that mean anything, so it gets the negated ranks instead."""
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


def normalized() -> pl.Expr:
    """Scores scaled to [0, 1] by topic and list: (s - min) / (max - min) (Mansouri 2022, equation 5.1). If all scores
    of a topic are equal, they become 1: with 0 they would count as documents that the list lacks."""
    half = pl.col("score") / 2  # so that the largest range is a number
    low, high = (bound.over("topic_id", "list") for bound in (half.min(), half.max()))
    return pl.when(high > low).then((half - low) / (high - low)).otherwise(1.0)


class Fused(NamedTuple):
    """A fused run, and what is worth knowing about how it came out; ``facts`` can be written as JSON."""

    lines: pl.DataFrame
    facts: dict[str, Any]


class Method(ABC):
    """A way to fuse lists; ``takes_two``: exactly two, a first and a second."""

    takes_two: ClassVar[bool] = False

    def check(self, count: int) -> None:
        """Raises BadInput unless the method takes so many lists."""
        if self.takes_two and count != 2:
            raise refuse("", f"Choose exactly two runs, a first and a second ({count} chosen).")

    def fuse(self, lists: Lists) -> Fused:
        """The fused run. Raises BadInput for lists that don't fit."""
        self.check(len(lists.names))
        return self.fused(lists)

    @abstractmethod
    def fused(self, lists: Lists) -> Fused:
        """The same without the check."""


def first_by_keys(values: pl.DataFrame, *keys: str, ascending: tuple[str, ...] = ()) -> pl.DataFrame:
    """The first documents of each topic by these columns, descending except those named, with their ranks. The first
    column becomes the score."""
    descending = [False, *(key not in ascending for key in keys)]
    kept = values.sort("topic_id", *keys, descending=descending)
    kept = kept.with_columns(rank=place_in_topic(kept)).filter(pl.col("rank") <= LIMIT)
    return kept.with_columns(score=pl.col(keys[0]).cast(pl.Float64))


def with_falling_scores(ranked: pl.DataFrame) -> pl.DataFrame:
    """The ranking with scores that fall from document to document, so that no program reorders ties."""
    scores = [falling(topic["score"].to_numpy()) for topic in ranked.partition_by("topic_id", maintain_order=True)]
    return ranked.select(FUSED).with_columns(score=pl.Series(np.concatenate([*scores, []]), dtype=pl.Float32))


def falling(scores: Any) -> Any:
    """Scores in descending order, lowered where they are equal, each by no more than needed. They fall as 32-bit
    numbers, since that is what trec_eval compares: a score equal to the one before becomes the next smaller such
    number, and so on. Between -1e-9 and 1e-9 only 0 is used."""
    numbers = np.clip(scores, -LARGEST, LARGEST).astype(np.float32)
    # The place of each among the 32-bit numbers, with 0 at 0: the bits of a positive one count upwards.
    sizes = np.maximum(np.abs(numbers).view(np.int32).astype(np.int64) - NOTHING, 0)
    steps = np.arange(len(scores))
    places = np.minimum.accumulate(np.sign(numbers).astype(np.int64) * sizes + steps) - steps
    sizes = np.where(places == 0, 0, np.abs(places) + NOTHING).astype(np.int32).view(np.float32)
    return np.sign(places).astype(np.float32) * sizes
