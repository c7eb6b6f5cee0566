"""Rank profiles, how far runs are judged by rank; and whether runs that were not pooled can be measured with the qrels:
for each team, the units that only its runs brought into the pool are taken out of the qrels, as if it had not taken
part, and all runs are scored again. If its runs keep their scores and places, others that come later can be measured
fairly, too. Zobel (1998, How reliable are the results of large-scale information retrieval experiments?) left out one
run at a time; since Voorhees (2001, The philosophy of information retrieval evaluation) it is one team at a time,
because its runs are alike."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assess.ir.common.figures import places
from assess.ir.common.rows import Order, Qrel
from assess.ir.releases.differences import Move
from assess.ir.runs.ranking import LIMIT, TOPIC_AND_UNIT, JudgedUnits, by_unit
from assess.ir.scores.leaderboard import Scoring, tau

BROUGHT = pl.Schema({"run": pl.String, "topic_id": pl.String, "unit_id": pl.String})


def as_brought(parts: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """The units of what each run brought into the pool (`pooling.prefixes`), with the columns ``BROUGHT``."""
    frames = [part.select(pl.lit(name).alias("run"), *TOPIC_AND_UNIT).unique() for name, part in parts.items()]
    return pl.concat([BROUGHT.to_frame(), *frames])


def contributions(brought: pl.DataFrame, qrels: Collection[Qrel], level: int) -> dict[str, dict[str, Any]]:
    """How many of the judged units each run brought into the pool, by its name; those that brought in nothing are
    missing: ``units``, the ``relevant`` ones among them, and the same of those that no other run brought in
    (``unique``, ``unique_relevant``)."""
    named = brought.join(JudgedUnits.of(qrels).units, on=TOPIC_AND_UNIT)
    named = named.with_columns(relevant=pl.col("grade") >= level, unique=pl.len().over(TOPIC_AND_UNIT) == 1)
    relevant, unique = pl.col("relevant"), pl.col("unique")
    sums = {"relevant": relevant.sum(), "unique": unique.sum(), "unique_relevant": (unique & relevant).sum()}
    counted = named.group_by(name="run").agg(units=pl.len(), **sums)
    return counted.rows_by_key("name", named=True, unique=True, include_key=True)


def leave_out_each(
    scoring: Scoring,
    qrels: Collection[Qrel],
    brought: pl.DataFrame,
    teams: Mapping[str, str],
    on_progress: Callable[[int, int, str], None] = lambda *_: None,
) -> list[dict[str, Any]]:
    """For each team in the pool, in the order of ``teams`` (the team of each pooled run), what changes without its
    unique units, as a report stores it: how many ``lines`` of the qrels go, how many of these are ``relevant``; the
    ``changes`` of its runs, each a `Move`, whose ``after`` is None if nothing is left to average over; and the `Tau` of
    the ``leaderboards`` of all runs, pooled or not, with and without these units, by measure."""
    before = scoring.means(JudgedUnits.of(qrels))
    of_teams = brought.select(pl.col("run").replace_strict(teams).alias("team"), *TOPIC_AND_UNIT).unique()
    unique = of_teams.filter(pl.len().over(TOPIC_AND_UNIT) == 1)
    names = list(dict.fromkeys(teams.values()))
    left_out = []
    for number, team in enumerate(names):
        on_progress(number, len(names), "leaving out one team at a time")
        gone = set(unique.filter(team=team).select(TOPIC_AND_UNIT).iter_rows())
        lost = [line for line in qrels if line[:2] in gone]
        rest = JudgedUnits([line for line in qrels if line[:2] not in gone])
        after = scoring.means(rest) if lost else before
        own = [name for name, _ in scoring.runs if teams.get(name) == team]
        pairs = {measure: (means, after.get(measure, {})) for measure, means in before.items()}
        changes = []
        for measure, (old, new) in pairs.items():
            old_places, new_places = places(old), places(new)
            changes += [
                Move(run, measure, old[run], new.get(run), old_places[run], new_places.get(run))._asdict()
                for run in own
                if run in old
            ]
        left_out.append(
            {
                "team": team,
                "lines": len(lost),
                "relevant": sum(line.grade >= scoring.level for line in lost),
                "changes": changes,
                "leaderboards": {measure: tau(*pair)._asdict() for measure, pair in pairs.items()},
            }
        )
    return left_out


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
