"""The plan of a pool says for every setting of the dials what the pool would be if it were built."""

from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assess.ir.campaign.presets import PRESETS
from assess.ir.common.rows import Retrieved
from assess.ir.pool import planning
from assess.ir.pool.planning import Cost, Dials, Share, TopicCost
from assess.ir.pool.pooling import PooledRun, build_pool
from assess.ir.runs.ranking import as_ranking

ANSWERS = PRESETS["arqmath2-task1"]
FORMULAS = replace(PRESETS["arqmath2-task2"], max_instances=2)
BY_RANK = replace(FORMULAS, pool_rule="rank_by_rank", pool_size=3)
BY_VOTES = replace(FORMULAS, pool_rule="votes", pool_size=3)
DEEPEST = 12


def run(name, topics, role="primary", written=False):
    """A ranking from {topic: "doc doc:unit …"}, best first."""
    ranking = [
        Retrieved(topic, rank, *(document.split(":") * 2)[:2], -rank)
        for topic, documents in topics.items()
        for rank, document in enumerate(documents.split(), start=1)
    ]
    return PooledRun(name, role, as_ranking(ranking), written)


ALPHA = run("alpha", {"A.1": "a b c d", "A.2": "x y"})
BETA = run("beta", {"A.1": "b e a", "A.2": "x"}, "alternate")
GAMMA = run("gamma", {"A.1": "a b"})


def plan(runs, protocol=ANSWERS, posts=None, seeded=None):
    return planning.make(runs, protocol, 7, DEEPEST, posts, seeded)


def size(runs, protocol, posts=None, seeded=None):
    """The pool as it is built: different units, documents."""
    lines = build_pool(runs, protocol, 7, posts, seeded)
    return Cost(len({line[:2] for line in lines}), len(lines))


def with_dials(protocol, at):
    if protocol.pool_rule != "depth":
        return replace(protocol, pool_size=at.primary)
    return replace(protocol, primary_depth=at.primary, alternate_depth=at.alternate)


def planned(found, protocol, at):
    entries = planning.pooled(found, at)
    topics = planning.by_topic(found, at, protocol.max_instances, entries, ["A.1", "A.2"])
    return Cost(sum(one.units for one in topics), sum(one.documents for one in topics))


documents = st.lists(st.sampled_from([f"{doc}:{doc[0]}" for doc in ("a1", "a2", "a3", "b1", "b2", "c1", "d1", "e1")]))
rankings = st.dictionaries(st.sampled_from(["A.1", "A.2"]), documents.map(lambda d: " ".join(dict.fromkeys(d))))
runs_of = st.lists(
    st.builds(run, st.just("r"), rankings, st.sampled_from(["primary", "alternate"]), st.booleans()), min_size=1
)


def without(runs, ranks):
    """The runs without some of their ranks: what stands there cannot be judged."""
    return [one._replace(ranking=one.ranking.filter(~pl.col("rank").is_in(list(ranks)))) for one in runs]


gone = st.sets(st.integers(1, 6))
protocols = st.sampled_from([ANSWERS, FORMULAS, BY_RANK, BY_VOTES])


@given(runs_of, gone, protocols, st.integers(1, 9), st.integers(1, 9))
@settings(deadline=None)
def test_the_plan_and_its_grids_have_the_size_of_the_pool_that_is_built(runs, gone, protocol, primary, alternate):
    runs = without(runs, gone)
    at = Dials(primary, alternate if protocol.pool_rule == "depth" else 0)
    expected = size(runs, with_dials(protocol, at))
    found = plan(runs, protocol)
    assert planned(found, protocol, at) == expected
    assert planning.grid(found.entries, Dials(9, 9))[at] == expected.units
    assert planning.documents_grid(found, Dials(9, 9), protocol.max_instances)[at] == expected.documents
    assert planning.cost(runs, replace(with_dials(protocol, at), written=True)).units == expected.units


seeds = st.sets(st.tuples(st.sampled_from(["A.1", "A.2"]), st.sampled_from(["a1", "a3", "b2", "c1", "e1", "none"])))


@given(runs_of, seeds, st.sampled_from([FORMULAS, BY_RANK, BY_VOTES]), st.integers(1, 9), st.integers(1, 9))
@settings(deadline=None)
def test_what_a_pool_of_answers_seeds_is_planned_at_every_depth(runs, seeds, protocol, primary, alternate):
    at = Dials(primary, alternate if protocol.pool_rule == "depth" else 0)
    seeded = pl.DataFrame(list(seeds), schema=dict.fromkeys(["topic_id", "doc_id"], pl.String), orient="row")
    expected = size(runs, with_dials(protocol, at), None, seeded)
    found = plan(runs, protocol, None, seeded)
    assert planned(found, protocol, at) == expected
    assert planning.grid(found.entries, Dials(9, 9))[at] == expected.units
    assert planning.documents_grid(found, Dials(9, 9), protocol.max_instances)[at] == expected.documents


def test_a_run_brings_in_what_is_seeded_from_below_its_depth():
    seeded = pl.DataFrame({"topic_id": ["A.1", "A.1"], "doc_id": ["d", "z"]})  # z: no run has it
    found = plan([ALPHA, BETA], FORMULAS, None, seeded)
    at = Dials(1, 1)
    rows = planning.shares(found, at, planning.pooled(found, at), ["alpha", "beta"])
    assert rows == [Share("alpha", 3, 2, 6, 4), Share("beta", 2, 1, 4, 3)]  # alpha a d x; beta b x
    assert planning.grid(found.entries, Dials(1, 1)).tolist() == [[1, 3], [3, 4]]  # d needs no depth


