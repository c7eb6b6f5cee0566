"""Leave one team out, by hand: alpha and beta are of team X, gamma of team Y, late is not pooled. Each list is pooled
to its second unit. And how much of a run is judged, and how relevant it is, by rank.

    run     list      brought in
    alpha   a b c     a b
    beta    a d       a d
    gamma   b e       b e, and d in another topic
    late    d f a
"""

from collections.abc import Iterable
from dataclasses import replace
from math import log2
from typing import Any

import polars as pl
import pytest

from assess.ir.campaign.presets import PRESETS
from assess.ir.common.rows import Qrel
from assess.ir.pool.pooling import PooledRun, prefixes
from assess.ir.releases.differences import Move
from assess.ir.runs.ranking import LIMIT, JudgedUnits, prime
from assess.ir.scores.leaderboard import Scoring
from assess.ir.scores.measures import MEASURES
from assess.ir.scores.reusability import FIRSTS, Band, as_brought, contributions, leave_out_each, rank_profile
from tests.rankings import as_ranking, listed

QRELS = [Qrel("A.1", "a", 3), Qrel("A.1", "b", 0), Qrel("A.1", "d", 2), Qrel("A.1", "e", 1)]
LISTS = {"alpha": "abc", "beta": "ad", "gamma": "be", "late": "dfa"}
TEAMS = {"alpha": "X", "beta": "X", "gamma": "Y"}
IDEAL = 3 + 2 / log2(3) + 1 / 2
near: Any = pytest.approx


def ranking(units: Iterable[str]) -> pl.DataFrame:
    return as_ranking(listed(units))


def brought() -> pl.DataFrame:
    others = {"gamma": "d"}
    lists = {name: as_ranking([*listed(LISTS[name]), *listed(others.get(name, ""), "A.2")]) for name in TEAMS}
    runs = [PooledRun(name, "primary", lists[name]) for name in TEAMS]
    protocol = replace(PRESETS["arqmath2-task1"], primary_depth=2)
    return as_brought(dict(zip(TEAMS, prefixes(runs, protocol), strict=True)))


def left_out(qrels: list[Qrel] = QRELS) -> list[dict[str, Any]]:
    runs = [(name, prime(ranking(units), qrels)) for name, units in LISTS.items()]
    return leave_out_each(Scoring(runs, MEASURES, "qrels", 2), qrels, brought(), TEAMS)


def ndcg_of(row: dict[str, Any]) -> list[Move]:
    return [Move(**change) for change in row["changes"] if change["measure"] == "nDCG'"]


def test_unique_units_of_runs() -> None:
    qrels = [*QRELS, Qrel("A.2", "d", 0)]
    assert {name: list(counts.values())[1:] for name, counts in contributions(brought(), qrels, 2).items()} == {
        "alpha": [2, 1, 0, 0],
        "beta": [2, 2, 1, 1],  # d: late has it too, but is not pooled
        "gamma": [3, 0, 2, 0],  # e, of grade 1, and d of A.2
    }


def test_without_a_team_its_unique_units_leave_the_qrels_and_all_runs_are_ranked_again() -> None:
    x, y = left_out()
    assert (x["team"], x["lines"], x["relevant"]) == ("X", 2, 2)  # a and d; left are b 0 and e 1
    assert ndcg_of(x) == [
        Move("alpha", "nDCG'", near(3 / IDEAL), 0.0, 3, 2),  # behind gamma, tied with beta and late
        Move("beta", "nDCG'", near((3 + 2 / log2(3)) / IDEAL), 0.0, 1, 2),
    ]
    assert (y["team"], y["lines"], y["relevant"]) == ("Y", 1, 0)  # e
    assert ndcg_of(y) == [Move("gamma", "nDCG'", near(1 / log2(3) / IDEAL), 0.0, 4, 4)]
    assert y["leaderboards"]["nDCG'"]["value"] == near(1.0)  # beta, late, alpha, gamma
    x = left_out(QRELS[:1])[0]
    assert [(change.after, change.place_after) for change in ndcg_of(x)] == [(None, None)] * 2
    assert x["leaderboards"]["nDCG'"]["value"] is None


def test_two_topics_by_hand_and_formulas_count_once_at_their_first_instance() -> None:
    ranking = as_ranking([*listed("abcdef"), *listed("x", "A.2"), *listed("x", "A.9")])  # A.9: no topic of the qrels
    qrels = JudgedUnits(
        [Qrel("A.1", "a", 3), Qrel("A.1", "e", 1), Qrel("A.1", "f", 0), Qrel("A.2", "x", 0), Qrel("A.3", "a", 3)]
    )
    first, *others = rank_profile(ranking, qrels)
    assert (first, first.share, first.relevance) == (Band(1, 1, 2, 2, 3), 1.0, 1.5)
    assert others == [Band(2, 2, 1, 0, 0), Band(3, 3, 1, 0, 0), Band(4, 4, 1, 0, 0), Band(5, 6, 2, 2, 1)]
    assert others[0].relevance is None
    ranking = as_ranking(listed(["1:v1", "2:v1", "3:", "4:v2"], "B.1"))
    assert rank_profile(ranking, JudgedUnits([Qrel("B.1", "v2", 2)])) == [Band(1, 1, 1, 0, 0), Band(2, 2, 1, 1, 2)]


def test_the_bands_of_a_full_list_count_every_document_and_every_judged_one() -> None:
    grades = {rank: rank % 4 for rank in range(1, LIMIT + 1, 3)}
    ranking = as_ranking(listed(map(str, range(1, LIMIT + 1))))
    bands = rank_profile(ranking, JudgedUnits(Qrel("A.1", str(rank), grade) for rank, grade in grades.items()))
    assert ([band.first for band in bands], bands[-1].last) == (list(FIRSTS), LIMIT)
    for band in bands:
        judged = [grade for rank, grade in grades.items() if band.first <= rank <= band.last]
        assert band[2:] == (band.last - band.first + 1, len(judged), sum(judged))
