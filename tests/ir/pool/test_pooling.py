"""Pools small enough to check by eye, and what runs and teams bring into them; `test_pool_definitions` has every
option."""

from dataclasses import replace

import polars as pl
import pytest

from assess.ir.campaign.presets import PRESETS
from assess.ir.campaign.protocol import PoolRule, Protocol
from assess.ir.common.rows import PoolRole
from assess.ir.pool.pooling import (
    UNIT,
    Brought,
    PoolContribution,
    PooledRun,
    brought_into,
    build_pool,
    count_contributions,
    count_crowded,
    overlap_of_runs,
)
from tests.rankings import as_ranking, listed

ANSWERS = replace(PRESETS["arqmath2-task1"], primary_depth=2, alternate_depth=1)
FORMULAS = replace(PRESETS["arqmath2-task2"], primary_depth=2, alternate_depth=1)


def run(name: str, topics: str | dict[str, str], role: PoolRole = "primary", written: bool = False) -> PooledRun:
    """A ranking from {topic: "doc doc:unit …"}, best first, or from the documents of A.1."""
    topics = {"A.1": topics} if isinstance(topics, str) else topics
    ranking = (row for topic, documents in topics.items() for row in listed(documents.split(), topic))
    return PooledRun(name, role, as_ranking(ranking), written)


def pooled(runs: list[PooledRun], protocol: Protocol, seed: int = 1) -> set[str]:
    return {line.doc_id for line in build_pool(runs, protocol, seed)}


@pytest.mark.parametrize(("priorities", "expected"), [(1, "a1 a2"), (2, "a1 a2 b1"), (5, "a1 a2 b1 e1")])
def test_runs_are_pooled_in_the_order_of_their_priorities(priorities: int, expected: str) -> None:
    runs = [run("a", "a1 a2 a3", "1"), run("b", "b1 b2", "2"), run("e", "e1 e2", "5")]
    assert pooled(runs, replace(ANSWERS, priorities=priorities)) == set(expected.split())


def test_formulas_without_a_visual_id_are_not_pooled_and_a_half_ties_with_a_third_and_a_sixth() -> None:
    assert pooled([run("a", "f0: f1:v1", "alternate")], FORMULAS) == {"f1"}
    protocol = replace(FORMULAS, max_instances=1, primary_depth=6)
    runs = [
        run("a", "a1 x:v a3"),  # x: 1/2
        run("b", "b1 b2 y:v"),  # y: 1/3
        run("c", "c1 c2 c3 c4 c5 y:v"),  # y: 1/6
    ]
    chosen = {tuple(pooled(runs, protocol, seed) & {"x", "y"}) for seed in range(20)}
    assert chosen == {("x",), ("y",)}


TOP_THREE = replace(PRESETS["arqmath2-task1"], primary_depth=3, alternate_depth=2)
TWO_INSTANCES = replace(PRESETS["arqmath2-task2"], primary_depth=2, max_instances=2)
ALPHA = run("alpha", {"A.1": "a b c d", "A.2": "x y"})
BETA = run("beta", {"A.1": "b e a", "A.2": "x"}, "alternate")
GAMMA = run("gamma", {"A.1": "a b"})


def brought(runs: list[PooledRun], protocol: Protocol = TOP_THREE) -> Brought:
    """Into the pool of these runs."""
    units = {(line.topic_id, line.unit_id) for line in build_pool(runs, protocol, 7)}
    return brought_into(frame(units), runs, protocol)


def frame(units: set[tuple[str, str]]) -> pl.DataFrame:
    return pl.DataFrame(list(units), schema=dict.fromkeys(UNIT, pl.String), orient="row")


def test_contributions_of_runs_and_teams_by_role() -> None:
    rows = count_contributions(brought([ALPHA, BETA, GAMMA]), ["alpha", "beta", "gamma"])
    assert rows == [
        PoolContribution("alpha", 5, 2, 6, 5),  # a b c x y; unique c and y; d is fourth and not judged
        PoolContribution("beta", 3, 1, 4, 4),  # b e x; unique e; a is below its depth but judged for alpha
        PoolContribution("gamma", 2, 0, 2, 2),
    ]
    assert [row.is_judged for row in rows] == [False, True, True]
    assert [row.percent for row in rows] == [83.3, 100, 100]
    rows = count_contributions(brought([ALPHA, BETA, GAMMA]), ["One", "Two", "One"])
    assert rows == [PoolContribution("One", 5, 3, 8, 7), PoolContribution("Two", 3, 1, 4, 4)]
    deep = replace(TOP_THREE, primary_depth=1, alternate_depth=3)
    rows = count_contributions(brought([ALPHA, BETA], deep), ["alpha", "beta"])
    assert rows == [PoolContribution("alpha", 2, 0, 6, 3), PoolContribution("beta", 4, 2, 4, 4)]  # a x; b e a x


def test_judged_at_10_counts_ten_units_of_each_list_and_all_written_answers() -> None:
    assert PoolContribution("r", 9, 9, 10_000, 9_999).percent == 99.9
    assert PoolContribution("r", 0, 0, 0, 0).percent is None
    nothing = brought([])
    assert count_contributions(nothing, []) == []
    assert overlap_of_runs(nothing, 0) == []
    assert count_crowded(nothing, TOP_THREE) == 0
    only = brought_into(frame({("A.1", "a")}), [ALPHA], TOP_THREE)
    assert count_contributions(only, ["alpha"]) == [PoolContribution("alpha", 1, 1, 6, 1)]
    repeated = run("r", {"B.1": "f:v " + " ".join(f"f{n}:v{n // 2}" for n in range(30))})
    assert count_contributions(brought([repeated], TWO_INSTANCES), ["r"]) == [PoolContribution("r", 2, 2, 10, 2)]
    written = run("w", {"A.1": " ".join(f"d{n}" for n in range(12))}, "alternate", written=True)
    assert count_contributions(brought([written]), ["w"]) == [PoolContribution("w", 12, 12, 12, 12)]


@pytest.mark.parametrize(("rule", "units"), [("votes", 2), ("rank_by_rank", 3)])
def test_by_the_other_rules_a_run_brings_in_what_it_has_of_the_pool(rule: PoolRule, units: int) -> None:
    protocol = replace(TOP_THREE, pool_rule=rule, pool_size=2)
    runs = [run("r", {"A.1": "a b"}), run("s", {"A.1": "a c"})]  # a 2, b and c 1/2; at the first rank a, at two a b c
    rows = count_contributions(brought(runs, protocol), ["r", "s"])
    assert sum(row.unique for row in rows) + 1 == units  # both have a


def test_overlap_is_the_share_of_the_units_of_the_row_and_crowded_units_have_more_documents_than_are_judged() -> None:
    rows = overlap_of_runs(brought([ALPHA, BETA, GAMMA, run("empty", {"A.1": ""})]), 4)
    assert rows[0] == pytest.approx([1, 2 / 5, 2 / 5, 0])  # a b c x y: b and x; a and b
    assert rows[1] == pytest.approx([2 / 3, 1, 1 / 3, 0])  # b e x
    assert rows[3] == [None] * 4
    runs = [run("r", {"B.1": "f1:v f2:v g:w", "B.2": "f1:v f2:v"}), run("s", {"B.1": "f3:v f2:v", "B.2": "f1:v"})]
    assert count_crowded(brought(runs, TWO_INSTANCES), TWO_INSTANCES) == 1  # f1, f2 and f3 of v