def test_grids_of_more_units_than_are_counted_at_a_time_add_up(monkeypatch):
    monkeypatch.setattr(planning, "CHUNK", 2)
    one = run("r", {"A.1": " ".join(f"{unit}{n}:{unit}" for unit in "abcde" for n in range(3))})  # 5 units of 3
    found = planning.documents_grid(plan([one], FORMULAS), Dials(5, 1), 2)
    assert found[:, 0].tolist() == [0, 1, 3, 5, 7, 9]  # the last one is read to its first instance


def test_where_one_document_of_each_post_is_taken_posts_are_counted():
    protocol = replace(FORMULAS, one_per_post=True, primary_depth=2)
    posts = pl.DataFrame({"doc_id": ["a1", "a2", "a3"], "post_id": ["p", "p", ""]})
    runs = [run("r", {"A.1": "a1:a a2:a a3:a b1:b"})]
    found = plan(runs, protocol, posts)
    assert planned(found, protocol, Dials(2, 1)) == size(runs, protocol, posts) == Cost(2, 3)  # p, a3; b1


def test_topics_are_counted_in_the_order_asked_for_with_those_that_no_run_has():
    found = plan([run("r", {"A.1": "f1:v f2:v f3:v g:w h:x"})], FORMULAS)
    at = Dials(2, 1)
    rows = planning.by_topic(found, at, 2, planning.pooled(found, at), ["A.9", "A.1"])
    assert rows == [TopicCost("A.9", 0, 0, 0), TopicCost("A.1", 2, 3, 1)]  # v has three instances: two and one crowded


def test_a_run_brings_in_its_prefix_and_alone_what_no_other_does():
    found = plan([ALPHA, BETA, GAMMA])
    at = Dials(3, 2)
    rows = planning.shares(found, at, planning.pooled(found, at), ["alpha", "beta", "gamma"])
    assert rows == [
        Share("alpha", 5, 2, 6, 5),  # a b c x y; c and y; d is fourth and not judged
        Share("beta", 3, 1, 4, 4),  # b e x; e; a lies below its depth and is judged because of alpha
        Share("gamma", 2, 0, 2, 2),
    ]
    assert [row.is_judged for row in rows] == [False, True, True]
    assert [row.percent for row in rows] == [83.3, 100, 100]


def test_a_team_brings_in_what_its_runs_do_and_alone_what_no_other_team_does():
    found = plan([ALPHA, BETA, GAMMA])
    at = Dials(3, 2)
    rows = planning.shares(found, at, planning.pooled(found, at), ["One", "Two", "One"])
    assert rows == [Share("One", 5, 3, 8, 7), Share("Two", 3, 1, 4, 4)]


def test_the_share_of_judged_is_100_for_all_and_unknown_for_none():
    assert Share("r", 9, 9, 10_000, 9_999).percent == 99.9
    assert Share("r", 0, 0, 0, 0).percent is None


def test_a_plan_of_no_runs_is_empty():
    found = plan([])
    at = Dials(3, 2)
    entries = planning.pooled(found, at)
    assert planning.by_topic(found, at, 5, entries, ["A.1"]) == [TopicCost("A.1", 0, 0, 0)]
    assert planning.shares(found, at, entries, []) == planning.overlap(found, at, entries, 0) == []


def test_only_units_that_are_in_the_pool_count():
    found = plan([ALPHA])
    only = found.entries.with_row_index("entry").filter(pl.col("unit_id") == "a").select("entry")
    assert planning.shares(found, Dials(3, 2), only, ["alpha"]) == [Share("alpha", 1, 1, 6, 1)]


def test_the_first_ten_are_known_to_a_plan_that_is_less_deep():
    one = run("r", {"A.1": " ".join(f"d{n}" for n in range(20))})
    found = planning.make([one], ANSWERS, 7, 3)
    at = Dials(3, 3)
    assert planning.shares(found, at, planning.pooled(found, at), ["r"]) == [Share("r", 3, 3, 10, 3)]


def test_the_overlap_is_the_share_of_the_rows_units_that_the_column_has():
    found = plan([ALPHA, BETA, GAMMA, run("empty", {"A.1": ""})])
    at = Dials(3, 2)
    rows = planning.overlap(found, at, planning.pooled(found, at), 4)
    assert rows[0] == pytest.approx([1, 2 / 5, 2 / 5, 0])  # a b c x y: b and x; a and b
    assert rows[1] == pytest.approx([2 / 3, 1, 1 / 3, 0])  # b e x
    assert rows[3] == [None] * 4


def test_another_protocol_may_take_each_formula_for_itself_and_no_written_answers():
    formulas = run("r", {"B.1": "f1:v f2:v g:w"})
    assert planning.cost([formulas], replace(FORMULAS, primary_depth=2)) == Cost(2, 3)
    assert planning.cost([formulas], PRESETS["ntcir12-formula"]) == Cost(3, 3)
    written = run("w", {"A.1": "own"}, written=True)
    assert planning.cost([GAMMA, written], PRESETS["arqmath3-task1"]) == Cost(3, 3)
    assert planning.cost([GAMMA, written], PRESETS["arqmath2-task1"]) == Cost(2, 2)


def test_the_units_with_most_votes_are_as_many_as_the_protocol_says():
    runs = [run("r", {"A.1": "a b c", "A.2": "a"})]
    assert planning.cost(runs, replace(PRESETS["ntcir11-main"], pool_size=2)) == Cost(3, 3)


@pytest.mark.parametrize(("protocol", "expected"), [(ANSWERS, Dials(45, 15)), (BY_RANK, Dials(3))])
def test_the_dials_stand_where_the_protocol_says(protocol, expected):
    assert planning.dials(protocol) == expected
