"""Which topics a release leaves out."""

from collections import Counter

from assess.ir.formats.qrels import read_qrels
from assess.ir.releases.retention import removed
from tests.real import data_file

RELEVANT = {"A.1": 2, "A.2": 1}
JUDGED = ["A.1", "A.2", "A.3"]


def test_topics_with_fewer_relevant_units_are_removed() -> None:
    assert removed(JUDGED, RELEVANT, 2, {}) == ["A.2", "A.3"]
    assert removed(JUDGED, RELEVANT, 1, {}) == ["A.3"]
    assert removed(JUDGED, RELEVANT, 0, {}) == []


def test_organizers_decide_otherwise() -> None:
    assert removed(JUDGED, RELEVANT, 2, {"A.1": "removed", "A.2": "test", "A.3": "additional"}) == ["A.1"]


def test_the_labs_removed_these_topics() -> None:
    for name, topics in (
        ("qrels.arqmath-2021-task1-official.txt", []),
        ("qrels.arqmath-2021-task2.txt", ["B.243", "B.266"]),  # as the overview says; the official ones lack them
        ("qrels.arqmath-2021-task2-official.v3.txt", []),
        ("qrels.arqmath-2020-task2-visual_ids.v3.txt", ["B.32"]),  # kept: ARQMath-1 had no such rule
    ):
        with data_file(f"qrels/{name}").open("rb") as source:
            qrels = read_qrels(source, name)[0]
        relevant = Counter(qrel.topic_id for qrel in qrels if qrel.grade >= 2)
        assert removed({qrel.topic_id for qrel in qrels}, relevant, 2, {}) == topics, name
