"""The results of ranx (Bassani and Romelli, CIKM 2022), computed once and stored: it is too heavy to depend on."""

import json
from pathlib import Path

import pytest

from assess.ir.runs.fusion.lists import Method, stack
from assess.ir.runs.fusion.methods import Interpolation, ReciprocalRank, Sum
from tests.ir.runs.fusion.lists import ranked

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
