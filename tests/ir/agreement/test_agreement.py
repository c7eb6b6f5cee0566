import csv

import numpy as np
import pytest

from assess.ir.agreement.agreement import (
    Comparisons,
    PairAgreement,
    mean_by_assessor,
    mean_over_pairs,
    mean_over_topics,
)
from assess.ir.agreement.kappa import BOTH_CONSTANT, BOTH_DIFFERENT, Counts, Kappa, alpha, many_raters
from assess.ir.common.rows import JudgmentRow, Scale
from assess.ir.releases.aggregation import judgments_of_units
from tests.ir.agreement.raters import cohen_kappa
from tests.real import data_file, passage_grades


def judged(assessor: str, grades: str, topic: str = "A.1") -> list[JudgmentRow]:
    """Judgments of items a, b, c… by a string such as "32x0": x is "do not know", a space is no judgment."""
    return [
        JudgmentRow(assessor, topic, item, item, None, "do_not_know")
        if grade == "x"
        else JudgmentRow(assessor, topic, item, item, int(grade))
        for item, grade in zip("abcdefghijkl", grades, strict=False)
        if grade != " "
    ]


def the_pair(first: str, second: str) -> PairAgreement:
    (pair,) = Comparisons(judged("ann", first) + judged("bob", second)).pairs()
    return pair


@pytest.mark.parametrize(
    ("first", "second", "n", "kappa", "kappa_hm", "note"),
    [
        ("3x210 ", "32x 01", 2, 1, 1, "2 with an outcome left out"),  # a and e; d and f have one judgment each
        ("3 ", " 3", 0, None, None, "no common items"),
        ("3x", "x3", 0, None, None, "no common items; 2 with an outcome left out"),
        ("111", "111", 3, None, None, "kappa undefined: both raters constant"),
        ("0000", "0132", 4, 0, 0, "kappa degenerate: one rater constant"),
        ("33", "00", 2, 0, 0, "kappa degenerate: both raters constant, with different labels"),
        ("11", "10", 2, 0, None, "kappa degenerate: one rater constant; relevance undefined: both raters constant"),
        # 2 and 3 differ, but both are relevant
        ("22", "33", 2, 0, None, f"kappa degenerate: {BOTH_DIFFERENT}; relevance undefined: {BOTH_CONSTANT}"),
        ("0100", "0110", 4, 0.5, None, "relevance undefined: both raters constant"),
    ],
)
def test_what_is_left_out_undefined_or_degenerate_is_said(
    first: str, second: str, n: int, kappa: float | None, kappa_hm: float | None, note: str
) -> None:
    pair = the_pair(first, second)
    assert (pair.n, pair.kappa.value, pair.kappa_hm.value, pair.note) == (n, kappa, kappa_hm, note)
    assert (pair.agreement is None, pair.kappa.counted is None) == (n == 0, bool(pair.kappa.reason))


def test_pairs_are_listed_by_name_with_a_matrix_and_prevalence() -> None:
    rows = judged("cat", "30") + judged("ann", "30") + judged("bob", "03") + judged("dan", "30", "A.2")
    made = Comparisons(rows).pairs()
    assert [pair[:3] for pair in made if pair.n] == [("ann", "bob", 2), ("ann", "cat", 2), ("bob", "cat", 2)]
    assert [pair[:2] for pair in made if not pair.n] == [(name, "dan") for name in ("ann", "bob", "cat")]
    assert Comparisons(rows[::-1]).pairs() == made
    assert the_pair("3310x", "32103").confusion == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 1, 1]]
    assert the_pair("3100", "2200").prevalence == 3 / 8
    assert the_pair("3 ", " 3").prevalence is None


def test_an_assessor_has_the_mean_of_the_pairs_that_count() -> None:
    rows = judged("ann", "3012") + judged("bob", "3012") + judged("cat", "3021") + judged("dan", "0000")
    table = {row.assessor: row for row in mean_by_assessor(Comparisons(rows).pairs())}
    assert list(table) == ["ann", "bob", "cat", "dan"]
    # ann-bob 1, ann-cat 1/3 (equal 2 of 4, chance 1/4); ann-dan degenerate
    assert table["ann"].kappa == pytest.approx((1 + 1 / 3) / 2)
    # H+M: ann 1001, cat 1010: equal 2 of 4, chance 1/2: kappa 0, and it counts
    assert table["ann"].kappa_hm == pytest.approx((1 + 0) / 2)
    note = "kappa over {0} of 3; relevance over {0} of 3 partners, the rest undefined or degenerate"
    assert (table["ann"].partners, table["ann"].note) == (3, note.format(2))
    assert (table["dan"].kappa, table["dan"].note) == (None, note.format(0))
    compared = Comparisons(judged("ann", "30") + judged("bob", "31") + judged("cat", "  3"))
    table = {row.assessor: row for row in mean_by_assessor(compared.pairs())}
    assert (table["ann"].partners, table["cat"].partners) == (1, 0)
    assert (table["cat"].kappa, table["cat"].note) == (None, "no common items")
    assert compared.common_pairs("linear") == compared.pairs("linear")[:1]


