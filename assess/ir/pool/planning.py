"""What a pool will cost and what it will hold, before it is made, for every depth at once.

A pool has one or two dials: the depths of primary and alternate runs, or the number of units of each topic. ``Plan``
tells for each unit and document from which setting of a dial on it is in the pool; all else is counted from that.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.sparse import csr_array

from assess.ir.campaign.presets import Protocol
from assess.ir.common.percent import percent
from assess.ir.common.tie_break import tie_break
from assess.ir.pool.pooling import DOCUMENT, UNIT, PooledRun, candidates, prefixes
from assess.ir.runs.ranking import RANKING, place_in_topic, resolve

Grid = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int64]

TOP = 10
"""The ranks in which no unit of a pooled run should be unjudged (P'@10)."""
CHUNK = 100
"""Units with many documents that are counted at a time, so that memory stays small."""


class Dials(NamedTuple):
    """Where the dials stand: the depths of primary and alternate runs, or as ``primary`` the units of each topic."""

    primary: int
    alternate: int = 0


class Plan(NamedTuple):
    """``entries``: topic_id, unit_id and, in the columns primary and alternate, the least setting of that dial with
    which a run brings the unit in; their row numbers are the ``entry`` of the other two. ``documents``: the same for
    each document. ``brought``: what each run can bring in: run (its number), entry, alternate (which dial is the
    run's), place (the unit's among the different ones of the run's list) and need (the least setting)."""

    entries: pl.DataFrame
    documents: pl.DataFrame
    brought: pl.DataFrame


class TopicCost(NamedTuple):
    """A topic's units, the documents judged for them, and the units with more documents than are judged."""

    topic_id: str
    units: int
    documents: int
    crowded: int


class Share(NamedTuple):
    """What a run, or all runs of a team, bring into the pool: units, how many of these nobody else brings, and of
    the first ten units of each list how many there are and how many are pooled."""

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
        """Judged@10 in per cent, 100 only where all are judged; None for a run without results."""
        return percent(self.judged, self.top) if self.top else None


class Cost(NamedTuple):
    """The size of a pool: its units, and the documents judged for them."""

    units: int
    documents: int


def dials(protocol: Protocol) -> Dials:
    """Where the protocol sets the dials."""
    return Dials(*(getattr(protocol, name) for name in protocol.sizes))


def make(
    runs: Sequence[PooledRun],
    protocol: Protocol,
    seed: int,
    deepest: int,
    posts: pl.DataFrame | None = None,
    seeded: pl.DataFrame | None = None,
) -> Plan:
    """The plan of these pooled runs for settings up to ``deepest``; what takes more has ``deepest + 1``. All of the
    protocol counts but its depths and its pool size; ``seed``, ``posts`` and ``seeded`` as in ``build_pool``. What is
    seeded needs no depth: it has 0."""
    nothing = place(PooledRun("", "primary", RANKING.to_frame()), 0, protocol)
    placed = [nothing, *(place(run, number, protocol) for number, run in enumerate(runs))]
    rows = needed(placed, runs, protocol, seed, deepest)
    if seeded is not None:
        at_once = seeded.with_columns(at_once=0)
        rows = rows.join(at_once, on=DOCUMENT, how="left").with_columns(need=pl.coalesce("at_once", "need"))
    rows = rows.filter((pl.col("need") <= deepest) | (pl.col("place") <= TOP))
    rows = rows.with_columns(pl.col("need").clip(upper_bound=deepest + 1).cast(pl.UInt16))
    if posts is not None:
        post_id = pl.col("doc_id").replace_strict(posts["doc_id"], posts["post_id"], default="")
        rows = rows.with_columns(doc_id=pl.when(post_id == "").then("doc_id").otherwise(post_id))
    entries = least(rows, UNIT, deepest).sort(UNIT)
    rows = rows.join(entries.select(UNIT).with_row_index("entry"), on=UNIT)
    documents = least(rows, ["entry", "doc_id"], deepest).drop("doc_id").sort(pl.all())
    brought = rows.group_by("run", "entry").agg(pl.col("alternate").first(), pl.col("place", "need").min())
    return Plan(entries, documents, brought.sort("run", "entry"))


def place(run: PooledRun, number: int, protocol: Protocol) -> pl.DataFrame:
    """The rows of a run with ``place``: the depth from which on ``pooling.prefix`` takes them in."""
    ranking = run.ranking.filter(pl.col("unit_id") != "")
    is_new = pl.col("unit_id").is_first_distinct().cast(pl.UInt16)
    if run.written:
        found = pl.lit(1)
    elif (ranking["unit_id"] == ranking["doc_id"]).all():
        found = pl.lit(place_in_topic(ranking))
    else:
        found = (is_new.cum_sum() - is_new).over("topic_id") + 1
    is_alternate = protocol.pool_rule == "depth" and run.role == "alternate"
    return ranking.select(
        *UNIT,
        "doc_id",
        "rank",
        place=found.cast(pl.UInt16),
        run=pl.lit(number, pl.UInt16),
        alternate=pl.lit(is_alternate),
    )


def needed(
    placed: Sequence[pl.DataFrame], runs: Sequence[PooledRun], protocol: Protocol, seed: int, deepest: int
) -> pl.DataFrame:
    """The rows of all runs with ``need``: the setting of the dial with which the run brings them in."""
    rows = pl.concat(placed)
    if protocol.pool_rule == "depth":
        return rows.with_columns(need="place")
    if protocol.pool_rule == "rank_by_rank":
        found = rows.join(ranks_needed(rows), on=["topic_id", "rank"], how="left")
    else:
        found = rows.join(votes_needed(runs, protocol, seed, deepest), on=UNIT, how="left")
    return found.with_columns(pl.col("need").fill_null(deepest + 1))


def ranks_needed(rows: pl.DataFrame) -> pl.DataFrame:
    """For each rank of a topic the least pool size with which the runs are read down to it: one more than the units
    that stand above it."""
    firsts = rows.group_by(UNIT).agg(pl.col("rank").min())
    new = firsts.group_by("topic_id", "rank").agg(new=pl.len())
    ladder = rows.select("topic_id", "rank").unique().join(new, on=["topic_id", "rank"], how="left")
    new_above = (pl.col("new").fill_null(0).cum_sum() - pl.col("new").fill_null(0)).over("topic_id")
    return ladder.sort("topic_id", "rank").select("topic_id", "rank", need=new_above + 1)


def votes_needed(runs: Sequence[PooledRun], protocol: Protocol, seed: int, deepest: int) -> pl.DataFrame:
    """The units of each topic numbered by votes, those with most first; ties as in ``pooling``."""
    found = candidates(runs, replace(protocol, pool_size=deepest), seed).group_by(UNIT).agg(pl.col("votes").sum())
    ordered = sorted(found.iter_rows(), key=lambda row: (row[0], -row[2], tie_break(seed, row[0], row[1])))
    table = pl.DataFrame([row[:2] for row in ordered], schema=dict.fromkeys(UNIT, pl.String), orient="row")
    return table.with_columns(need=pl.int_range(1, pl.len() + 1).over("topic_id"))


def least(rows: pl.DataFrame, by: list[str], deepest: int) -> pl.DataFrame:
    """The least need of primary and of alternate runs for each group of rows."""
    return rows.group_by(by).agg(
        primary=pl.col("need").filter(~pl.col("alternate")).min().fill_null(deepest + 1),
        alternate=pl.col("need").filter("alternate").min().fill_null(deepest + 1),
    )


def within(at: Dials) -> pl.Expr:
    return (pl.col("primary") <= at.primary) | (pl.col("alternate") <= at.alternate)


def pooled(plan: Plan, at: Dials) -> pl.DataFrame:
    """The numbers of the entries in the pool, in one column ``entry``."""
    return plan.entries.with_row_index("entry").filter(within(at)).select("entry")


def by_topic(plan: Plan, at: Dials, limit: int, entries: pl.DataFrame, topics: Sequence[str]) -> list[TopicCost]:
    """The cost of each topic of the list for a pool of these ``entries``, of which at most ``limit`` documents each
    are judged."""
    found = plan.documents.filter(within(at)).join(entries, on="entry", how="semi").group_by("entry").len("found")
    counted = (
        found.join(plan.entries.with_row_index("entry").select("entry", "topic_id"), on="entry")
        .group_by("topic_id")
        .agg(
            units=pl.len(),
            documents=pl.col("found").clip(upper_bound=limit).sum(),
            crowded=(pl.col("found") > limit).sum(),
        )
    )
    known = {row[0]: TopicCost(*row) for row in counted.iter_rows()}
    return [known.get(topic_id, TopicCost(topic_id, 0, 0, 0)) for topic_id in topics]


def incidence(plan: Plan, at: Dials, entries: pl.DataFrame, groups: Numbers) -> csr_array:
    """Who brings in which of these entries: a row for each group of runs, a column for each entry, of ones."""
    dial = pl.when("alternate").then(at.alternate).otherwise(at.primary)
    rows = plan.brought.filter((pl.col("need") <= dial) & is_among(plan, entries))
    places = (groups[rows["run"].to_numpy()], rows["entry"].to_numpy())
    shape = (max(groups.tolist(), default=-1) + 1, len(plan.entries))
    found = csr_array((np.ones(len(rows), np.int32), places), shape)
    found.data[:] = 1  # runs of a group that bring in the same were added up
    return found


def is_among(plan: Plan, entries: pl.DataFrame) -> pl.Series:
    """For each row of ``brought`` whether its entry is one of these."""
    chosen = np.zeros(len(plan.entries), bool)
    chosen[entries["entry"].to_numpy()] = True
    return pl.Series(chosen[plan.brought["entry"].to_numpy()])


def shares(plan: Plan, at: Dials, entries: pl.DataFrame, names: Sequence[str]) -> list[Share]:
    """What each name brings in, in the order in which they first come. ``names`` are those of the runs, or of their
    teams: runs of one name count together."""
    distinct = list(dict.fromkeys(names))
    group = np.array([distinct.index(name) for name in names], np.int64)
    found = incidence(plan, at, entries, group).tocoo()
    is_alone = np.bincount(found.col, minlength=1)[found.col] == 1
    is_top = plan.brought["place"] <= TOP
    top, judged = (plan.brought["run"].filter(rows).to_numpy() for rows in (is_top, is_top & is_among(plan, entries)))
    columns = (found.row, found.row[is_alone], group[top], group[judged])
    counted = zip(*(np.bincount(column, minlength=len(distinct)).tolist() for column in columns), strict=True)
    return [Share(name, *row) for name, row in zip(distinct, counted, strict=True)]


def overlap(plan: Plan, at: Dials, entries: pl.DataFrame, count: int) -> list[list[float | None]]:
    """For each run (row) the share of the units it brings in that another (column) brings in too; None where it
    brings in nothing. ``count``: how many runs there are."""
    found = incidence(plan, at, entries, np.arange(count))
    common = (found @ found.T).toarray()
    sizes = common.diagonal()
    return [[float(both / size) if size else None for both in row] for size, row in zip(sizes, common, strict=True)]


def grid(table: pl.DataFrame, most: Dials) -> Grid:
    """How many rows of ``entries`` or ``documents`` are in the pool: [p, a] for the dials at p and a, from 0 on."""
    found: Grid = counts(table, np.zeros(len(table), np.int64), 1, most)[0]
    return found


def documents_grid(plan: Plan, most: Dials, limit: int) -> Grid:
    """The same for the documents to judge, of which there are at most ``limit`` of each entry."""
    sizes = pl.len().over("entry")
    total = grid(plan.documents.filter(sizes <= limit), most)
    crowded = plan.documents.filter(sizes > limit).with_columns(place=pl.col("entry").rank("dense") - 1)
    for start in range(0, crowded["place"].n_unique(), CHUNK):
        part = crowded.filter(pl.col("place").is_between(start, start + CHUNK - 1))
        found = counts(part, part["place"].to_numpy().astype(np.int64) - start, CHUNK, most)
        total += np.minimum(found, limit).sum(axis=0)
    return total


def counts(table: pl.DataFrame, groups: Numbers, number: int, most: Dials) -> Grid:
    """For each group of rows the grid of how many have primary <= p or alternate <= a: all but those that are above
    in both."""
    shape = (number, most.primary + 2, most.alternate + 2)
    primary, alternate = (np.minimum(table[name].to_numpy(), top + 1) for name, top in most._asdict().items())
    index = np.ravel_multi_index((groups, primary.astype(np.int64), alternate.astype(np.int64)), shape)
    cells = np.bincount(index, minlength=int(np.prod(shape))).reshape(shape)
    above = cells[:, ::-1, ::-1].cumsum(axis=1).cumsum(axis=2)[:, ::-1, ::-1]
    found: Grid = above[:, :1, :1] - above[:, 1:, 1:]
    return found


def cost(runs: Sequence[PooledRun], protocol: Protocol) -> Cost:
    """The size of the pool by another protocol of the same task, which may take each document for itself, and no
    written answers. Where votes choose the units any will do: of each, one document is judged (NTCIR-11)."""
    taken = [run for run in runs if protocol.written or not run.written]
    if protocol.unit == "document":
        taken = [run._replace(ranking=resolve(run.ranking, None)) for run in taken]
    rows = pl.concat([RANKING.to_frame(), *prefixes(taken, protocol)])
    units = rows.group_by(UNIT).agg(documents=pl.col("doc_id").n_unique().clip(upper_bound=protocol.max_instances))
    if protocol.pool_rule == "votes":
        units = units.filter(pl.int_range(pl.len()).over("topic_id") < protocol.pool_size)
    return Cost(len(units), int(units["documents"].sum()))
