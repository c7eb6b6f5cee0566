"""Correlations between measures and leaderboards; those that ARQMath-3 published reproduce from its results."""

import io
from typing import Any

import pytest

from assess.ir.common.figures import places
from assess.ir.formats.scores import read_means
from assess.ir.scores.correlation import CONSTANT, FEW, Correlation, between_measures, between_tables, coefficient
from assess.ir.scores.leaderboard import Tau, tau

TASK_3 = """\
run	AR	P@1	LO	CS	MG	UI
GPT-3	1.346	0.500	0.317	0.851	0.288	0.466
approach0-run1	1.282	0.436	0.509	0.886	0.110	0.562
approach0-run4	1.231	0.397	0.515	0.886	0.123	0.616
approach0-run3	1.179	0.372	0.467	0.879	0.247	0.658
approach0-run2	1.115	0.321	0.427	0.868	0.164	0.616
approach0-run5	0.949	0.282	0.444	0.873	0.151	0.671
SBERT-SVMRank	0.462	0.154	0.330	0.846	0.205	0.767
BERT-SVMRank	0.449	0.154	0.329	0.846	0.178	0.808
SBERT-QQ-AMR	0.423	0.128	0.325	0.852	0.342	0.877
BERT-QQ-AMR	0.385	0.103	0.323	0.851	0.260	0.863
amps3_se1_hints	0.325	0.078	0.263	0.835	0.833	0.931
se3_len_pen_10	0.244	0.064	0.248	0.806	0.877	0.890
amps3_se1_len_pen_20_sample_hint	0.231	0.051	0.254	0.813	0.959	0.932
shortest	0.205	0.026	0.239	0.820	0.849	0.918
"""
"""Table 5: the systems of Task 3."""

PAIRS = [("AR", "P@1"), ("AR", "LO"), ("AR", "CS"), ("P@1", "LO"), ("P@1", "CS"), ("LO", "CS")]
PEARSON = dict(zip(PAIRS, (0.989, 0.837, 0.839, 0.787, 0.802, 0.952), strict=True))
TAU = dict(zip(PAIRS, (0.994, 0.736, 0.670, 0.729, 0.674, 0.805), strict=True))
"""Table 6: correlations between measures over the systems of Table 5."""
UI_AND_AR = (-0.967, -0.884)
"""Pearson's r and tau; the text rounds them to -0.97 and -0.88."""


def test_the_correlations_of_arqmath_3_reproduce() -> None:
    """Table 6 of the overview, from Table 5: 13 runs and GPT-3; tau is tau-b."""
    rows = between_measures(read_means(io.BytesIO(TASK_3.encode()), "table 5"))
    of = {(row.first, row.second): row for row in rows}
    assert {row.n for row in rows} == {14}
    for pair, r in PEARSON.items():
        assert round(of[pair].pearson.value or 0, 3) == r, pair
        assert round(of[pair].kendall.value or 0, 3) == TAU[pair], pair
    ui = of["AR", "UI"]
    assert (round(ui.pearson.value or 0, 3), round(ui.kendall.value or 0, 3)) == UI_AND_AR


def test_coefficients_and_tau_by_hand() -> None:
    assert coefficient("pearsonr", [1, 2, 3], [2, 4, 6]).value == pytest.approx(1)
    assert coefficient("kendalltau", [1, 2, 3, 4], [1, 3, 2, 4]).value == pytest.approx((5 - 1) / 6)
    assert coefficient("kendalltau", [1, 1, 2], [1, 2, 3]).value == pytest.approx(
        2 / (2 * 3) ** 0.5
    )  # tau-b: one tie on one side
    assert coefficient("spearmanr", [1, 2, 3, 4], [1, 3, 2, 4]).value == pytest.approx(1 - 6 * 2 / (4 * 15))
    assert coefficient("pearsonr", [1], [2]) == Correlation(None, "fewer than two systems")
    assert coefficient("kendalltau", [1, 1], [1, 2]) == Correlation(None, "all values are equal")
    first = {"AR": {"a": 1.0, "b": 2.0, "c": 3.0}, "LO": {"a": 1.0}}
    second = {"AR": {"c": 9.0, "a": 7.0, "b": 8.0, "d": 0.0}}
    (row,) = between_tables(first, second)
    assert (row.first, row.n) == ("AR", 3)
    assert row.kendall.value == pytest.approx(1)
    assert places({"a": 0.1 + 0.2, "b": 0.3, "c": 0.2}) == {"a": 1, "b": 1, "c": 3}
    assert places({}) == {}
    assert tau(ONE, OTHER) == Tau(near(3 / 30**0.5), "", 1)
    assert tau(ONE, ONE) == Tau(near(1.0), "", 0)
    assert tau(ONE | {"e": 1.0}, OTHER) == tau(ONE, OTHER)
    assert tau({"a": 1.0}, {"a": 0.5, "b": 0.1}) == Tau(None, FEW, 0)
    assert tau({"a": 0.1 + 0.2, "b": 0.3}, {"a": 1.0, "b": 0.0}) == Tau(None, CONSTANT, 0)


ONE = {"a": 0.5, "b": 0.4, "c": 0.3, "d": 0.3}
OTHER = {"a": 0.4, "b": 0.5, "c": 0.2, "d": 0.1}
near: Any = pytest.approx
