"""Whether runs that were not pooled can be measured with the qrels: leave one team out.

For each team, the units that only its runs brought into the pool are taken out of the qrels, as if it had not taken
part, and all runs are scored again. If its runs keep their scores and places, others that come later can be measured
fairly, too. Zobel (1998, How reliable are the results of large-scale information retrieval experiments?) left out one
run at a time; since Voorhees (2001, The philosophy of information retrieval evaluation) it is one team at a time,
because the runs of a team are alike."""

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

import polars as pl

from assess.ir.common.places import places
from assess.ir.common.rows import Qrel
from assess.ir.releases.differences import Move
from assess.ir.runs.ranking import TOPIC_AND_UNIT, JudgedUnits
from assess.ir.scores.leaderboard import Scoring, Tau, tau

BROUGHT = pl.Schema({"run": pl.String, "topic_id": pl.String, "unit_id": pl.String})
OnDone = Callable[[int, int], None]
"""Receives how many teams are done, and of how many."""


class JudgedContribution(NamedTuple):
    """The judged units that a run brought into the pool, the relevant ones among them, and the same of those that no
    other run brought in."""

    name: str
    units: int
    relevant: int
    unique: int
    unique_relevant: int


class LeftOut(NamedTuple):
    """What taking a team's unique units out of the qrels changes: how many ``lines`` go, how many of these are
    relevant, and what that moves; ``after`` is None if nothing is left to average over. ``leaderboards``: by measure,
    those of all runs with and without these units."""

    team: str
    lines: int
    relevant: int
    changes: list[Move]
    leaderboards: dict[str, Tau]


def as_brought(parts: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """The units of what each run brought into the pool (`pooling.brought_in`), with the columns ``BROUGHT``."""
    frames = [part.select(pl.lit(name).alias("run"), *TOPIC_AND_UNIT).unique() for name, part in parts.items()]
    return pl.concat([BROUGHT.to_frame(), *frames])


def contributions(brought: pl.DataFrame, qrels: Collection[Qrel], level: int) -> dict[str, JudgedContribution]:
    """What each run brought in of the judged units, by its name; those that brought in nothing are missing."""
    named = brought.join(JudgedUnits.of(qrels).units, on=TOPIC_AND_UNIT)
    named = named.with_columns(relevant=pl.col("grade") >= level, unique=pl.len().over(TOPIC_AND_UNIT) == 1)
    relevant, unique = pl.col("relevant"), pl.col("unique")
    sums = {"relevant": relevant.sum(), "unique": unique.sum(), "unique_relevant": (unique & relevant).sum()}
    counted = named.group_by("run").agg(units=pl.len(), **sums)
    return {row[0]: JudgedContribution(*row) for row in counted.iter_rows()}


def leave_out_each(
    scoring: Scoring,
    qrels: Collection[Qrel],
    brought: pl.DataFrame,
    teams: Mapping[str, str],
    on_done: OnDone = lambda done, total: None,
) -> list[LeftOut]:
    """For each team in the pool, in the order of ``teams`` (the team of each pooled run), what changes without its
    unique units. All runs of ``scoring`` are ranked, those that were not pooled too."""
    before = scoring.means(JudgedUnits.of(qrels))
    of_teams = brought.select(pl.col("run").replace_strict(teams).alias("team"), *TOPIC_AND_UNIT).unique()
    unique = of_teams.filter(pl.len().over(TOPIC_AND_UNIT) == 1)
    names = list(dict.fromkeys(teams.values()))
    left_out = []
    for number, team in enumerate(names):
        on_done(number, len(names))
        gone = set(unique.filter(team=team).select(TOPIC_AND_UNIT).iter_rows())
        lost = [line for line in qrels if line[:2] in gone]
        rest = JudgedUnits([line for line in qrels if line[:2] not in gone])
        after = scoring.means(rest) if lost else before
        own = [run.name for run in scoring.runs if teams.get(run.name) == team]
        pairs = {measure: (means, after.get(measure, {})) for measure, means in before.items()}
        changes = []
        for measure, pair in pairs.items():
            (old, old_places), (new, new_places) = ((means, places(means)) for means in pair)
            changes += [
                Move(run, measure, old[run], new.get(run), old_places[run], new_places.get(run))
                for run in own
                if run in old
            ]
        taus = {measure: tau(*pair) for measure, pair in pairs.items()}
        left_out.append(LeftOut(team, len(lost), sum(line.grade >= scoring.level for line in lost), changes, taus))
    return left_out
