"""How much of a run is judged, and how relevant it is, from the top of its rankings down to rank 1,000."""

from typing import NamedTuple

import numpy as np
import polars as pl

from assess.ir.common.rows import Order
from assess.ir.runs.ranking import LIMIT, TOPIC_AND_UNIT, JudgedUnits, by_unit

FIRSTS = (1, 2, 3, 4, 5, 7, 10, 14, 20, 28, 40, 56, 80, 112, 160, 224, 320, 448, 640)
"""The first rank of each band: bands are about equally wide on a logarithmic axis."""


class Band(NamedTuple):
    """Ranks ``first`` to ``last`` of all topics together: how many ``units`` are there, how many of them are
    ``judged``, and the sum of their ``grades``."""

    first: int
    last: int
    units: int
    judged: int
    grades: int

    @property
    def share(self) -> float:
        return self.judged / self.units

    @property
    def relevance(self) -> float | None:
        """The mean grade of those judged; None without any."""
        return self.grades / self.judged if self.judged else None


def rank_profile(ranking: pl.DataFrame, qrels: JudgedUnits, by: Order = "score") -> list[Band]:
    """The bands of a run over the topics of the qrels, without those that hold no unit. Formulas count once, at the
    first instance of each visual id. (MIRMU plotted judged and mean relevance by rank for ARQMath-1.)"""
    units = by_unit(ranking.filter(pl.col("topic_id").is_in(list(qrels.by_topic))), by)
    band = np.searchsorted(FIRSTS, units["rank"].to_numpy(), side="right") - 1
    graded = units.with_columns(band=pl.Series(band)).join(qrels.units, on=TOPIC_AND_UNIT, how="left")
    is_judged = pl.col("grade").is_not_null()
    bands = graded.group_by("band").agg(units=pl.len(), judged=is_judged.sum(), grades=pl.col("grade").sum())
    lasts = [*(first - 1 for first in FIRSTS[1:]), LIMIT]
    return [Band(FIRSTS[at], lasts[at], *sizes) for at, *sizes in bands.sort("band").iter_rows()]