def test_judgments_are_compared_within_their_round_and_belong_to_the_later_week() -> None:
    early = [row._replace(round="training", week="2022-W07") for row in judged("ann", "31") + judged("bob", "31")]
    late = [row._replace(round="dual", week="2022-W09") for row in judged("ann", "20") + judged("bob", "21")]
    late[0] = late[0]._replace(week="2022-W10")
    compared = Comparisons(early + late + [row._replace(round="dual") for row in judged("cat", "3")])
    assert [pair.n for pair in compared.pairs()] == [4, 1, 1]
    rounds = {name: [pair.n for pair in graded] for name, graded in compared.by("round").items()}
    assert rounds == {"dual": [2, 1, 1], "training": [2]}
    weeks = {week: [pair.n for pair in graded] for week, graded in compared.by("week").items()}
    assert weeks == {"2022-W07": [2], "2022-W09": [1, 1], "2022-W10": [1, 1]}
    of_unit = [row._replace(unit_id="v") for row in late[1::-1]]  # in weeks 9 and 10
    assert [(row.grade, row.week) for row in judgments_of_units(of_unit)] == [(2, "2022-W10")]


def test_a_mean_over_pairs_and_one_over_topics() -> None:
    # A.1: kappa 1; A.2: two of four equal, chance 1/4: 1/3; A.3: undefined
    rows = judged("ann", "3012", "A.1") + judged("bob", "3012", "A.1")
    rows += judged("ann", "3012", "A.2") + judged("bob", "3021", "A.2")
    rows += judged("ann", "000", "A.3") + judged("bob", "000", "A.3")
    compared = Comparisons(rows)
    topics = [mean_over_pairs(pairs) for pairs in compared.by("topic_id").values()]
    mean = mean_over_topics(topics)
    assert (mean.of, mean.n, mean.note) == (3, 11, "kappa over 2 of 3; relevance over 2 of 3")
    assert mean.agreement == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert mean.kappa == pytest.approx((1 + 1 / 3) / 2)
    assert mean.kappa_hm == pytest.approx((1 + 0) / 2)
    (pair,) = compared.pairs()
    pooled = mean_over_pairs([pair])
    assert (pooled.n, pooled.kappa) == (11, pair.kappa.value)
    assert pooled.agreement == pytest.approx(9 / 11)
    equal, chance = 9 / 11, (5 * 5 + 3 * 2 * 2) / 121  # grade 0: 5 and 5; the others: 2 and 2
    assert pair.kappa.value == pytest.approx((equal - chance) / (1 - chance))


def test_grades_below_0_have_places_of_their_own() -> None:
    grades = {"ann": [2, 1, -2, 0, -2], "bob": [2, -2, -2, 0, 1]}
    rows = [JudgmentRow(who, "1", str(n), str(n), grade) for who, all in grades.items() for n, grade in enumerate(all)]
    scale = Scale((2, 1, 0, -2), 1, "relevant")
    (pair,) = Comparisons(rows, scale).pairs("linear")
    assert pair.confusion == [[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]]
    assert pair.kappa_hm.value == pytest.approx((3 / 5 - 13 / 25) / (1 - 13 / 25))
    assert pair.weighted["linear"] == cohen_kappa([3, 2, 0, 1, 0], [3, 0, 0, 1, 2], "linear")
    assert many_raters(rows, scale).alpha_hm.value is not None
    with pytest.raises(ValueError, match="ann gave 2 in 1 grade -2, not one of 0, 1, 2, 3"):
        Comparisons(rows)
    with pytest.raises(ValueError, match="ann has two judgments of 0 in 1"):
        Comparisons([*rows, rows[0]], scale)


def test_judges_of_web_passages_have_the_kappas_of_scikit_learn() -> None:
    rows = [
        JudgmentRow(assessor, topic, doc, doc, grade, "", name)
        for (name, assessor, topic, doc), grade in passage_grades().items()
    ]
    compared = Comparisons(rows, Scale((3, 2, 1, 0), 2)).by("round", "linear", "quadratic")
    found = {
        (name, f"{pair.first} {pair.second}", str(pair.n)): [
            f"{kappa.value:.6f}"
            for kappa in (pair.kappa, pair.weighted["linear"], pair.weighted["quadratic"], pair.kappa_hm)
        ]
        for name, pairs in compared.items()
        for pair in pairs
        if pair.n > 1
    }
    with data_file("labs/passages/expected_kappas.tsv").open() as source:
        _header, *expected = csv.reader(source, delimiter="\t")
    assert len(expected) == 32
    assert found == {tuple(row[:3]): row[3:] for row in expected}


OBSERVERS = "123321412···", "1233224125·3", "·3332342251·", "12332441251·"
"""Four observers, twelve units: Krippendorff 2011, example C, with the ordinal alpha 0.815."""


def observed() -> Counts:
    units = [[labels[unit] for labels in OBSERVERS] for unit in range(12)]
    counts = np.array([[unit.count(str(label)) for label in range(1, 6)] for unit in units])
    return counts[counts.sum(axis=1) > 1]


def test_alpha_is_the_published_one_and_counts_all_items_with_two_grades() -> None:
    assert alpha(observed()).value == pytest.approx(0.815, abs=0.0005)
    assert alpha(np.array([[3, 0], [0, 3], [2, 0]])).value == 1
    # every item 1:1: observed difference 1, expected 500·500·2/(1000·999) of it
    assert alpha(np.array([[1, 1]] * 500)).value == pytest.approx(1 - 999 / 500)
    rows = judged("ann", "31x0") + judged("bob", "30 1") + judged("cat", "2  x") + judged("dan", "  3")
    together = many_raters(rows)
    assert (together.items, together.most) == (3, 3)  # a, b and d; c has one grade
    assert together.alpha_hm == Kappa(1.0)
    assert together.alpha.value < 1
    assert many_raters([])[2:] == (Kappa(None, "no item with two grades"),) * 2
    assert many_raters(judged("ann", "11") + judged("bob", "11"))[2:] == (Kappa(None, "all grades equal"),) * 2
