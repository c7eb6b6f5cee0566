"""Qrels, prepared once for any number of runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from functools import cached_property

import polars as pl

from assess.ir.common.rows import Qrel

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
        grades: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for qrel in self:
            grades[qrel.topic_id][qrel.unit_id] = max(qrel.grade, 0)
        return dict(grades)

    @cached_property
    def engines(self) -> dict[object, object]:
        """trec_eval with these qrels, by measures and options; `scores.measures` makes them."""
        return {}
