"""Pools small enough to check by eye; `test_pool_definitions` has every option."""

from dataclasses import replace

import pytest

from assess.ir.campaign.presets import PRESETS
from assess.ir.campaign.protocol import Protocol
from assess.ir.common.rows import PoolRole
from assess.ir.pool.pooling import PooledRun, build_pool
from tests.rankings import as_ranking, listed

ANSWERS = replace(PRESETS["arqmath2-task1"], primary_depth=2, alternate_depth=1)
FORMULAS = replace(PRESETS["arqmath2-task2"], primary_depth=2, alternate_depth=1)


def run(name: str, documents: str, role: PoolRole = "primary") -> PooledRun:
    return PooledRun(name, role, as_ranking(listed(documents.split())))


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
