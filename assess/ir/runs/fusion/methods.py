"""The methods by name."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import polars as pl

from assess.ir.common.options import check_options, option, options_in
from assess.ir.common.problems import refuse
from assess.ir.common.rows import Qrel
from assess.ir.runs.fusion.ensemble import RankEnsemble
from assess.ir.runs.fusion.lists import Fused, Lists, Method, first_by_keys, with_falling_scores
from assess.ir.runs.fusion.regression import TRAINED, Regression
from assess.ir.runs.fusion.sums import Interpolation, Mean, ModifiedReciprocalRank, ReciprocalRank, Sum
from assess.ir.runs.judged import TOPIC_AND_UNIT
from assess.ir.runs.ranking import LIMIT


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
