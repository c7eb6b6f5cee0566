"""Every preset and option of pooling, compared with a slow independent implementation (``slow_pool``)."""

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assess.ir.campaign.presets import PRESETS
from assess.ir.campaign.protocol import InstanceRule, Protocol
from assess.ir.formats.pools import write_pool
from assess.ir.pool.pooling import PooledRun, build_pool, unit_sizes
from tests.ir.slow_pool import slow_pool
from tests.rankings import Retrieved, as_ranking

documents = st.lists(st.integers(0, 39), unique=True, max_size=20)


Lab = tuple[list[dict[str, Any]], Protocol]


@st.composite
def labs(draw: st.DrawFn) -> Lab:
    """Runs over 40 documents: answers or, by the preset, formulas of 9 shapes, some without a shape."""
    rules = PRESETS[draw(st.sampled_from(sorted(PRESETS)))]
    small: dict[str, Any] = {
        name: draw(st.integers(1, 5)) for name in ("primary_depth", "alternate_depth", "max_instances")
    }
    instances = draw(st.sampled_from(get_args(InstanceRule)))
    rules = replace(rules, **small, pool_size=draw(st.integers(1, 12)), instance_rule=instances)
    by_shape = rules.task == "formulas" and rules.unit == "visual"
    runs = []
    for _ in range(draw(st.integers(1, 5))):
        lists = draw(st.dictionaries(st.sampled_from(["B.1", "B.2", "B.10"]), documents))
        runs.append(
            {
                "role": draw(st.sampled_from(["primary", "alternate", "none"])),
                "written": rules.written and draw(st.booleans()),
                "lists": {
                    topic: [(f"f{doc}", shape(doc) if by_shape else f"f{doc}") for doc in documents]
                    for topic, documents in lists.items()
                },
            }
        )
    return runs, rules


def shape(doc: int) -> str:
    return f"v{doc % 9}" if doc % 10 else ""


def pooled(runs: list[dict[str, Any]]) -> list[PooledRun]:
    return [
        PooledRun(f"r{place}", run["role"], as_ranking(rows_of(run)), run["written"]) for place, run in enumerate(runs)
    ]


def pool_of(runs: list[dict[str, Any]], rules: Protocol, seed: int) -> str:
    return write_pool(build_pool(pooled(runs), rules, seed))


def rows_of(run: dict[str, Any]) -> list[Retrieved]:
    return [
        Retrieved(topic, rank, doc, unit, -rank)
        for topic, documents in sorted(run["lists"].items())
        for rank, (doc, unit) in enumerate(documents, start=1)
    ]


@settings(max_examples=300)
@given(labs(), st.integers(0, 5), st.randoms(use_true_random=False))
def test_a_pool_of_any_preset_follows_its_rules_in_any_order_of_the_runs(lab: Lab, seed: int, random: Random) -> None:
    runs, rules = lab
    pool = slow_pool(runs, rules.to_dict(), seed)
    assert pool_of(runs, rules, seed) == pool_of(random.sample(runs, len(runs)), rules, seed) == pool
    sizes = Counter(tuple(line.split("\t")[:2]) for line in pool.splitlines()[1:])
    with_role = [run for run in pooled(runs) if run.role != "none"]
    assert {(topic, unit): size for topic, unit, size in unit_sizes(with_role, rules, seed).iter_rows()} == sizes


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_pools_something(name: str) -> None:
    lists = {"B.1": [(f"f{doc}", f"f{doc}") for doc in range(30)]}
    runs = [{"role": "primary", "written": False, "lists": lists}]
    size = PRESETS[name].pool_size or PRESETS[name].primary_depth
    assert pool_of(runs, PRESETS[name], 1).count("\n") == 1 + min(30, size)
