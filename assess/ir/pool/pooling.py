"""Pools: which retrieved documents are judged. The same for answers, formulas and written answers."""

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from assess.ir.campaign.protocol import Protocol
from assess.ir.common.rows import PRIORITIES, PoolLine, PoolRole, tie_break
from assess.ir.runs.ranking import LIMIT, RANKING, place_in_topic

WHOLE = 10**30
EQUAL = 10**12
SHARES = pl.Series([0, *((WHOLE + rank // 2) // rank for rank in range(1, LIMIT + 1))], dtype=pl.Int128)
"""1/rank in units of 1/WHOLE. Sums are whole numbers, the same in any order; the rounding error is below EQUAL
units, so that 1/3 + 1/6 ties with 1/2."""
DECIMALS = 12
ROUNDING = WHOLE // EQUAL // 10**DECIMALS
DOCUMENT = ["topic_id", "doc_id"]
UNIT = ["topic_id", "unit_id"]
HAS_UNIT = pl.col("unit_id") != ""


class PooledRun(NamedTuple):
    """``ranking``: its columns are ``RANKING``; ``written``: its answers were written for the topics, so all are
    pooled."""

    name: str
    role: PoolRole
    ranking: pl.DataFrame
    written: bool = False


def build_pool(runs: Sequence[PooledRun], protocol: Protocol, seed: int) -> list[PoolLine]:
    """The documents to judge, in the order of a pool. Each run brings in its prefix (``prefixes``). Of each unit at
    most ``max_instances`` documents are kept, by the protocol's rule: those with the most votes, or those brought in by
    the most runs (ARQMath-1); ties are broken at random by the seed. Votes are sums of reciprocal ranks over the whole
    lists, not only the pooled parts (ARQMath-2). A run that the protocol leaves out is not pooled and has no vote. The
    order of the runs does not matter."""
    documents = pooled_documents(runs, protocol, seed)
    is_crowded = pl.len().over(UNIT) > protocol.max_instances
    strength = "prefixes" if protocol.instance_rule == "most_runs" else "votes"
    chosen = first_of(documents.filter(is_crowded), protocol.max_instances, UNIT, strength, "doc_id", seed)
    rounded = (pl.col("votes") + ROUNDING // 2) // ROUNDING
    ordered = (
        pl.concat([documents.filter(~is_crowded), chosen])
        .with_columns(votes=rounded)
        .sort("topic_id", "votes", "unit_id", "doc_id", descending=[False, True, False, False])
    )
    rows = ordered.select("topic_id", "unit_id", "doc_id", "votes", "runs").iter_rows()
    return [PoolLine(topic, unit, doc, votes / 10**DECIMALS, runs) for topic, unit, doc, votes, runs in rows]


def pooled_documents(runs: Sequence[PooledRun], protocol: Protocol, seed: int) -> pl.DataFrame:
    """The documents of the pooled prefixes: topic_id, unit_id, doc_id, votes (in units of EQUAL/WHOLE), runs (how many
    retrieved it at any rank) and prefixes (how many brought it in)."""
    pooled = [run for run in runs if run.role not in protocol.left_out]
    documents = (
        pl.concat([RANKING.to_frame(), *prefixes(pooled, protocol)])
        .group_by(DOCUMENT)
        .agg(pl.col("unit_id").first(), prefixes=pl.len())
        .sort(DOCUMENT)
        .with_row_index("place")
    )
    retrieved = pl.concat([RANKING.to_frame(), *(run.ranking for run in pooled)]).lazy()
    shares = retrieved.join(documents.lazy(), on=DOCUMENT).select("rank", "place").collect()
    shares = shares.with_columns(share=SHARES.gather(shares["rank"]))
    counted = shares.group_by("place").agg(votes=pl.col("share").sum(), runs=pl.len())
    counted = counted.with_columns(votes=(pl.col("votes") + EQUAL // 2) // EQUAL)
    voted = documents.join(counted, on="place").select(*UNIT, "doc_id", "votes", "runs", "prefixes")
    if protocol.pool_rule != "votes":
        return voted
    units = voted.group_by(UNIT).agg(pl.col("votes").sum())
    most_voted = first_of(units, protocol.pool_size, "topic_id", "votes", "unit_id", seed)
    return voted.join(most_voted, on=UNIT, how="semi")


def prefixes(runs: Sequence[PooledRun], protocol: Protocol) -> list[pl.DataFrame]:
    """The part of each ranking that is pooled by the protocol's rule, without documents that have no unit. ``depth``:
    each topic's list down to the first instance of the k-th different unit, with k by the run's role; the whole list if
    there are fewer (ARQMath). ``rank_by_rank``: one rank at a time over all runs, until the topic has at least
    ``pool_size`` different units (NTCIR-10). ``votes``: everything, from which the units with the most votes are then
    chosen."""
    if protocol.pool_rule == "depth":
        return [prefix(run.ranking, depth(run, protocol)) for run in runs]
    ranked = [run.ranking.filter(HAS_UNIT) for run in runs]
    if protocol.pool_rule == "votes":
        return ranked
    # The first rank at which the runs together have so many different units, else the last possible rank.
    firsts = pl.concat([RANKING.to_frame(), *ranked]).group_by(UNIT).agg(pl.col("rank").min()).sort("topic_id", "rank")
    nth = pl.col("rank").get(protocol.pool_size - 1, null_on_oob=True)
    last = firsts.group_by("topic_id").agg(last=nth.fill_null(LIMIT))
    return [
        ranking.join(last, on="topic_id").filter(pl.col("rank") <= pl.col("last")).select(RANKING.names())
        for ranking in ranked
    ]


def depth(run: PooledRun, protocol: Protocol) -> int:
    """How many different units of the run are pooled for each topic; all for a run of written answers."""
    if run.written:
        return LIMIT
    return protocol.primary_depth if run.role in ("primary", PRIORITIES[0]) else protocol.alternate_depth


def prefix(ranking: pl.DataFrame, depth: int) -> pl.DataFrame:
    """Each topic's list down to the first instance of the ``depth``-th different unit."""
    if (ranking["unit_id"] == ranking["doc_id"]).all():
        return ranking.filter(place_in_topic(ranking) <= depth)
    is_new = pl.col("unit_id").is_first_distinct().cast(pl.UInt32)
    return ranking.filter(HAS_UNIT).filter((is_new.cum_sum() - is_new).over("topic_id") < depth)


def first_of(rows: pl.DataFrame, size: int, by: str | list[str], strength: str, name: str, seed: int) -> pl.DataFrame:
    """The ``size`` strongest rows of each group; ties are broken by the seed and the name."""
    ties = [tie_break(seed, topic_id, named) for topic_id, named in rows.select("topic_id", name).iter_rows()]
    ordered = rows.with_columns(tie=pl.Series(ties, dtype=pl.Binary)).sort(strength, "tie", descending=[True, False])
    return ordered.filter(pl.int_range(pl.len()).over(by) < size).drop("tie")


def unit_sizes(runs: Sequence[PooledRun], protocol: Protocol, seed: int) -> pl.DataFrame:
    """The units of the pool that these runs, all with a role, would make: topic_id, unit_id, documents (to judge). It
    counts no votes, which only choose the instances of a unit, unless they choose the units."""
    if protocol.pool_rule == "votes":
        documents = pooled_documents(runs, protocol, seed)
    else:
        documents = pl.concat([RANKING.to_frame(), *prefixes(runs, protocol)]).unique(DOCUMENT)
    return documents.group_by(UNIT).agg(documents=pl.len().clip(upper_bound=protocol.max_instances))
