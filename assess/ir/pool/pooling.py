"""Pools: which retrieved documents are judged, the same for answers, formulas and written answers; and what each run
and each team brings in."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import polars as pl

from assess.ir.campaign.protocol import Protocol
from assess.ir.common.figures import percent
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
TOP = 10
"""The first ten units of a pooled run should all be judged (P'@10)."""
NO_ROWS = pl.DataFrame(schema=dict.fromkeys([*UNIT, "doc_id"], pl.String) | {"run": pl.Int32})


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


class PoolContribution(NamedTuple):
    """What a run or a team brings into the pool: its units, the unique ones among them, and of the first ten units of
    each of its lists how many there are and how many are pooled."""

    name: str
    units: int
    unique: int
    top: int
    judged: int

    @property
    def is_judged(self) -> bool:
        return self.judged == self.top

    @property
    def percent(self) -> float | None:
        """Judged@10 as a percentage, 100 only if all are judged; None for a run without results."""
        return percent(self.judged, self.top) if self.top else None


class Brought(NamedTuple):
    """What runs bring into a pool: columns run (its number), topic_id, unit_id, doc_id; and the first ten of each of
    their lists: columns run, topic_id, unit_id, is_pooled (or null)."""

    documents: pl.DataFrame
    top: pl.DataFrame


def brought_into(in_pool: pl.DataFrame, runs: Sequence[PooledRun], protocol: Protocol) -> Brought:
    """What these runs bring into a pool with these units (columns topic_id, unit_id)."""
    first_ten = replace(protocol, pool_rule="depth", primary_depth=TOP, alternate_depth=TOP)
    top = rows_of_runs(prefixes(runs, first_ten)).drop("doc_id").unique()
    top = top.join(in_pool.with_columns(is_pooled=True), on=UNIT, how="left")
    return Brought(rows_of_runs(prefixes(runs, protocol)).join(in_pool, on=UNIT, how="semi"), top)


def rows_of_runs(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    numbered = (part.select(*UNIT, "doc_id", run=pl.lit(run, pl.Int32)) for run, part in enumerate(parts))
    return pl.concat([NO_ROWS, *numbered])


def count_contributions(brought: Brought, names: Sequence[str]) -> list[PoolContribution]:
    """What each name brings in, in the order of first occurrence. ``names``: of the runs or of their teams, which may
    repeat."""
    named = pl.DataFrame({"run": range(len(names)), "name": names}, schema={"run": pl.Int32, "name": pl.String})
    units = brought.documents.join(named, on="run").unique(["name", *UNIT])
    units = units.with_columns(is_unique=pl.len().over(UNIT) == 1)
    of_units = units.group_by("name").agg(units=pl.len(), unique=pl.col("is_unique").sum())
    top = brought.top.join(named, on="run").group_by("name").agg(top=pl.len(), judged=pl.col("is_pooled").count())
    counted = named.select("name").unique(maintain_order=True)
    for counts in (of_units, top):
        counted = counted.join(counts, on="name", how="left", maintain_order="left")
    return [PoolContribution(*row) for row in counted.fill_null(0).iter_rows()]


def overlap_of_runs(brought: Brought, count: int) -> list[list[float | None]]:
    """For each run (row) the share of its units that another run (column) brings in too; None if it brings in
    nothing. ``count``: the number of runs."""
    units = brought.documents.select("run", *UNIT).unique()
    pairs = units.join(units, on=UNIT, suffix="_other").group_by("run", "run_other").len()
    common = {(run, other): number for run, other, number in pairs.iter_rows()}
    sizes = [common.get((run, run), 0) for run in range(count)]
    numbers = range(count)
    return [[common.get((run, other), 0) / sizes[run] if sizes[run] else None for other in numbers] for run in numbers]


def count_crowded(brought: Brought, protocol: Protocol) -> int:
    """How many units have more documents than are judged."""
    sizes = brought.documents.group_by(UNIT).agg(size=pl.col("doc_id").n_unique())
    return len(sizes.filter(pl.col("size") > protocol.max_instances))
