"""The plan of a pool says for every setting of the dials what the built pool would be."""

from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assess.ir.campaign.presets import PRESETS, Protocol
from assess.ir.common.rows import PoolRole, Retrieved
from assess.ir.pool import planning
from assess.ir.pool.planning import Cost, Dials, PoolContribution, PoolPlan, TopicCost
from assess.ir.pool.pooling import PooledRun, build_pool
from assess.ir.runs.ranking import as_ranking

ANSWERS = PRESETS["arqmath2-task1"]
FORMULAS = replace(PRESETS["arqmath2-task2"], max_instances=2)
BY_RANK = replace(FORMULAS, pool_rule="rank_by_rank", pool_size=3)
BY_VOTES = replace(FORMULAS, pool_rule="votes", pool_size=3)
DEEPEST = 12


def run(name: str, topics: dict[str, str], role: PoolRole = "primary", written: bool = False) -> PooledRun:
    """A ranking from {topic: "doc doc:unit …"}, best first."""
    ranking = [
        Retrieved(topic, rank, document.split(":")[0], document.split(":")[-1], -rank)
        for topic, documents in topics.items()
        for rank, document in enumerate(documents.split(), start=1)
    ]
    return PooledRun(name, role, as_ranking(ranking), written)


ALPHA = run("alpha", {"A.1": "a b c d", "A.2": "x y"})
BETA = run("beta", {"A.1": "b e a", "A.2": "x"}, "alternate")
GAMMA = run("gamma", {"A.1": "a b"})


def make_plan(
    runs: list[PooledRun],
    protocol: Protocol = ANSWERS,
    posts: pl.DataFrame | None = None,
    seeded: pl.DataFrame | None = None,
) -> PoolPlan:
    return planning.make_plan(runs, protocol, 7, DEEPEST, posts, seeded)


def built_size(
    runs: list[PooledRun], protocol: Protocol, posts: pl.DataFrame | None = None, seeded: pl.DataFrame | None = None
) -> Cost:
    """Of the built pool."""
    lines = build_pool(runs, protocol, 7, posts, seeded)
    return Cost(len({line[:2] for line in lines}), len(lines))


def with_dials(protocol: Protocol, at: Dials) -> Protocol:
    if protocol.pool_rule != "depth":
        return replace(protocol, pool_size=at.primary)
    return replace(protocol, primary_depth=at.primary, alternate_depth=at.alternate)


def planned_size(plan: PoolPlan, protocol: Protocol, at: Dials) -> Cost:
    entries = planning.pooled_entries(plan, at)
    topics = planning.by_topic(plan, at, protocol.max_instances, entries, ["A.1", "A.2"])
    return Cost(sum(topic.units for topic in topics), sum(topic.documents for topic in topics))


def contributions(plan: PoolPlan, at: Dials, names: list[str]) -> list[PoolContribution]:
    return planning.contributions(plan, at, planning.pooled_entries(plan, at), names)


documents = st.lists(st.sampled_from([f"{doc}:{doc[0]}" for doc in ("a1", "a2", "a3", "b1", "b2", "c1", "d1", "e1")]))
rankings = st.dictionaries(st.sampled_from(["A.1", "A.2"]), documents.map(lambda d: " ".join(dict.fromkeys(d))))
runs_of = st.lists(
    st.builds(run, st.just("r"), rankings, st.sampled_from(["primary", "alternate"]), st.booleans()), min_size=1
)


def without(runs: list[PooledRun], ranks: set[int]) -> list[PooledRun]:
    """The runs without documents at some ranks, which cannot be judged."""
    return [run._replace(ranking=run.ranking.filter(~pl.col("rank").is_in(list(ranks)))) for run in runs]


gone = st.sets(st.integers(1, 6))
protocols = st.sampled_from([ANSWERS, FORMULAS, BY_RANK, BY_VOTES])


