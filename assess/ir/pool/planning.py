"""The size and contents of a pool before it is built, for every depth at once.

A pool has one or two dials: the depths of primary and alternate runs, or the number of units of each topic.
``PoolPlan`` has the least setting of a dial that brings each unit and document into the pool; all else is counted
from that.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl
import scipy

from assess.ir.campaign.presets import Protocol
from assess.ir.common.percent import percent
from assess.ir.common.tie_break import tie_break
from assess.ir.pool.pooling import DOCUMENT, UNIT, PooledRun, candidates, prefixes, with_posts
from assess.ir.runs.ranking import RANKING, place_in_topic, resolve

Grid = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int64]

TOP = 10
"""The first ten units of a pooled run should all be judged (P'@10)."""
CHUNK = 100
"""Crowded units counted at a time, to limit memory."""


class Dials(NamedTuple):
    """A setting of the dials: the depths of primary and alternate runs, or as ``primary`` the units of each topic."""

    primary: int
    alternate: int = 0


class PoolPlan(NamedTuple):
    """``entries``: topic_id, unit_id and, in the columns primary and alternate, the least setting of that dial that
    brings the unit in; their row numbers are the ``entry`` of the other two. ``documents``: the same for each
    document. ``brought``: what each run can bring in: run (its number), entry, alternate (which dial is the run's),
    place (of the unit among the different units of the run's list) and need (the least setting)."""

    entries: pl.DataFrame
    documents: pl.DataFrame
    brought: pl.DataFrame


class TopicCost(NamedTuple):
    """The units of a topic, the documents to judge for them, and how many units have more documents than that."""

    topic_id: str
    units: int
    documents: int
    crowded: int


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


class Cost(NamedTuple):
    """The size of a pool: its units, and the documents to judge for them."""

    units: int
    documents: int


def dials(protocol: Protocol) -> Dials:
    """The dials of the protocol."""
    return Dials(*(getattr(protocol, name) for name in protocol.sizes))


def make_plan(
    runs: Sequence[PooledRun],
    protocol: Protocol,
    seed: int,
    deepest: int,
    posts: pl.DataFrame | None = None,
    seeded: pl.DataFrame | None = None,
) -> PoolPlan:
    """The plan of these pooled runs for settings up to ``deepest``; documents that need more have ``deepest + 1``.
    The protocol's own depths and pool size do not matter; ``seed``, ``posts`` and ``seeded`` as in ``build_pool``.
    Seeded documents need no depth: they have 0."""
    nothing = with_places(PooledRun("", "primary", RANKING.to_frame()), 0, protocol)
    placed = [nothing, *(with_places(run, number, protocol) for number, run in enumerate(runs))]
    rows = with_needs(pl.concat(placed), runs, protocol, seed, deepest)
    if seeded is not None:
        always = seeded.with_columns(always=0)
        rows = rows.join(always, on=DOCUMENT, how="left").with_columns(need=pl.coalesce("always", "need"))
    rows = rows.filter((pl.col("need") <= deepest) | (pl.col("place") <= TOP))
    rows = rows.with_columns(pl.col("need").clip(upper_bound=deepest + 1).cast(pl.UInt16))
    if posts is not None:
        post_id = pl.col("post_id")
        rows = with_posts(rows, posts).with_columns(doc_id=pl.when(post_id == "").then("doc_id").otherwise(post_id))
    entries = least_needs(rows, UNIT, deepest).sort(UNIT)
    rows = rows.join(entries.select(UNIT).with_row_index("entry"), on=UNIT)
    documents = least_needs(rows, ["entry", "doc_id"], deepest).drop("doc_id").sort(pl.all())
    brought = rows.group_by("run", "entry").agg(pl.col("alternate").first(), pl.col("place", "need").min())
    return PoolPlan(entries, documents, brought.sort("run", "entry"))


def with_places(run: PooledRun, number: int, protocol: Protocol) -> pl.DataFrame:
    """The rows of a run with ``place``: the least depth at which ``pooling.prefix`` includes them."""
    ranking = run.ranking.filter(pl.col("unit_id") != "")
    is_new = pl.col("unit_id").is_first_distinct().cast(pl.UInt16)
    if run.written:
        place = pl.lit(1)
    elif (ranking["unit_id"] == ranking["doc_id"]).all():
        place = pl.lit(place_in_topic(ranking))
    else:
        place = (is_new.cum_sum() - is_new).over("topic_id") + 1
    is_alternate = protocol.pool_rule == "depth" and run.role == "alternate"
    return ranking.select(
        *UNIT,
        "doc_id",
        "rank",
        place=place.cast(pl.UInt16),
        run=pl.lit(number, pl.UInt16),
        alternate=pl.lit(is_alternate),
    )


def with_needs(
    rows: pl.DataFrame, runs: Sequence[PooledRun], protocol: Protocol, seed: int, deepest: int
) -> pl.DataFrame:
    """The rows of all runs with ``need``: the setting of the dial at which the run brings them in."""
    if protocol.pool_rule == "depth":
        return rows.with_columns(need="place")
    if protocol.pool_rule == "rank_by_rank":
        needs = rows.join(ranks_needed(rows), on=["topic_id", "rank"], how="left")
    else:
        needs = rows.join(votes_needed(runs, protocol, seed, deepest), on=UNIT, how="left")
    return needs.with_columns(pl.col("need").fill_null(deepest + 1))


def ranks_needed(rows: pl.DataFrame) -> pl.DataFrame:
    """For each rank of a topic the least pool size for which the runs are read down to it: one more than the units
    above it."""
    firsts = rows.group_by(UNIT).agg(pl.col("rank").min())
    new = firsts.group_by("topic_id", "rank").agg(new=pl.len())
    ladder = rows.select("topic_id", "rank").unique().join(new, on=["topic_id", "rank"], how="left")
    new_above = (pl.col("new").fill_null(0).cum_sum() - pl.col("new").fill_null(0)).over("topic_id")
    return ladder.sort("topic_id", "rank").select("topic_id", "rank", need=new_above + 1)


def votes_needed(runs: Sequence[PooledRun], protocol: Protocol, seed: int, deepest: int) -> pl.DataFrame:
    """The units of each topic, numbered by votes, most first; ties as in ``pooling``."""
    units = candidates(runs, replace(protocol, pool_size=deepest), seed).group_by(UNIT).agg(pl.col("votes").sum())
    ordered = sorted(units.iter_rows(), key=lambda row: (row[0], -row[2], tie_break(seed, row[0], row[1])))
    table = pl.DataFrame([row[:2] for row in ordered], schema=dict.fromkeys(UNIT, pl.String), orient="row")
    return table.with_columns(need=pl.int_range(1, pl.len() + 1).over("topic_id"))


def least_needs(rows: pl.DataFrame, by: list[str], deepest: int) -> pl.DataFrame:
    """The least need of primary and of alternate runs in each group of rows."""
    return rows.group_by(by).agg(
        primary=pl.col("need").filter(~pl.col("alternate")).min().fill_null(deepest + 1),
        alternate=pl.col("need").filter("alternate").min().fill_null(deepest + 1),
    )


def is_pooled(at: Dials) -> pl.Expr:
    return (pl.col("primary") <= at.primary) | (pl.col("alternate") <= at.alternate)


def pooled_entries(plan: PoolPlan, at: Dials) -> pl.DataFrame:
    """The numbers of the entries in the pool, in the column ``entry``."""
    return plan.entries.with_row_index("entry").filter(is_pooled(at)).select("entry")


def by_topic(plan: PoolPlan, at: Dials, limit: int, entries: pl.DataFrame, topics: Sequence[str]) -> list[TopicCost]:
    """The cost of each of these topics for a pool of these ``entries``, with at most ``limit`` documents to judge for
    each entry."""
    pooled = plan.documents.filter(is_pooled(at)).join(entries, on="entry", how="semi")
    counted = (
        pooled.group_by("entry")
        .len("count")
        .join(plan.entries.with_row_index("entry").select("entry", "topic_id"), on="entry")
        .group_by("topic_id")
        .agg(
            units=pl.len(),
            documents=pl.col("count").clip(upper_bound=limit).sum(),
            crowded=(pl.col("count") > limit).sum(),
        )
    )
    costs = {row[0]: TopicCost(*row) for row in counted.iter_rows()}
    return [costs.get(topic_id, TopicCost(topic_id, 0, 0, 0)) for topic_id in topics]


def incidence(plan: PoolPlan, at: Dials, entries: pl.DataFrame, groups: Numbers) -> "scipy.sparse.csr_array":
    """Which group of runs (row) brings in which of these entries (column): 1 or 0."""
    dial = pl.when("alternate").then(at.alternate).otherwise(at.primary)
    rows = plan.brought.filter((pl.col("need") <= dial) & is_among(plan, entries))
    places = (groups[rows["run"].to_numpy()], rows["entry"].to_numpy())
    shape = (max(groups.tolist(), default=-1) + 1, len(plan.entries))
    matrix = scipy.sparse.csr_array((np.ones(len(rows), np.int32), places), shape)
    matrix.data[:] = 1  # Runs of a group that bring in the same unit were added up.
    return matrix


def is_among(plan: PoolPlan, entries: pl.DataFrame) -> pl.Series:
    """For each row of ``brought`` whether its entry is one of these."""
    chosen = np.zeros(len(plan.entries), bool)
    chosen[entries["entry"].to_numpy()] = True
    return pl.Series(chosen[plan.brought["entry"].to_numpy()])


def contributions(plan: PoolPlan, at: Dials, entries: pl.DataFrame, names: Sequence[str]) -> list[PoolContribution]:
    """What each name brings in, in the order of first occurrence. ``names``: of the runs or of their teams, which may
    repeat."""
    distinct = list(dict.fromkeys(names))
    group = np.array([distinct.index(name) for name in names], np.int64)
    pairs = incidence(plan, at, entries, group).tocoo()
    is_unique = np.bincount(pairs.col, minlength=1)[pairs.col] == 1
    is_top = plan.brought["place"] <= TOP
    top, judged = (plan.brought["run"].filter(rows).to_numpy() for rows in (is_top, is_top & is_among(plan, entries)))
    columns = (pairs.row, pairs.row[is_unique], group[top], group[judged])
    counted = zip(*(np.bincount(column, minlength=len(distinct)).tolist() for column in columns), strict=True)
    return [PoolContribution(name, *row) for name, row in zip(distinct, counted, strict=True)]


def overlap(plan: PoolPlan, at: Dials, entries: pl.DataFrame, count: int) -> list[list[float | None]]:
    """For each run (row) the share of its units that another run (column) brings in too; None if it brings in
    nothing. ``count``: the number of runs."""
    matrix = incidence(plan, at, entries, np.arange(count))
    common = (matrix @ matrix.T).toarray()
    sizes = common.diagonal()
    return [[float(both / size) if size else None for both in row] for size, row in zip(sizes, common, strict=True)]


def grid(table: pl.DataFrame, most: Dials) -> Grid:
    """How many rows of ``entries`` or ``documents`` are in the pool: [p, a] for the dials at p and a, from 0."""
    counted: Grid = counts(table, np.zeros(len(table), np.int64), 1, most)[0]
    return counted


def documents_grid(plan: PoolPlan, most: Dials, limit: int) -> Grid:
    """The same for the documents to judge, at most ``limit`` of each entry."""
    sizes = pl.len().over("entry")
    total = grid(plan.documents.filter(sizes <= limit), most)
    crowded = plan.documents.filter(sizes > limit).with_columns(place=pl.col("entry").rank("dense") - 1)
    for start in range(0, crowded["place"].n_unique(), CHUNK):
        part = crowded.filter(pl.col("place").is_between(start, start + CHUNK - 1))
        counted = counts(part, part["place"].to_numpy().astype(np.int64) - start, CHUNK, most)
        total += np.minimum(counted, limit).sum(axis=0)
    return total


def counts(table: pl.DataFrame, groups: Numbers, number: int, most: Dials) -> Grid:
    """For each group of rows a grid: how many have primary <= p or alternate <= a, which is all but those above
    both."""
    shape = (number, most.primary + 2, most.alternate + 2)
    primary, alternate = (np.minimum(table[name].to_numpy(), top + 1) for name, top in most._asdict().items())
    index = np.ravel_multi_index((groups, primary.astype(np.int64), alternate.astype(np.int64)), shape)
    cells = np.bincount(index, minlength=int(np.prod(shape))).reshape(shape)
    above = cells[:, ::-1, ::-1].cumsum(axis=1).cumsum(axis=2)[:, ::-1, ::-1]
    counted: Grid = above[:, :1, :1] - above[:, 1:, 1:]
    return counted


def cost(runs: Sequence[PooledRun], protocol: Protocol) -> Cost:
    """The size of the pool by another protocol of the same task, whose units may be documents and which may exclude
    written answers. If votes choose the units, it does not matter which: each has one document (NTCIR-11)."""
    pooled = [run for run in runs if protocol.written or not run.written]
    if protocol.unit == "document":
        pooled = [run._replace(ranking=resolve(run.ranking, None)) for run in pooled]
    rows = pl.concat([RANKING.to_frame(), *prefixes(pooled, protocol)])
    units = rows.group_by(UNIT).agg(documents=pl.col("doc_id").n_unique().clip(upper_bound=protocol.max_instances))
    if protocol.pool_rule == "votes":
        units = units.filter(pl.int_range(pl.len()).over("topic_id") < protocol.pool_size)
    return Cost(len(units), int(units["documents"].sum()))
