"""Every method returns at most 1,000 documents for each topic, with falling scores, whatever the input's order. Of
MIRMU's published ensemble only the result can be checked: most of its runs are not published."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assess.ir.common.rows import Qrel
from assess.ir.formats.qrels import read_qrels
from assess.ir.formats.runs import read_run
from assess.ir.runs.fusion.lists import Method, RankedList, falling, stack, with_falling_scores
from assess.ir.runs.fusion.methods import METHODS, method
from assess.ir.runs.ranking import LIMIT, order
from assess.ir.scores import definitions, measures
from tests.ir.runs.fusion.lists import one_topic, order_of, ranked
from tests.real import data_file

DOCS = [str(number) for number in range(8)]
QRELS = [Qrel(topic, doc, grade) for topic in ("A.1", "A.2") for grade, doc in enumerate(DOCS[:4])]
numbers = st.integers(-8, 8).map(lambda number: number / 4)
topics = st.dictionaries(
    st.sampled_from(["A.1", "A.2"]), st.dictionaries(st.sampled_from(DOCS), numbers, min_size=1), min_size=1
)
NEEDED: dict[str, dict[str, Any]] = {"modified-rrf": {"normalization": "min-max"}, "hybrid": {"top": 2}, "ensemble": {}}
SYMMETRIC = ("rrf", "modified-rrf", "mean", "sum")


def made(name: str) -> Method:
    return method(name, NEEDED.get(name, {}), QRELS)


def fixed(name: str, given_lists: tuple[dict[str, dict[str, float]], ...]) -> list[RankedList]:
    """The lists; regression needs two topics with a judged document."""
    extra: dict[str, float] = {"0": 1.0, "1": 0.5} if name == "regression" else {}
    filled = [{topic: {**extra, **each.get(topic, {})} for topic in ("A.1", "A.2")} for each in given_lists]
    return [
        ranked(f"run {at}", {topic: docs for topic, docs in each.items() if docs}) for at, each in enumerate(filled)
    ]


@pytest.mark.parametrize("name", METHODS)
@settings(max_examples=15)
@given(given_lists=st.tuples(topics, topics))
def test_a_fused_run_has_each_document_once_with_falling_scores(
    name: str, given_lists: tuple[dict[str, dict[str, float]], ...]
) -> None:
    items = fixed(name, given_lists)
    lines = made(name).fuse(stack(items)).lines
    retrieved = {row for item in items for row in item.ranking.select("topic_id", "doc_id").iter_rows()}
    pairs = lines.select("topic_id", "doc_id").rows()
    assert len(pairs) == len(set(pairs))
    assert set(pairs) <= retrieved if name == "hybrid" else set(pairs) == retrieved
    for topic in lines.partition_by("topic_id"):
        assert topic["rank"].to_list() == list(range(1, len(topic) + 1))
        assert (topic["score"].diff().drop_nulls() < 0).all()


@pytest.mark.parametrize("name", SYMMETRIC)
@settings(max_examples=15)
@given(given_lists=st.tuples(topics, topics, topics))
def test_the_order_of_the_runs_does_not_matter(name: str, given_lists: tuple[dict[str, dict[str, float]], ...]) -> None:
    items = [ranked(f"run {at}", each) for at, each in enumerate(given_lists)]
    first, *others = (made(name).fuse(stack(order)).lines for order in (items, items[::-1], items[1:] + items[:1]))
    assert all(other.equals(first) for other in others)


@given(scores=st.lists(st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([0.0, 1.0, -1.0]))))
def test_scores_are_lowered_only_where_they_would_not_fall(scores: list[float]) -> None:
    scores = sorted((score for score in scores if not 0 < abs(score) < 1e-8 and abs(score) < 1e37), reverse=True)
    result = falling(np.array(scores, dtype=np.float64))
    assert result.dtype == np.float32
    assert (np.diff(result) < 0).all()
    assert (result <= np.array(scores, dtype=np.float32)).all()
    assert result.tolist() == pytest.approx(scores, rel=1e-4, abs=1e-7)


def test_scores_fall_and_no_more_than_1000_documents_of_a_topic_are_kept() -> None:
    scores = np.array([3.5, 1.0, 0.25, 0.0, -0.5], dtype=np.float64)
    assert falling(scores).tolist() == scores.tolist()
    result = falling(np.zeros(1000))
    assert result[0] == 0
    assert result[1] == pytest.approx(-(2**-30))
    assert result[-1] == pytest.approx(-(2**-30), rel=1e-3)
    first: dict[str, float] = {f"a{number}": -number for number in range(LIMIT)}
    second: dict[str, float] = {f"b{number}": -number for number in range(LIMIT)}
    for name in ("rrf", "ensemble", "hybrid"):
        assert len(made(name).fuse(one_topic(first, second)).lines) == LIMIT


def test_the_hybrid_has_the_top_of_the_first_run_then_the_second_without_it() -> None:
    lists = one_topic({"1": 9, "2": 8, "3": 7}, {"4": 9, "2": 8, "3": 7})
    fused = method("hybrid", {"top": 2}).fuse(lists)
    assert order_of(fused) == ["1", "2", "4", "3"]  # 3 comes from the second run
    assert fused.lines["score"].to_list() == [1000, 999, 998, 997]
    assert order_of(method("hybrid", {"top": 1}).fuse(lists)) == ["1", "4", "2", "3"]
    items = [ranked("a", {"A.1": {"1": 1}}), ranked("b", {"A.2": {"2": 1}})]
    assert made("hybrid").fuse(stack(items)).lines["topic_id"].to_list() == ["A.1", "A.2"]  # only the second has A.2
    units = {"100": "v1", "101": "v1", "200": "v2"}
    first = ranked("a", {"B.1": {"200": 9, "100": 5}}, units=units)
    second = ranked("b", {"B.1": {"101": 9}}, units=units)
    assert order_of(method("hybrid", {"top": 2}).fuse(stack([first, second])), "B.1") == ["200", "100"]


def ndcg(ranking: pl.DataFrame) -> float:
    with data_file("qrels/qrels.arqmath-2020-task1.txt").open("rb") as source:
        qrels = read_qrels(source, "qrels").qrels
    scores = measures.score("ensemble", ranking.with_columns(unit_id="doc_id"), qrels)
    names = [definitions.NDCG]
    [mean] = measures.means(measures.complete_scores("ensemble", scores, qrels, names, "qrels"), names)
    return mean.value


def test_falling_scores_keep_the_result_of_the_ensemble_of_task_1() -> None:
    path = "runs/arqmath1-task1-ensembles/ensemble-task1.tsv"
    with data_file(path).open("rb") as source:
        run = order(read_run(source, path).lines, "rank")
    assert ndcg(with_falling_scores(run)) == pytest.approx(0.4194, abs=5e-5)
    assert ndcg(run) == pytest.approx(0.3979, abs=5e-5)
