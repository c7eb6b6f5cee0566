import csv
import json
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.ir.common.rows import JudgmentRow
from assess.ir.results.agreement import Kappa, PairAgreement, assessors, by_topic, cohen_kappa, confusion, pairs
from tests.real import data_file


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
    (pair,) = pairs(judged("ann", first) + judged("bob", second))
    return pair


def by_formula(first: list[int], second: list[int]) -> float:
    """(p_o - p_e) / (1 - p_e), Cohen 1960."""
    n = len(first)
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    expected = sum(first.count(label) * second.count(label) for label in {*first, *second}) / n**2
    return (observed - expected) / (1 - expected)


def test_kappa_by_hand() -> None:
    # equal: a, b, d, f of 6; chance: 3 (2*2) + 2 (1*1) + 1 (1*2) + 0 (2*1) = 9 of 36
    pair = the_pair("332100", "331110")
    assert (pair.first, pair.second, pair.n, pair.note) == ("ann", "bob", 6, "")
    assert pair.agreement == pytest.approx(4 / 6)
    assert pair.kappa.value == pytest.approx((4 / 6 - 1 / 4) / (1 - 1 / 4))
    # H+M: 111000 and 110000; equal 5 of 6; chance: 3*2 + 3*4 = 18 of 36
    assert pair.kappa_hm.value == pytest.approx((5 / 6 - 1 / 2) / (1 - 1 / 2))


grades = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30)


@given(grades)
def test_kappa_follows_the_formula(graded: list[tuple[int, int]]) -> None:
    first, second = [a for a, _ in graded], [b for _, b in graded]
    kappa = cohen_kappa(first, second)
    if kappa.counts:
        assert isclose(kappa.value, by_formula(first, second), abs_tol=1e-9)
    else:
        assert 1 in (len(set(first)), len(set(second)))


def test_an_item_with_an_outcome_of_either_is_left_out_and_counted() -> None:
    pair = the_pair("3x210 ", "32x 01")
    assert pair.n == 2  # a and e; d and f have one judgment each
    assert pair.note == "2 with an outcome left out"


def test_kappa_is_undefined_if_both_give_all_items_the_same_grade() -> None:
    pair = the_pair("111", "111")
    assert (pair.n, pair.agreement, pair.kappa.value, pair.kappa_hm.value) == (3, 1.0, None, None)
    assert pair.note == "kappa undefined: both raters constant"


def test_binary_kappa_is_undefined_if_neither_found_a_relevant_document() -> None:
    pair = the_pair("0100", "0110")
    assert pair.kappa.counts
    assert pair.kappa_hm == Kappa(None, "both raters constant")
    assert pair.note == "H+M undefined: both raters constant"


def test_one_constant_rater_gives_a_degenerate_zero() -> None:
    pair = the_pair("0000", "0132")
    assert (pair.kappa.value, pair.kappa_hm.value) == (0.0, 0.0)
    assert not pair.kappa.counts
    assert pair.note == "kappa degenerate: one rater constant"
    assert the_pair("33", "00").note == "kappa degenerate: both raters constant"


def test_pairs_without_common_items_are_listed_with_a_note() -> None:
    pair = the_pair("3 ", " 3")
    assert (pair.n, pair.agreement, pair.kappa.value, pair.note) == (0, None, None, "no common items")
    assert the_pair("3x", "x3").note == "no common items; 2 with an outcome left out"


def test_all_pairs_are_listed_by_name_whatever_the_order_of_judgments() -> None:
    rows = judged("cat", "30") + judged("ann", "30") + judged("bob", "03")
    names = [(pair.first, pair.second) for pair in pairs(rows)]
    assert names == [("ann", "bob"), ("ann", "cat"), ("bob", "cat")]
    assert pairs(rows[::-1]) == pairs(rows)


def test_the_same_item_in_another_topic_is_another_item() -> None:
    (pair,) = pairs(judged("ann", "31", "A.1") + judged("bob", "31", "A.2"))
    assert pair.n == 0


def test_an_assessor_has_the_mean_of_the_pairs_that_count() -> None:
    rows = judged("ann", "3012") + judged("bob", "3012") + judged("cat", "3021") + judged("dan", "0000")
    table = {row.assessor: row for row in assessors(pairs(rows))}
    assert list(table) == ["ann", "bob", "cat", "dan"]
    # ann-bob 1, ann-cat 1/3 (equal 2 of 4, chance 1/4); ann-dan degenerate
    assert table["ann"].kappa == pytest.approx((1 + 1 / 3) / 2)
    # H+M: ann 1001, cat 1010: equal 2 of 4, chance 1/2: kappa 0, and it counts
    assert table["ann"].kappa_hm == pytest.approx((1 + 0) / 2)
    assert (table["ann"].partners, table["ann"].note) == (
        3,
        "kappa over 2 of 3; H+M over 2 of 3 partners, the rest undefined or degenerate",
    )
    assert (table["dan"].kappa, table["dan"].note) == (
        None,
        "kappa over 0 of 3; H+M over 0 of 3 partners, the rest undefined or degenerate",
    )


def test_partners_are_those_with_common_graded_items() -> None:
    rows = judged("ann", "30") + judged("bob", "31") + judged("cat", "  3")
    table = {row.assessor: row for row in assessors(pairs(rows))}
    assert (table["ann"].partners, table["cat"].partners) == (1, 0)
    assert (table["cat"].kappa, table["cat"].note) == (None, "no common items")


def test_kappas_by_topic_include_pairs_with_common_items() -> None:
    rows = judged("ann", "30", "A.1") + judged("bob", "31", "A.1") + judged("cat", "2", "A.2")
    topics = by_topic(rows + judged("ann", "2", "A.2"))
    assert {topic: [(pair.first, pair.second, pair.n) for pair in topics[topic]] for topic in topics} == {
        "A.1": [("ann", "bob", 2)],
        "A.2": [("ann", "cat", 1)],
    }


def test_a_confusion_matrix_has_the_first_assessor_in_its_rows() -> None:
    rows = judged("ann", "3310x") + judged("bob", "32103")
    assert confusion(rows, "ann", "bob") == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 1, 1]]
    assert confusion(rows, "bob", "ann")[2] == [0, 0, 0, 1]
    assert confusion(rows, "ann", "nobody") == [[0] * 4] * 4


def test_an_item_judged_twice_by_one_assessor_is_refused() -> None:
    with pytest.raises(ValueError, match=r"ann has two judgments of a in A\.1"):
        pairs(judged("ann", "3") + judged("ann", "2"))


def test_published_confusion_matrices_give_their_kappas() -> None:
    with data_file("agreement/published_confusion_matrices.tsv").open() as source:
        published = list(csv.DictReader(source, delimiter="\t"))
    assert len(published) == 3
    for row in published:
        matrix = json.loads(row["matrix_rows_json"])
        cells = [(i, j) for i, counts in enumerate(matrix) for j, count in enumerate(counts) for _ in range(count)]
        kappa = cohen_kappa([i for i, _ in cells], [j for _, j in cells])
        equal = sum(i == j for i, j in cells) / len(cells)
        assert round(kappa.value, len(row["kappa"]) - 2) == float(row["kappa"])
        assert round(equal, len(row["raw_agreement"]) - 2) == float(row["raw_agreement"])
