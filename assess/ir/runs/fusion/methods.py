"""The methods of fusion, and all of them by name."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from math import inf
from typing import Any, Literal, NamedTuple

import polars as pl

from assess.ir.common.figures import percent
from assess.ir.common.options import check_options, option, options_in
from assess.ir.common.problems import refuse
from assess.ir.common.rows import Qrel
from assess.ir.runs.fusion.lists import Fused, Lists, Method, documents, first_by_keys, normalized, with_falling_scores
from assess.ir.runs.fusion.regression import TRAINED, Regression
from assess.ir.runs.ranking import LIMIT, TOPIC_AND_UNIT

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
    """The same with the score in place of the 1: the sum of score / (k + rank) (Mansouri 2022, equation 4.1)."""

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
        weights = enumerate(map(float, self.weights or [1] * len(lists.names)))
        weight = pl.col("list").replace_strict(dict(weights), return_dtype=pl.Float64)
        return by_sum(lists.rows, points_to_add(lists, self.normalization) * weight)


@dataclass(frozen=True, kw_only=True)
class Interpolation(Method):
    """alpha times the score of the first list plus (1 - alpha) times that of the second."""

    takes_two = True

    alpha: float = option(float, 0.5, "α", "The weight of the first run.", least=0, most=1)
    normalization: Normalization = NORMALIZATION(default="min-max")  # noqa: RUF009

    def fused(self, lists: Lists) -> Fused:
        return Sum(weights=[self.alpha, 1 - self.alpha], normalization=self.normalization).fused(lists)


def by_sum(rows: pl.DataFrame, points: pl.Expr) -> Fused:
    """The documents by the sum of their points; ties by id as text, descending, as in `ranking.order`."""
    # Added from the smallest up, so that the order of the lists does not matter.
    parts = rows.select(*TOPIC_AND_UNIT, points=points).sort(*TOPIC_AND_UNIT, "points")
    sums = parts.group_by(TOPIC_AND_UNIT, maintain_order=True).agg(value=pl.col("points").sum().round_sig_figs(DIGITS))
    values = sums.join(documents(rows), on=TOPIC_AND_UNIT)
    return Fused(with_falling_scores(first_by_keys(values, "value", "doc_id")), {})


def points_to_add(lists: Lists, normalization: Normalization) -> pl.Expr:
    """The scores to add up. Raises BadInput for a negative one: it would count less than a document that is missing."""
    points = normalized() if normalization == "min-max" else pl.col("score")
    negative = lists.rows.filter(points < 0)["list"]
    if len(negative):
        name = lists.names[int(negative.min())]  # type: ignore[arg-type]
        reason = "negative scores, or ranks only, which would count less than a document it lacks"
        raise refuse(name, f"{reason}: choose the normalization min-max")
    return points


LastKey = Literal["name", "list"]
KEYS = {"median": "median inverse rank", "frequency": "frequency", "striped": "striped inverse rank"}
LAST_KEYS = {"doc_id": "name", "origin": "list"}
"""The columns of the keys (M⁻¹, f and S⁻¹ in the paper) and of the last one, with their names."""


@dataclass(frozen=True, kw_only=True)
class RankEnsemble(Method):
    """Documents by median inverse rank, frequency, striped inverse rank and, last, ``last_key``, all descending. Ranks
    count from 0; a list that lacks the document counts 1000. The median inverse rank is (1000 - median) / 1000 over all
    lists, the frequency the number of lists that have the document. The striped inverse rank uses the rank in one of
    these lists: the n-th document of the topic by name, as text and from 0, uses list n modulo frequency. ``last_key``:
    the name as text, descending as in the published runs; or the index of that list, ascending, which interleaves the
    lists."""

    last_key: LastKey = option(
        str,
        "name",
        "Remaining ties by",
        choices={
            "name": "Document id, descending (as published)",
            "list": "The run it comes from, which interleaves them",
        },
    )

    def fused(self, lists: Lists) -> Fused:
        last = "origin" if self.last_key == "list" else "doc_id"
        values = sort_keys(lists)
        ranked = first_by_keys(values, *KEYS, last, ascending=("origin",))
        return Fused(with_falling_scores(ranked), {"tied": ties(ranked, last)})


def sort_keys(lists: Lists) -> pl.DataFrame:
    """The keys of every document, with ``origin``: the index of the list of its striped rank."""
    count = len(lists.names)
    ranks = pl.col("rank").cast(pl.Float64) - 1
    middle = [ranks.sort().get(place, null_on_oob=True).fill_null(LIMIT) for place in ((count - 1) // 2, count // 2)]
    units = lists.rows.sort("list").group_by(TOPIC_AND_UNIT, maintain_order=True)
    table = units.agg(
        median=(LIMIT - (middle[0] + middle[1]) / 2) / LIMIT, frequency=pl.len(), ranks=ranks, lists=pl.col("list")
    )
    table = table.join(documents(lists.rows), on=TOPIC_AND_UNIT)
    stripe = (pl.col("doc_id").rank("ordinal").over("topic_id") - 1) % pl.col("frequency")
    return table.with_columns(
        striped=(LIMIT - pl.col("ranks").list.get(stripe)) / LIMIT, origin=pl.col("lists").list.get(stripe)
    )


def ties(ranked: pl.DataFrame, last: str) -> dict[str, float]:
    """The percentage of ties left after each key: of the documents, those that are not told apart from another one,
    where each group of equal ones counts as one that is (as in MIRMU's Table 3)."""
    keys = ["topic_id"]
    tied = {}
    for key, name in (KEYS | {last: LAST_KEYS[last]}).items():
        keys.append(key)
        tied[name] = percent(len(ranked) - ranked.select(keys).n_unique(), len(ranked), 2)
    return tied


@dataclass(frozen=True, kw_only=True)
class Hybrid(Method):
    """For each topic the first ``top`` units of the first list, then those of the second that are not among them, at
    most 1,000 in all (MathDowsers 2022, section 4.3). The score is 1,001 minus the rank."""

    takes_two = True

    top: int = option(int, 500, "k", "Taken from the first run.", least=1, most=LIMIT)

    def fused(self, lists: Lists) -> Fused:
        is_first = pl.col("list") == 0
        chosen = lists.rows.filter(~is_first | (pl.col("rank") <= self.top)).sort("list", "rank")
        kept = chosen.unique(TOPIC_AND_UNIT, keep="first", maintain_order=True)
        ranked = first_by_keys(kept, "list", "rank", ascending=("list", "rank"))
        return Fused(with_falling_scores(ranked.with_columns(score=LIMIT + 1.0 - pl.col("rank"))), {})


class MethodKind(NamedTuple):
    """What people read of a method, and what makes it from its options."""

    label: str
    about: str
    options: Callable[..., Any]


METHODS = {
    "rrf": MethodKind("Reciprocal rank fusion", "The sum of 1 / (k + rank).", ReciprocalRank),
    "modified-rrf": MethodKind(
        "Modified reciprocal rank fusion", "The sum of score / (k + rank).", ModifiedReciprocalRank
    ),
    "ensemble": MethodKind(
        "MIRMU rank ensemble",
        "By the median of the ranks, then by the number of runs that have the document, then striped.",
        RankEnsemble,
    ),
    "hybrid": MethodKind(
        "Top-k hybrid", "The first k of the first run, then the second run without those. For two runs.", Hybrid
    ),
    "mean": MethodKind("Mean", "The mean of the scores, scaled to 0–1 for each topic.", Mean),
    "sum": MethodKind("Sum", "The sum of the scores, each times the weight of its run.", Sum),
    "interpolation": MethodKind(
        "Interpolation", "α times the score in the first run plus 1 − α times that in the second.", Interpolation
    ),
    TRAINED: MethodKind(
        "Regression on qrels", "The grade that a linear model predicts from scores and ranks.", Regression
    ),
}
OPTIONS = {name: option for kind in METHODS.values() for name, option in options_in(kind.options).items()}


def method(name: str, options: Mapping[str, Any], qrels: Collection[Qrel] = ()) -> Method:
    """The method with these options, and with its defaults for others; only regression needs ``qrels``. Raises
    BadInput for options that it does not take, or not with these values."""
    if unknown := sorted(set(options) - set(options_of(name))):
        takes = ", ".join(options_of(name)) or "no options"
        raise refuse(name, f"{', '.join(unknown)}: leave it out; this method takes {takes}")
    made: Method = METHODS[name].options(**options)
    check_options(made)
    return replace(made, qrels=qrels) if isinstance(made, Regression) else made


def options_used(made: Method) -> dict[str, Any]:
    """All options of a method, also those left at their defaults, for a record."""
    options = {each.name: getattr(made, each.name) for each in fields(made) if each.metadata}  # type: ignore[arg-type]
    return {name: value for name, value in options.items() if value not in ((), [])}


def options_of(name: str) -> list[str]:
    return list(options_in(METHODS[name].options))


def methods_with(option: str) -> list[str]:
    return [name for name in METHODS if option in options_of(name)]
