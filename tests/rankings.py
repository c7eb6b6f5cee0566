"""Rankings as rows, for tests small enough to check by eye."""

from collections.abc import Iterable
from typing import NamedTuple

import polars as pl

from assess.ir.runs.ranking import RANKING


class Retrieved(NamedTuple):
    """A row of a ranking."""

    topic_id: str
    rank: int
    doc_id: str
    unit_id: str
    score: float


def listed(documents: Iterable[str], topic: str = "A.1") -> list[Retrieved]:
    """A topic's list of "doc" or "doc:unit", best first."""
    pairs = ((document.split(":") * 2)[:2] for document in documents)
    return [Retrieved(topic, rank, doc, unit, -rank) for rank, (doc, unit) in enumerate(pairs, start=1)]


def as_ranking(rows: Iterable[Retrieved]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=RANKING, orient="row")


def as_rows(ranking: pl.DataFrame) -> list[Retrieved]:
    return list(map(Retrieved._make, ranking.iter_rows()))
