"""Leaderboards under each assessor, on two runs over two documents."""

from math import log2
from typing import Any

import pytest

from assess.ir.common.rows import JudgmentRow, Qrel
from assess.ir.runs.ranking import prime
from assess.ir.scores.leaderboard import (
    ADJUDICATED,
    FIRST_JUDGMENTS,
    OFFICIAL,
    SECOND_JUDGMENTS,
    Scoring,
    boards,
    comparisons,
)
from assess.ir.scores.measures import MEASURES, WRITTEN_MEASURES
from tests.rankings import as_ranking, listed

LOWER = 1 / log2(3)
"""nDCG of a list whose only relevant unit is second."""
near: Any = pytest.approx


def judgment(assessor: str, doc: str, grade: int | None, unit: str = "", topic: str = "A.1") -> JudgmentRow:
    return JudgmentRow(assessor, topic, unit or doc, doc, grade, "" if grade is not None else "do_not_know")


ADA = [judgment("ada", "x", 3), judgment("ada", "y", 0)]
EMMY = [judgment("emmy", "x", 0), judgment("emmy", "y", 3)]
KURT = [judgment("kurt", "x", 3, topic="A.2")]


def scoring(*, is_written: bool = False, **runs: str) -> Scoring:
    """Runs of A.1 from their units, best first."""
    qrels = [Qrel("A.1", unit, 0) for unit in "xyuv"]
    rankings = {name: as_ranking(listed(units)) for name, units in runs.items()}
    entered = [(name, each if is_written else prime(each, qrels)) for name, each in rankings.items()]
    return Scoring(entered, WRITTEN_MEASURES if is_written else MEASURES, "qrels", 2)


RUNS = scoring(alpha="xy", beta="yx")


def test_runs_change_places_if_the_assessors_disagree() -> None:
    (pair,) = comparisons(ADA, EMMY, {})
    ndcg = boards(pair, RUNS)[0]
    assert ndcg["measure"] == "nDCG'"
    assert ndcg["runs"] == [
        {"run": "alpha", "values": [1.0, near(LOWER), 1.0], "places": [1, 2, 1]},
        {"run": "beta", "values": [near(LOWER), 1.0, near(LOWER)], "places": [2, 1, 2]},
    ]
    assert ndcg["correlations"][:2] == [
        {"first": "ada", "second": "emmy", "tau": -1.0, "reason": "", "swaps": 1},
        {"first": "ada", "second": OFFICIAL, "tau": near(1.0), "reason": "", "swaps": 0},
    ]
    (pair,) = comparisons(ADA, EMMY, {}, {"x", "y"})
    leaderboards = boards(pair, scoring(is_written=True, alpha="x", beta="y"), {"x", "y"})
    assert [(board["measure"], board["runs"][0]["run"], board["runs"][0]["values"]) for board in leaderboards] == [
        ("AR", "alpha", [3.0, 0.0, 3.0]),
        ("P@1", "alpha", [1.0, 0.0, 1.0]),
    ]
    (pair,) = comparisons(ADA, EMMY, {})
    assert boards(pair, scoring()) == []


def test_only_documents_graded_by_both_count_and_settled_grades_replace_official_ones() -> None:
    (pair,) = comparisons([ADA[0], judgment("ada", "y", None)], EMMY, {})
    assert [row.doc_id for rows in pair.judgments.values() for row in rows] == ["x", "x", "x"]
    assert comparisons([judgment("ada", "y", None)], EMMY, {}) == []
    written = comparisons([judgment("ada", "y", None)], EMMY, {}, {"x", "y"})
    assert [len(rows) for rows in written[0].judgments.values()] == [1, 1, 1]  # an outcome of a written answer counts 0
    (pair,) = comparisons(ADA, EMMY, {("A.1", "y"): 2, ("A.9", "z"): 3})
    assert [row.grade for row in pair.judgments[ADJUDICATED]] == [3, 2]
    assert ADJUDICATED not in comparisons(ADA, EMMY, {("A.9", "z"): 3})[0].judgments


def test_several_pairs_are_compared_one_by_one_and_all_first_with_all_second_judgments() -> None:
    of_kurt, of_emmy = judgment("kurt", "x", 1), judgment("emmy", "x", 2, topic="A.2")
    everything, *pairs = comparisons([*ADA, *KURT], [*EMMY, of_kurt, of_emmy], {})
    assert [(pair.first, pair.second) for pair in pairs] == [("ada", "emmy"), ("ada", "kurt"), ("emmy", "kurt")]
    assert list(everything.judgments)[:2] == [FIRST_JUDGMENTS, SECOND_JUDGMENTS]
    assert [(row.assessor, row.topic_id, row.doc_id) for row in everything.judgments[SECOND_JUDGMENTS]] == [
        ("emmy", "A.1", "x"),  # the earlier of two
        ("emmy", "A.1", "y"),
        ("emmy", "A.2", "x"),
    ]
    third = pairs[2]  # A.1 x, both as seconds, and A.2 x
    assert [row.assessor for row in third.judgments[OFFICIAL]] == ["ada", "kurt"]
