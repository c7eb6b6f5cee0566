"""Methods that add up points, list by list."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Literal

import polars as pl

from assess.ir.common.options import option
from assess.ir.common.problems import refuse
from assess.ir.runs.fusion.lists import Fused, Lists, Method, documents, first_by_keys, with_falling_scores
from assess.ir.runs.judged import TOPIC_AND_UNIT

DIGITS = 12
"""Sums are rounded to so many digits before they are compared, so that equal ones tie on every machine."""

Normalization = Literal["min-max", "none"]


NORMALIZATION = partial(
    option,
    str,
    label="Scores",
    help="Usual: as they are for modified reciprocal rank fusion, scaled for the others.",
    choices={"": "As usual for the method", "min-max": "Scaled to 0–1 for each topic", "none": "As they are"},
)


@dataclass(frozen=True, kw_only=True)
class ReciprocalRank(Method):
    """Reciprocal rank fusion: the sum of 1 / (k + rank) over the lists that have the document, with ranks from 1
    (Cormack, Clarke and Buettcher, SIGIR 2009)."""

    k: float = option(float, 60, "k", "Added to each rank, from 1.", least=0, most=1e9)

    def fused(self, lists: Lists) -> Fused:
        return by_sum(lists.rows, 1 / (self.k + pl.col("rank")))


@dataclass(frozen=True, kw_only=True)
class ModifiedReciprocalRank(ReciprocalRank):
    """The same with the score in place of the 1: the sum of score / (k + rank) (Mansouri 2022, equation 4.1), by
    default of the scores as they are."""

    normalization: Normalization = NORMALIZATION(default="none")  # noqa: RUF009

    def fused(self, lists: Lists) -> Fused:
        points = points_to_add(lists, self.normalization)
        return by_sum(lists.rows, points / (self.k + pl.col("rank")))


@dataclass(frozen=True, kw_only=True)
class Mean(Method):
    """The mean of scores normalized by topic; a list that lacks the document counts 0 (ARQMath-3 overview, 4.3)."""

    def fused(self, lists: Lists) -> Fused:
        return by_sum(lists.rows, normalized() / len(lists.names))


@dataclass(frozen=True, kw_only=True)
class Sum(Method):
    """The sum of scores, each times the weight of its list (1 if no weights are given)."""

    weights: Sequence[float] = option(float, (), help="One for each run, in their order.", is_list=True)
    normalization: Normalization = NORMALIZATION(default="min-max")  # noqa: RUF009

    def check(self, count: int) -> None:
        if not self.weights:
            return
        if len(self.weights) != count:
            raise refuse("weights", f"{len(self.weights)} for {count} runs: give one for each, in their order")
        if not all(0 <= weight < inf for weight in self.weights) or not any(self.weights):
            raise refuse("weights", "each must be a number from 0 up, and one of them more than 0")

    def fused(self, lists: Lists) -> Fused:
        return weighted_sum(lists, self.weights or [1] * len(lists.names), self.normalization)


@dataclass(frozen=True, kw_only=True)
class Interpolation(Method):
    """alpha times the score of the first list plus (1 - alpha) times that of the second."""

    takes_two = True

    alpha: float = option(float, 0.5, "α", "The weight of the first run.", least=0, most=1)
    normalization: Normalization = NORMALIZATION(default="min-max")  # noqa: RUF009

    def fused(self, lists: Lists) -> Fused:
        return weighted_sum(lists, [self.alpha, 1 - self.alpha], self.normalization)


def weighted_sum(lists: Lists, weights: Sequence[float], normalization: Normalization) -> Fused:
    points = points_to_add(lists, normalization)
    weight = pl.col("list").replace_strict(dict(enumerate(map(float, weights))), return_dtype=pl.Float64)
    return by_sum(lists.rows, points * weight)


def by_sum(rows: pl.DataFrame, points: pl.Expr) -> Fused:
    """The documents by the sum of their points; ties by id as text, descending, as in `ranking.order`."""
    # Added from the smallest up, so that the order of the lists does not matter.
    parts = rows.select(*TOPIC_AND_UNIT, points=points).sort(*TOPIC_AND_UNIT, "points")
    sums = parts.group_by(TOPIC_AND_UNIT, maintain_order=True).agg(value=pl.col("points").sum().round_sig_figs(DIGITS))
    values = sums.join(documents(rows), on=TOPIC_AND_UNIT)
    return Fused(with_falling_scores(first_by_keys(values, "value", "doc_id")), {})


def points_to_add(lists: Lists, normalization: Normalization) -> pl.Expr:
    """The scores to add up. Raises BadInput for a negative one: it would count less than a document that the list
    lacks."""
    points = normalized() if normalization == "min-max" else pl.col("score")
    negative = lists.rows.filter(points < 0)["list"]
    if len(negative):
        name = lists.names[int(negative.min())]  # type: ignore[arg-type]
        reason = "negative scores, or ranks only, which would count less than a document it lacks"
        raise refuse(name, f"{reason}: choose the normalization min-max")
    return points


def normalized() -> pl.Expr:
    """Scores scaled to [0, 1] by topic and list: (s - min) / (max - min) (Mansouri 2022, equation 5.1). If all scores
    of a topic are equal, this is undefined. Its documents then get 1: with 0 they would count as documents that the
    list lacks."""
    half = pl.col("score") / 2  # so that the largest range is a number
    low, high = (bound.over("topic_id", "list") for bound in (half.min(), half.max()))
    return pl.when(high > low).then((half - low) / (high - low)).otherwise(1.0)
