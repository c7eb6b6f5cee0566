"""How much the lists have in common, before they are fused."""

from typing import NamedTuple

import numpy as np
import polars as pl

from assess.ir.common.percent import percent
from assess.ir.runs.fusion.lists import Lists
from assess.ir.runs.judged import TOPIC_AND_UNIT


class Overlap(NamedTuple):
    """``shares``: the percentage of the units of each list (row) that each other list (column) has, None if it has
    none; ``frequencies``: how many units are in exactly 1, 2, … lists."""

    shares: list[list[float | None]]
    frequencies: list[int]


def overlap(lists: Lists, depth: int) -> Overlap:
    """Of the first ``depth`` units of each topic of each list."""
    rows = lists.rows.filter(pl.col("rank") <= depth).select(*TOPIC_AND_UNIT, "list")
    in_lists = rows.group_by(TOPIC_AND_UNIT).agg(pl.col("list"))["list"]
    has = np.zeros((len(in_lists), len(lists.names)), dtype=np.float32)
    has[np.repeat(np.arange(len(in_lists)), in_lists.list.len()), in_lists.explode()] = 1
    common = (has.T @ has).astype(int)
    shares = [
        [percent(int(count), int(row[at])) if row[at] else None for count in row] for at, row in enumerate(common)
    ]
    counts = np.bincount(has.sum(axis=1).astype(int), minlength=len(lists.names) + 1)
    return Overlap(shares, counts[1:].tolist())
