import random

import pytest
from scipy.stats import chi2, pearsonr

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


CALM, GENEROUS = "3210000000" * 2, "3321111111" * 2
"""Twenty grades of a topic, and the same one higher."""


def test_grades_that_rise_on_the_same_topics_are_drift_from_that_week_on() -> None:
    weeks = {"W1": CALM, "W2": CALM, "W3": GENEROUS, "W4": GENEROUS}
    (use,) = uses(row for week, grades in weeks.items() for row in judged("ann", week, grades))
    assert (use.drift.week, use.drift.after, use.drift.before) == ("W3", 1.5, 0.6)
    assert use.drift.p < 0.01


@pytest.mark.parametrize("rounds", [1, 2])
def test_p_is_that_of_the_correlation_of_time_and_grade_within_topics(rounds: int) -> None:
    """With one topic, Mantel's statistic is (n - 1) times the squared correlation."""
    rows = judged("ann", "W1", CALM) + judged("ann", "W2", GENEROUS * rounds)
    (use,) = uses(rows)
    grades, times = [row.grade for row in rows], [row.week == "W2" for row in rows]
    statistic = (len(rows) - 1) * pearsonr(grades, times).statistic ** 2
    assert use.drift.p == pytest.approx(chi2.sf(statistic, 1))


def test_other_topics_are_no_drift() -> None:
    (use,) = uses(judged("ann", "W1", CALM * 5) + judged("ann", "W2", "3" * 100, "A.2"))
    assert use.drift is None


def test_a_week_counts_only_on_topics_that_were_judged_before() -> None:
    rows = judged("ann", "W1", CALM) + judged("ann", "W2", GENEROUS) + judged("ann", "W2", "0" * 100, "A.2")
    (use,) = uses(rows)
    assert (use.drift.after, use.drift.before) == (1.5, 0.6)


@pytest.mark.parametrize("later", [CALM, "3333", "x" * 20, ""])
def test_the_same_grades_or_few_or_none_are_no_drift(later: str) -> None:
    (use,) = uses(judged("ann", "W1", CALM) + judged("ann", "W2", later))
    assert use.drift is None


def test_a_first_week_has_nothing_to_depart_from() -> None:
    (use,) = uses(judged("ann", "W1", GENEROUS))
    assert use.drift is None


def test_chance_alone_hardly_ever_warns() -> None:
    """Two hundred assessors who do not change, with topics that differ: about one in a hundred may be warned of."""
    draw = random.Random(7)
    rows = [
        JudgmentRow(
            f"a{person}", f"A.{topic}", "", str(place), draw.choice([0, 0, 0, topic % 4]), "", "", f"W{place % 4}"
        )
        for person in range(200)
        for topic in range(4)
        for place in range(20)
    ]
    assert sum(use.drift is not None for use in uses(rows)) <= 6