@given(runs_of, gone, protocols, st.integers(1, 9), st.integers(1, 9))
@settings(deadline=None)
def test_the_plan_and_its_grids_have_the_size_of_the_built_pool(
    runs: list[PooledRun], gone: set[int], protocol: Protocol, primary: int, alternate: int
) -> None:
    runs = without(runs, gone)
    at = Dials(primary, alternate if protocol.pool_rule == "depth" else 0)
    expected = built_size(runs, with_dials(protocol, at))
    plan = make_plan(runs, protocol)
    assert planned_size(plan, protocol, at) == expected
    assert planning.grid(plan.entries, Dials(9, 9))[at] == expected.units
    assert planning.documents_grid(plan, Dials(9, 9), protocol.max_instances)[at] == expected.documents
    assert planning.cost(runs, replace(with_dials(protocol, at), written=True)).units == expected.units


seeds = st.sets(st.tuples(st.sampled_from(["A.1", "A.2"]), st.sampled_from(["a1", "a3", "b2", "c1", "e1", "none"])))


@given(runs_of, seeds, st.sampled_from([FORMULAS, BY_RANK, BY_VOTES]), st.integers(1, 9), st.integers(1, 9))
@settings(deadline=None)
def test_seeded_documents_are_planned_at_every_depth(
    runs: list[PooledRun], seeds: set[tuple[str, str]], protocol: Protocol, primary: int, alternate: int
) -> None:
    at = Dials(primary, alternate if protocol.pool_rule == "depth" else 0)
    seeded = pl.DataFrame(list(seeds), schema=dict.fromkeys(["topic_id", "doc_id"], pl.String), orient="row")
    expected = built_size(runs, with_dials(protocol, at), None, seeded)
    plan = make_plan(runs, protocol, None, seeded)
    assert planned_size(plan, protocol, at) == expected
    assert planning.grid(plan.entries, Dials(9, 9))[at] == expected.units
    assert planning.documents_grid(plan, Dials(9, 9), protocol.max_instances)[at] == expected.documents


def test_a_run_brings_in_what_is_seeded_from_below_its_depth() -> None:
    seeded = pl.DataFrame({"topic_id": ["A.1", "A.1"], "doc_id": ["d", "z"]})  # no run has z
    plan = make_plan([ALPHA, BETA], FORMULAS, None, seeded)
    at = Dials(1, 1)
    rows = contributions(plan, at, ["alpha", "beta"])
    assert rows == [
        PoolContribution("alpha", 3, 2, 6, 4),
        PoolContribution("beta", 2, 1, 4, 3),
    ]  # alpha a d x; beta b x
    assert planning.grid(plan.entries, Dials(1, 1)).tolist() == [[1, 3], [3, 4]]  # d needs no depth


def test_grids_are_added_up_over_chunks_of_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "CHUNK", 2)
    documents = " ".join(f"{unit}{n}:{unit}" for unit in "abcde" for n in range(3))  # 5 units of 3
    grid = planning.documents_grid(make_plan([run("r", {"A.1": documents})], FORMULAS), Dials(5, 1), 2)
    assert grid[:, 0].tolist() == [0, 1, 3, 5, 7, 9]  # the last unit is read to its first instance only


def test_posts_are_counted_if_one_document_of_each_is_taken() -> None:
    protocol = replace(FORMULAS, one_per_post=True, primary_depth=2)
    posts = pl.DataFrame({"doc_id": ["a1", "a2", "a3"], "post_id": ["p", "p", ""]})
    runs = [run("r", {"A.1": "a1:a a2:a a3:a b1:b"})]
    plan = make_plan(runs, protocol, posts)
    assert planned_size(plan, protocol, Dials(2, 1)) == built_size(runs, protocol, posts) == Cost(2, 3)  # p, a3; b1


def test_topics_are_counted_in_the_given_order_including_empty_ones() -> None:
    plan = make_plan([run("r", {"A.1": "f1:v f2:v f3:v g:w h:x"})], FORMULAS)
    at = Dials(2, 1)
    rows = planning.by_topic(plan, at, 2, planning.pooled_entries(plan, at), ["A.9", "A.1"])
    assert rows == [TopicCost("A.9", 0, 0, 0), TopicCost("A.1", 2, 3, 1)]  # v has three instances: two and one crowded


