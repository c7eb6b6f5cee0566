import numpy as np
import pytest

from assess.ir.agreement.kappa import Counts, Kappa
from assess.ir.agreement.many_raters import alpha, many_raters
from assess.ir.common.rows import JudgmentRow
from tests.ir.agreement.test_agreement import judged

OBSERVERS = "123321412···", "1233224125·3", "·3332342251·", "12332441251·"
"""Four observers, twelve units: Krippendorff 2011, example C, with the ordinal alpha 0.815."""


def observed() -> Counts:
    units = [[labels[unit] for labels in OBSERVERS] for unit in range(12)]
    counts = np.array([[unit.count(str(label)) for label in range(1, 6)] for unit in units])
    return counts[counts.sum(axis=1) > 1]


def test_alpha_is_the_published_one_1_for_equal_raters_and_about_0_by_chance() -> None:
    assert alpha(observed()).value == pytest.approx(0.815, abs=0.0005)
    assert alpha(np.array([[3, 0], [0, 3], [2, 0]])).value == 1
    # every item 1:1: observed difference 1, expected 500·500·2/(1000·999) of it
    assert alpha(np.array([[1, 1]] * 500)).value == pytest.approx(1 - 999 / 500)


def test_all_judgments_of_items_with_two_grades_count_whoever_gave_them() -> None:
    rows = judged("ann", "31x0") + judged("bob", "30 1") + judged("cat", "2  x") + judged("dan", "  3")
    together = many_raters(rows)
    assert (together.items, together.most) == (3, 3)  # a, b and d; c has one grade
    assert together.alpha_hm == Kappa(1.0)
    assert together.alpha.value < 1


@pytest.mark.parametrize(
    ("rows", "reason"),
    [([], "no item with two grades"), (judged("ann", "11") + judged("bob", "11"), "all grades equal")],
)
def test_alpha_is_undefined_for_a_reason(rows: list[JudgmentRow], reason: str) -> None:
    together = many_raters(rows)
    assert {together.alpha, together.alpha_hm} == {Kappa(None, reason)}
