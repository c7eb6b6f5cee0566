"""When judging will end."""

from hypothesis import given
from hypothesis import strategies as st

from assess.ir.rounds.forecast import Remaining, days_left


def test_topics_are_judged_one_after_the_other() -> None:
    spent = [("ada", "A.1", 100), ("emmy", "A.1", 900), ("ada", "A.2", 300), ("kurt", "A.2", 1), ("rosa", "A.3", None)]
    work = [Remaining(assessor, topic, 1, seconds) for assessor, topic, seconds in spent]
    assert days_left(work, {"ada": 50, "emmy": 300}) == {
        ("ada", "A.1"): 2,
        ("ada", "A.2"): 8,
        ("emmy", "A.1"): 3,
        ("kurt", "A.2"): None,  # judged nothing lately
    }


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(1, 1e5))
def test_the_last_topic_takes_all_the_work(seconds: list[float], rate: float) -> None:
    work = [Remaining("ada", str(number), 1, each) for number, each in enumerate(seconds)]
    days = list(days_left(work, {"ada": rate}).values())
    assert days == sorted(days)
    assert abs(days[-1] - sum(seconds) / rate) < 1e-6 * (1 + days[-1])