def test_a_run_brings_in_its_prefix_and_unique_are_units_of_no_other_run() -> None:
    plan = make_plan([ALPHA, BETA, GAMMA])
    at = Dials(3, 2)
    rows = contributions(plan, at, ["alpha", "beta", "gamma"])
    assert rows == [
        PoolContribution("alpha", 5, 2, 6, 5),  # a b c x y; unique c and y; d is fourth and not judged
        PoolContribution("beta", 3, 1, 4, 4),  # b e x; unique e; a is below its depth but judged for alpha
        PoolContribution("gamma", 2, 0, 2, 2),
    ]
    assert [row.is_judged for row in rows] == [False, True, True]
    assert [row.percent for row in rows] == [83.3, 100, 100]


def test_a_team_brings_in_the_units_of_its_runs_and_unique_are_units_of_no_other_team() -> None:
    plan = make_plan([ALPHA, BETA, GAMMA])
    at = Dials(3, 2)
    rows = contributions(plan, at, ["One", "Two", "One"])
    assert rows == [PoolContribution("One", 5, 3, 8, 7), PoolContribution("Two", 3, 1, 4, 4)]


def test_judged_at_10_is_100_only_if_all_are_judged_and_none_without_results() -> None:
    assert PoolContribution("r", 9, 9, 10_000, 9_999).percent == 99.9
    assert PoolContribution("r", 0, 0, 0, 0).percent is None


def test_a_plan_of_no_runs_is_empty() -> None:
    plan = make_plan([])
    at = Dials(3, 2)
    entries = planning.pooled_entries(plan, at)
    assert planning.by_topic(plan, at, 5, entries, ["A.1"]) == [TopicCost("A.1", 0, 0, 0)]
    assert planning.contributions(plan, at, entries, []) == []
    assert planning.overlap(plan, at, entries, 0) == []


def test_only_pooled_units_count() -> None:
    plan = make_plan([ALPHA])
    only = plan.entries.with_row_index("entry").filter(pl.col("unit_id") == "a").select("entry")
    assert planning.contributions(plan, Dials(3, 2), only, ["alpha"]) == [PoolContribution("alpha", 1, 1, 6, 1)]


def test_a_shallow_plan_still_counts_the_first_ten() -> None:
    deep = run("r", {"A.1": " ".join(f"d{n}" for n in range(20))})
    plan = planning.make_plan([deep], ANSWERS, 7, 3)
    at = Dials(3, 3)
    assert contributions(plan, at, ["r"]) == [PoolContribution("r", 3, 3, 10, 3)]


def test_overlap_is_the_share_of_the_units_of_the_row_that_the_column_has() -> None:
    plan = make_plan([ALPHA, BETA, GAMMA, run("empty", {"A.1": ""})])
    at = Dials(3, 2)
    rows = planning.overlap(plan, at, planning.pooled_entries(plan, at), 4)
    assert rows[0] == pytest.approx([1, 2 / 5, 2 / 5, 0])  # a b c x y: b and x; a and b
    assert rows[1] == pytest.approx([2 / 3, 1, 1 / 3, 0])  # b e x
    assert rows[3] == [None] * 4


def test_another_protocol_may_judge_each_instance_and_exclude_written_answers() -> None:
    formulas = run("r", {"B.1": "f1:v f2:v g:w"})
    assert planning.cost([formulas], replace(FORMULAS, primary_depth=2)) == Cost(2, 3)
    assert planning.cost([formulas], PRESETS["ntcir12-formula"]) == Cost(3, 3)
    written = run("w", {"A.1": "own"}, written=True)
    assert planning.cost([GAMMA, written], PRESETS["arqmath3-task1"]) == Cost(3, 3)
    assert planning.cost([GAMMA, written], PRESETS["arqmath2-task1"]) == Cost(2, 2)


def test_a_protocol_by_votes_limits_the_units_of_each_topic() -> None:
    runs = [run("r", {"A.1": "a b c", "A.2": "a"})]
    assert planning.cost(runs, replace(PRESETS["ntcir11-main"], pool_size=2)) == Cost(3, 3)


@pytest.mark.parametrize(("protocol", "expected"), [(ANSWERS, Dials(45, 15)), (BY_RANK, Dials(3))])
def test_the_dials_of_a_protocol_are_its_depths_or_its_pool_size(protocol: Protocol, expected: Dials) -> None:
    assert planning.dials(protocol) == expected
