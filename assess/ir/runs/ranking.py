"""Qrels, how a run is ordered, and what is removed from its ranking before it is scored. Runs are polars columns: a
lab's runs have five million rows."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property

import numpy as np
import polars as pl

from assess.ir.common.rows import Order, Qrel, RunLine, nested

TOPIC_AND_UNIT = ["topic_id", "unit_id"]


class JudgedUnits(list[Qrel]):
    """Qrels with the forms in which they are looked up; each is made when it is first needed."""

    @classmethod
    def of(cls, qrels: Collection[Qrel]) -> JudgedUnits:
        """The qrels themselves if they are prepared, so that functions can take both."""
        return qrels if isinstance(qrels, JudgedUnits) else cls(qrels)

    @cached_property
    def units(self) -> pl.DataFrame:
        """The judged units, with the columns ``topic_id``, ``unit_id`` and ``grade``, 0 for negative ones."""
        schema = {"topic_id": pl.String, "unit_id": pl.String, "grade": pl.Int64}
        return pl.DataFrame(list(self), schema=schema, orient="row").with_columns(pl.col("grade").clip(0))

    @cached_property
    def by_topic(self) -> dict[str, dict[str, int]]:
        """The grades by topic and unit. Negative ones (spam) count 0: trec_eval takes them for unjudged."""
        return dict(nested((topic_id, unit_id, max(grade, 0)) for topic_id, unit_id, grade in self))

    @cached_property
    def engines(self) -> dict[object, object]:
        """trec_eval with these qrels, by measures and options; `scores.measures` makes them."""
        return {}


LIMIT = 1000
"""Documents that count for each topic. The labs cut here first, then remove unjudged documents."""

LINES = pl.Schema(
    {
        "topic_id": pl.String,
        "doc_id": pl.String,
        "rank": pl.Int64,
        "score": pl.Float64,
        "tag": pl.String,
        "post_id": pl.String,
        "text": pl.String,
    }
)
"""The columns of a run file: one row for each ``RunLine``, in the order of the file."""

RANKING = pl.Schema(
    {"topic_id": pl.String, "rank": pl.Int32, "doc_id": pl.String, "unit_id": pl.String, "score": pl.Float64}
)
"""The columns of a ranking, topic by topic: ``rank`` is 1-based, ``unit_id`` what is judged and scored, empty if the
document has none (a formula that the index lacks)."""


def as_lines(rows: Iterable[RunLine]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=LINES, orient="row")


def order(lines: pl.DataFrame, by: Order = "score") -> pl.DataFrame:
    """The ranking of a run, topic by topic: at most ``LIMIT`` documents each, ``rank`` from 1 without gaps. By score
    descending, as trec_eval does (it ignores the rank column), or by the rank column ascending; ties by document id as
    text, descending. If a document is repeated in a topic, its first line counts. ``unit_id`` is the document itself
    until ``resolve`` sets it. Scores are compared in full precision; trec_eval rounds them to 32 bits first, so scores
    that differ in the eighth digit tie there."""
    ranking = lines.select("topic_id", "doc_id", "rank", "score")  # texts and tags would be sorted along
    is_first = ranking.select(pl.struct("topic_id", "doc_id").is_first_distinct()).to_series()  # faster than `unique`
    ranking = ranking if is_first.all() else ranking.filter(is_first)
    ranking = ranking.sort("topic_id", by, "doc_id", descending=[False, by == "score", True])
    rank = place_in_topic(ranking)
    ranking = ranking.with_columns(rank=rank, unit_id="doc_id").select(RANKING.names())
    return ranking.filter(rank <= LIMIT) if (rank > LIMIT).any() else ranking


def place_in_topic(rows: pl.DataFrame) -> pl.Series:
    """1, 2, 3 … within each topic. The rows must be grouped by topic."""
    lengths = rows["topic_id"].rle().struct.field("len").to_numpy().astype(np.int64)
    before = np.repeat(lengths.cumsum() - lengths, lengths)
    return pl.Series(np.arange(1, len(rows) + 1) - before, dtype=pl.Int32)


def resolve(ranking: pl.DataFrame, units: Mapping[str, str] | None) -> pl.DataFrame:
    """The ranking with the unit of each document: its visual id by the map (formula id -> visual id), empty if the
    map lacks the document; without a map, the document itself."""
    if units is None:
        return ranking.with_columns(unit_id="doc_id")
    table = pl.DataFrame(list(units.items()), schema={"doc_id": pl.String, "unit_id": pl.String}, orient="row")
    return with_units(ranking, table)


def with_units(ranking: pl.DataFrame, units: pl.DataFrame) -> pl.DataFrame:
    """The same for a map with the columns ``doc_id`` (unique) and ``unit_id``."""
    joined = ranking.drop("unit_id").join(units, on="doc_id", how="left", maintain_order="left")
    return joined.with_columns(pl.col("unit_id").fill_null("")).select(RANKING.names())


def first_of_each_unit(ranking: pl.DataFrame) -> pl.DataFrame:
    """The highest-ranked document of each unit; documents without a unit are skipped."""
    return ranking.filter(pl.col("unit_id") != "").unique(TOPIC_AND_UNIT, keep="first", maintain_order=True)


def judged_only(ranking: pl.DataFrame, qrels: Collection[Qrel]) -> pl.DataFrame:
    """The prime (′) of a measure: the ranking without unjudged units (Sakai and Kando 2008)."""
    return ranking.join(JudgedUnits.of(qrels).units, on=TOPIC_AND_UNIT, how="semi", maintain_order="left")


def by_unit(ranking: pl.DataFrame, by: Order = "score") -> pl.DataFrame:
    """The first document of each unit, with new ranks. Ties in score go by unit id, descending, because trec_eval sees
    units, not documents. A ranking by the rank column keeps its order."""
    firsts = first_of_each_unit(ranking)
    if by == "score":
        firsts = firsts.sort("topic_id", "score", "unit_id", descending=[False, True, True])
    return firsts.with_columns(rank=place_in_topic(firsts))


def prime(ranking: pl.DataFrame, qrels: Collection[Qrel], by: Order = "score") -> pl.DataFrame:
    """The ranking to score: `by_unit` of the judged units only."""
    return by_unit(judged_only(ranking, qrels), by)  # most rows go at once


def as_points(ranking: pl.DataFrame) -> dict[str, dict[str, float]]:
    """Our order as falling scores, by topic and unit. The rows of a topic are put in together: that is faster."""
    points: defaultdict[str, dict[str, float]] = defaultdict(dict)
    units, scores = ranking["unit_id"].to_list(), (-ranking["rank"].cast(pl.Float64)).to_list()
    start = 0
    for length, topic_id in ranking["topic_id"].rle().struct.unnest().iter_rows():
        points[topic_id].update(zip(units[start : start + length], scores[start : start + length], strict=True))
        start += length
    return points


def pack(ranking: pl.DataFrame) -> bytes:
    """A ranking as compressed Parquet, for a database field."""
    target = io.BytesIO()
    ranking.write_parquet(target, compression="zstd", compression_level=1)
    return target.getvalue()


def unpack(data: bytes) -> pl.DataFrame:
    return pl.read_parquet(data)
