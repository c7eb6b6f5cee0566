"""Pools small enough to check by eye; `test_pool_definitions` has every option."""

from dataclasses import replace

import pytest

from assess.ir.campaign.presets import PRESETS
from assess.ir.campaign.protocol import InstanceRule, Protocol
from assess.ir.common.rows import PoolLine, PoolRole
from assess.ir.pool.pooling import PooledRun, build_pool, count_without_unit
from tests.rankings import Retrieved, as_ranking

ANSWERS = replace(PRESETS["arqmath2-task1"], primary_depth=2, alternate_depth=1)
FORMULAS = replace(PRESETS["arqmath2-task2"], primary_depth=2, alternate_depth=1)


def run(name: str, documents: str, role: PoolRole = "primary", topic: str = "B.1", written: bool = False) -> PooledRun:
    """A ranking of one topic from "doc" or "doc:unit", best first."""
    pairs = [(document.split(":") * 2)[:2] for document in documents.split()]
    ranking = [Retrieved(topic, rank, doc, unit, -rank) for rank, (doc, unit) in enumerate(pairs, start=1)]
    return PooledRun(name, role, as_ranking(ranking), written)


def pooled(runs: list[PooledRun], protocol: Protocol, seed: int = 1) -> set[str]:
    return {line.doc_id for line in build_pool(runs, protocol, seed)}


@pytest.mark.parametrize(
    ("runs", "protocol", "expected"),
    [
        ([run("a", "a1 a2 a3"), run("b", "b1 b2", "alternate"), run("c", "c1", "none")], ANSWERS, "a1 a2 b1"),
        ([run("a", "f1:v1 f2:v1 f3:v1 f4:v2 f5:v2 f6:v3")], FORMULAS, "f1 f2 f3 f4"),  # f5 is below the first of v2
        ([run("a", "f1:v1 f2:v1 f3:v1")], FORMULAS, "f1 f2 f3"),  # fewer different formulas
        ([run(name, f"{name}1:v1 {name}2:v2 z:v1") for name in "ab"], FORMULAS, "a1 a2 b1 b2"),  # z is below the depth
        ([run("a", "post1 post2 post3"), run("w", "d1 d2", "alternate", written=True)], ANSWERS, "post1 post2 d1 d2"),
        ([], ANSWERS, ""),
    ],
)
def test_a_run_is_pooled_to_the_depth_of_its_role(runs: list[PooledRun], protocol: Protocol, expected: str) -> None:
    assert pooled(runs, protocol) == set(expected.split())


@pytest.mark.parametrize(("priorities", "expected"), [(1, "a1 a2"), (2, "a1 a2 b1"), (5, "a1 a2 b1 e1")])
def test_runs_are_pooled_in_the_order_of_their_priorities(priorities: int, expected: str) -> None:
    runs = [run("a", "a1 a2 a3", "1"), run("b", "b1 b2", "2"), run("e", "e1 e2", "5")]
    assert pooled(runs, replace(ANSWERS, priorities=priorities)) == set(expected.split())


def test_votes_and_runs_are_counted_over_the_whole_lists_of_runs_with_a_role() -> None:
    runs = [run("a", "x y z"), run("b", "p q z y"), run("c", "y", "none")]
    lines = {line.doc_id: line for line in build_pool(runs, ANSWERS, 1)}
    assert lines["y"] == PoolLine("B.1", "y", "y", 0.75, 2)  # 1/2 pooled, 1/4 below the depth of b
    assert "z" not in lines  # third in both


def test_formulas_without_a_visual_id_are_not_pooled_and_do_not_count_toward_the_depth() -> None:
    ranking = [Retrieved("B.1", 1, "f0", "", 3), Retrieved("B.1", 2, "f1", "v1", 2)]
    alternate = PooledRun("a", "alternate", as_ranking(ranking))
    assert pooled([alternate], FORMULAS) == {"f1"}
    assert count_without_unit(alternate) == 1


def test_a_half_ties_with_a_third_and_a_sixth() -> None:
    protocol = replace(FORMULAS, max_instances=1, primary_depth=6)
    runs = [
        run("a", "a1 x:v a3"),  # x: 1/2
        run("b", "b1 b2 y:v"),  # y: 1/3
        run("c", "c1 c2 c3 c4 c5 y:v"),  # y: 1/6
    ]
    chosen = {tuple(pooled(runs, protocol, seed) & {"x", "y"}) for seed in range(20)}
    assert chosen == {("x",), ("y",)}


def test_arqmath_1_prefers_instances_that_the_most_runs_brought_in() -> None:
    protocol = replace(PRESETS["arqmath1-task2"], primary_depth=3, alternate_depth=1, max_instances=1)
    runs = [
        run("a", "x:v p q"),  # x: 1 vote, brought in once
        run("b", "r s y:v"),  # y: 1/3
        run("c", "r s y:v"),  # y: 2/3, brought in twice
        run("d", "r x:v", "alternate"),  # x below the depth: not brought in
        run("e", "r x:v", "alternate"),  # retrieved by three runs, brought in by one
    ]
    assert pooled(runs, protocol) & {"x", "y"} == {"y"}
    assert pooled(runs, replace(protocol, instance_rule="reciprocal_rank_vote")) & {"x", "y"} == {"x"}


@pytest.mark.parametrize("rule", ["most_runs", "reciprocal_rank_vote"])
def test_ties_are_broken_by_the_seed_separately_for_each_topic(rule: InstanceRule) -> None:
    protocol = replace(FORMULAS, max_instances=1, instance_rule=rule)
    runs = [run(f"r{doc}{topic}", f"f{doc}:v", topic=topic) for doc in range(9) for topic in ("B.1", "B.2")]
    drawn = [[line.doc_id for line in build_pool(runs, protocol, seed)] for seed in range(8)]
    assert len({first for first, _ in drawn}) > 2
    assert any(first != second for first, second in drawn)
