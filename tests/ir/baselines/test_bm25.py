from collections.abc import Mapping, Sequence
from math import log

import pytest

from assess.ir.baselines.search import Bm25, rank_by_bm25

DOCUMENTS = [("1", ["a", "b"]), ("2", ["a", "a", "c", "d"]), ("3", ["d", "d", "d"])]  # lengths 2, 4, 3: mean 3


def scores(
    query: Mapping[str, float], documents: Sequence[tuple[str, Sequence[str]]] = DOCUMENTS, **constants: float
) -> dict[str, float]:
    return {row.doc_id: row.score for row in rank_by_bm25({"A.1": query}, documents, Bm25(**constants))}


def test_scores_and_order_of_bm25() -> None:
    rarity = log((3 - 2 + 0.5) / (2 + 0.5) + 1)  # "a" is in two of three documents
    expected = {
        "1": rarity * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / 3)),
        "2": rarity * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 4 / 3)),
    }
    assert scores({"a": 1.0}) == pytest.approx(expected, abs=1e-6)
    a, d = scores({"a": 1.0}), scores({"d": 1.0})
    mixed = {doc: 0.3 * a.get(doc, 0) + 0.7 * d.get(doc, 0) for doc in ("1", "2", "3")}
    assert scores({"a": 0.3, "d": 0.7}) == pytest.approx(mixed, abs=2e-6)
    once = [("short", ["a"]), ("long", ["a", "x", "y", "z"]), ("other", ["b"])]
    without_b = scores({"a": 1.0}, once, b=0.0)
    assert without_b["short"] == without_b["long"] > 0
    twins = [("9", ["a"]), ("10", ["a"]), ("11", ["b"])]
    assert [row.doc_id for row in rank_by_bm25({"A.1": {"a": 1.0}}, twins)] == ["9", "10"]
    many = [(str(number), ["a"]) for number in range(20)]
    doc_ids = [row.doc_id for row in rank_by_bm25({"A.1": {"a": 1.0}}, many, limit=3)]
    assert doc_ids == ["9", "8", "7"]  # as text: 9, 8, 7 … 19, 18
    queries = {"A.1": {"a": 1.0, "d": 0.5}, "A.2": {"c": 1.0}}
    assert rank_by_bm25(queries, DOCUMENTS) == rank_by_bm25(queries, DOCUMENTS[::-1])
    assert rank_by_bm25({}, DOCUMENTS) == rank_by_bm25({"A.1": {}}, DOCUMENTS) == []
    assert rank_by_bm25({"A.1": {"a": 1.0}}, []) == rank_by_bm25({"A.1": {"a": 1.0}}, [("1", [])]) == []
