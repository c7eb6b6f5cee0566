import pytest
from scipy.stats import fisher_exact

from assess.ir.common.rows import JudgmentRow
from assess.ir.results.consistency import Week, uses


def judged(assessor: str, week: str, grades: str, topic: str = "A.1") -> list[JudgmentRow]:
    """A judgment for each character; x is an outcome."""
    return [
        JudgmentRow(assessor, topic, "", f"{week}{place}", None if grade == "x" else int(grade), "", "", week)
        for place, grade in enumerate(grades)
    ]


def test_grades_are_counted_by_week() -> None:
    (use,) = uses(judged("ann", "2022-W08", "3x") + judged("ann", "2022-W07", "0012"))
    assert use.weeks == [Week("2022-W07", [2, 1, 1, 0], 0), Week("2022-W08", [0, 0, 0, 1], 1)]
    assert (use.grades, use.outcomes, use.relevant) == ([2, 1, 1, 1], 1, 2 / 5)


def test_others_are_compared_on_the_same_topics_only() -> None:
    rows = judged("ann", "W1", "3300") + judged("ann", "W1", "22", "A.2") + judged("ann", "W1", "33", "A.3")
    rows += judged("bob", "W1", "3000") + judged("cat", "W1", "2222", "A.2") + judged("cat", "W1", "x", "A.3")
    ann, bob, cat = uses(rows)
    # ann: A.1 2 of 4, A.2 2 of 2; others 1/4 and 1; A.3 is judged by nobody else (an outcome is no grade)
    assert (ann.n_shared, ann.shared, ann.others) == (6, 4 / 6, (4 * 1 / 4 + 2 * 1) / 6)
    assert (bob.shared, bob.others) == (1 / 4, 2 / 4)
    assert cat.n_shared == 4


def test_nobody_else_on_a_topic_leaves_nothing_to_compare() -> None:
    (use,) = uses(judged("ann", "W1", "30"))
    assert (use.n_shared, use.shared, use.others) == (0, None, None)


def test_a_last_week_that_departs_beyond_chance_is_drift() -> None:
    calm, generous = "3000000000" * 2, "3333333330"
    (use,) = uses(judged("ann", "W1", calm) + judged("ann", "W2", calm) + judged("ann", "W3", generous))
    assert (use.drift.week, use.drift.last, use.drift.before) == ("W3", 9 / 10, 4 / 40)
    assert use.drift.p == pytest.approx(fisher_exact([[9, 1], [4, 36]]).pvalue)


@pytest.mark.parametrize("last", ["33000", "x", ""])
def test_a_last_week_like_the_others_or_without_grades_is_none(last: str) -> None:
    (use,) = uses(judged("ann", "W1", "3000000000" * 2) + judged("ann", "W2", last))
    assert use.drift is None


def test_a_first_week_has_nothing_to_depart_from() -> None:
    (use,) = uses(judged("ann", "W1", "3333333333"))
    assert use.drift is None
