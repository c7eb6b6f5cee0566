"""The rank ensemble of MIRMU (Novotný, Sojka, Štefánik and Lupták, CLEF 2020, section 7), which has no parameters."""

from dataclasses import dataclass
from typing import Literal

import polars as pl

from assess.ir.common.options import option
from assess.ir.common.percent import percent
from assess.ir.runs.fusion.lists import Fused, Lists, Method, documents, first_by_keys, with_falling_scores
from assess.ir.runs.judged import TOPIC_AND_UNIT
from assess.ir.runs.ranking import LIMIT

LastKey = Literal["name", "list"]
KEYS = ("median", "frequency", "striped")
"""Median inverse rank M⁻¹, frequency f, striped inverse rank S⁻¹."""


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
    for key in (*KEYS, last):
        keys.append(key)
        tied[NAMES[key]] = percent(len(ranked) - ranked.select(keys).n_unique(), len(ranked), 2)
    return tied


NAMES = {
    "median": "median inverse rank",
    "frequency": "frequency",
    "striped": "striped inverse rank",
    "doc_id": "name",
    "origin": "list",
}
