"""The top of one run, then another."""

from dataclasses import dataclass

import polars as pl

from assess.ir.common.options import option
from assess.ir.common.problems import refuse
from assess.ir.runs.fusion.lists import Lists
from assess.ir.runs.fusion.results import Fused, Method, first_by_keys, with_falling_scores
from assess.ir.runs.fusion.sums import refuse_other_than_two
from assess.ir.runs.judged import TOPIC_AND_UNIT
from assess.ir.runs.ranking import LIMIT


@dataclass(frozen=True, kw_only=True)
class Hybrid(Method):
    """For each topic the first ``top`` units of the first list, then those of the second that are not among them, at
    most 1,000 in all (MathDowsers 2022, section 4.3). The score is 1,001 minus the rank."""

    top: int = option(
        int,
        500,
        "k",
        "Taken from the first run.",
        lambda top: f"the first {top:,} document{'' if top == 1 else 's'} of the first run",
        least=1,
        most=LIMIT,
    )

    def check(self, count: int) -> None:
        refuse_other_than_two(count)
        if not 1 <= self.top <= LIMIT:
            raise refuse("top", f"{self.top}: it must be from 1 to {LIMIT:,}")

    def fused(self, lists: Lists) -> Fused:
        is_first = pl.col("list") == 0
        chosen = lists.rows.filter(~is_first | (pl.col("rank") <= self.top)).sort("list", "rank")
        kept = chosen.unique(TOPIC_AND_UNIT, keep="first", maintain_order=True)
        ranked = first_by_keys(kept, "list", "rank", ascending=("list", "rank"))
        return Fused(with_falling_scores(ranked.with_columns(score=LIMIT + 1.0 - pl.col("rank"))), {})
