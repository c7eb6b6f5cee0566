"""Fusion by adding points, computed by hand and by ranx (Bassani and Romelli, CIKM 2022), whose results are stored: it
is too heavy to depend on."""

import json
import re
from pathlib import Path

import pytest

from assess.ir.common.problems import BadInput
from assess.ir.runs.fusion.lists import Method, stack
from assess.ir.runs.fusion.methods import Interpolation, Mean, ModifiedReciprocalRank, ReciprocalRank, Sum
from tests.ir.runs.fusion.lists import Scores, one_topic, order_of, ranked, scores_of

A: Scores = {"11": 9, "12": 5, "13": 1}
B: Scores = {"12": 0.2, "14": 0.1}


def approximately(scores: Scores) -> object:
    """Equal as 32-bit numbers."""
    return pytest.approx(scores, rel=1e-6, abs=2e-9)


def test_sums_by_hand() -> None:
    fused = ModifiedReciprocalRank().fuse(one_topic(A, B))
    assert scores_of(fused) == approximately({"11": 9 / 61, "12": 5 / 62 + 0.2 / 61, "13": 1 / 63, "14": 0.1 / 62})
    normalized = ModifiedReciprocalRank(normalization="min-max").fuse(one_topic(A, B))
    assert scores_of(normalized) == approximately({"12": 0.5 / 62 + 1 / 61, "11": 1 / 61, "14": 0, "13": 0})
    fused = Mean().fuse(one_topic(A, B))
    assert scores_of(fused) == approximately({"12": 0.75, "11": 0.5, "14": 0.0, "13": 0.0})
    assert order_of(fused) == ["12", "11", "14", "13"]  # ties by id as text, descending
    first = ranked("a", {"A.1": {"1": 100, "2": 0}, "A.2": {"1": 2, "2": 1}})
    fused = Mean().fuse(stack([first, ranked("b", {"A.3": {"5": 1}})]))
    assert fused.lines.select("topic_id", "score").rows()[::2] == [("A.1", 0.5), ("A.2", 0.5), ("A.3", 0.5)]
    assert order_of(Mean().fuse(one_topic({"1": 7}, {"2": 3, "3": 1}))) == ["2", "1", "3"]  # an only score becomes 1
    lists = stack([ranked("a", {"A.1": {"1": 0, "2": 9, "3": 5}}, "rank"), ranked("b", {"A.1": {"3": 1, "9": 0}})])
    assert scores_of(Mean().fuse(lists)) == approximately({"3": 0.5, "1": 0.5, "2": 0.25, "9": 0})
    lists = one_topic({"1": 1.7e308, "2": 0, "3": -1.7e308}, {"1": 1, "9": 0})
    assert scores_of(Mean().fuse(lists)) == approximately({"1": 1, "2": 0.25, "9": 0, "3": 0})
    assert order_of(Sum(normalization="none").fuse(one_topic({"1": 1.7e308, "2": 1e308}, {"1": 1.7e308}))) == ["1", "2"]


def test_formulas_are_fused_by_visual_id_with_the_instance_that_ranks_highest() -> None:
    units = {"100": "v1", "101": "v1", "200": "v2"}
    first = ranked("a", {"B.1": {"200": 9, "101": 5, "100": 4, "999": 1}}, units=units)
    second = ranked("b", {"B.1": {"100": 9, "888": 1}}, units=units)
    fused = ReciprocalRank().fuse(stack([first, second]))
    expected = {"100": 1 / 62 + 1 / 61, "200": 1 / 61, "888": 1 / 62, "999": 1 / 63}
    assert scores_of(fused) == approximately(expected)  # 999 is third: 100 and 101 are one formula
    lists = stack([ranked("a", {"B.1": {"7": 1}}, units={"7": "5"}), ranked("b", {"B.1": {"5": 1}}, units={})])
    assert order_of(ReciprocalRank().fuse(lists)) == ["7", "5"]


@pytest.mark.parametrize(
    ("method", "lists", "reason"),
    [
        (ModifiedReciprocalRank(), (A, {"12": 0.2, "14": -0.1}), "run 1: negative scores"),
        (Sum(weights=(1,)), (A, B), "1 for 2 runs"),
        (Sum(weights=(0, 0)), (A, B), "one of them more than 0"),
        (Sum(weights=(1, float("nan"))), (A, B), "a number from 0 up"),
        (Sum(normalization="none"), ({"1": -3.0}, B), "choose the normalization min-max"),
        (Interpolation(), (A, B, A), "Choose exactly two runs, a first and a second (3 chosen)"),
        (Mean(), (A,), "Choose 2 to 100 runs (1 chosen)"),
    ],
)
def test_what_cannot_be_fused_is_refused_with_the_reason(method: Mean, lists: tuple[Scores, ...], reason: str) -> None:
    with pytest.raises(BadInput, match=re.escape(reason)):
        method.fuse(one_topic(*lists))


ORACLE = json.loads((Path(__file__).parent / "ranx.json").read_text())


@pytest.mark.parametrize(
    ("name", "method", "count"),
    [
        ("rrf", ReciprocalRank(), 3),
        ("rrf k=10", ReciprocalRank(k=10), 3),
        ("sum", Sum(), 3),
        ("sum none", Sum(normalization="none"), 3),
        ("weighted", Sum(weights=(0.5, 0.3, 0.2)), 3),
        ("interpolation", Interpolation(alpha=0.18), 2),
    ],
)
def test_scores_are_those_of_ranx(name: str, method: Method, count: int) -> None:
    lists = stack([ranked(f"run {at}", docs) for at, docs in enumerate(ORACLE["lists"][:count])])
    rows = method.fuse(lists).lines.select("topic_id", "doc_id", "score").rows()
    expected = {(topic, doc): score for topic, docs in ORACLE["results"][name].items() for doc, score in docs.items()}
    assert {(topic, doc): score for topic, doc, score in rows} == pytest.approx(expected, rel=1e-6, abs=2e-9)
