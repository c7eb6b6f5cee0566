"""What each run and each team brings into a pool."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import polars as pl

from assess.ir.campaign.protocol import Protocol
from assess.ir.common.figures import percent
from assess.ir.pool.pooling import UNIT, PooledRun, prefixes

TOP = 10
"""The first ten units of a pooled run should all be judged (P'@10)."""
NO_ROWS = pl.DataFrame(schema=dict.fromkeys([*UNIT, "doc_id"], pl.String) | {"run": pl.Int32})


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
