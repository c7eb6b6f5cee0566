"""Who judges which topics a second time."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from assess.ir.rounds.allocation import JudgedTopic, dual_topics

NAMES = ("ada", "emmy", "sofia", "kurt")
topics = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 30)), min_size=1, max_size=30).map(
    lambda rows: [JudgedTopic(f"A.{n}", *row) for n, row in enumerate(rows)]
)


@given(topics, st.sets(st.sampled_from([*NAMES, "new"]), min_size=1), st.integers(1, 3), st.booleans())
def test_nobody_judges_their_own_topic_again_and_no_topic_is_given_twice(
    judged: list[JudgedTopic], people: set[str], others: int, fewest: bool
) -> None:
    given_topics = dual_topics(judged, people, others, 7, fewest_relevant=fewest)
    authors = {row.topic: row.assessor for row in judged}
    assert all(authors[topic] != person for topic, person in given_topics)
    assert max(Counter(topic for topic, _ in given_topics).values(), default=0) <= 1
    for person in people:
        sources = [authors[topic] for topic, name in given_topics if name == person]
        assert len(sources) == len(set(sources)) <= others
    assert given_topics == dual_topics(reversed(judged), people, others, 7, fewest_relevant=fewest)


def test_each_gets_the_topic_of_another_with_the_fewest_relevant() -> None:
    """ARQMath-2, Task 1."""
    judged = [JudgedTopic(f"A.{n}", name, 5 + n % 3) for n, name in enumerate(NAMES * 3)]
    judged += [JudgedTopic(f"A.{100 + n}", name, n) for n, name in enumerate(NAMES)]
    assert sorted(dual_topics(judged, NAMES, 1, 1, fewest_relevant=True)) == [
        ("A.100", "sofia"), ("A.101", "ada"), ("A.102", "kurt"), ("A.103", "emmy"),
    ]  # fmt: skip


def test_each_of_three_gets_two_topics_one_from_each_of_the_others() -> None:
    """ARQMath, Task 2."""
    judged = [JudgedTopic(f"B.{n}", NAMES[n % 3], 9) for n in range(12)]
    authors = {row.topic: row.assessor for row in judged}
    for person in NAMES[:3]:
        sources = {authors[topic] for topic, name in dual_topics(judged, NAMES[:3], 2, 1) if name == person}
        assert sources == set(NAMES[:3]) - {person}


def test_who_dropped_out_gets_nothing_and_their_topics_can_be_judged_again() -> None:
    judged = [JudgedTopic("A.1", "ada", 1), JudgedTopic("A.2", "emmy", 1)]
    assert dual_topics(judged, ["emmy"], 1, 1) == [("A.1", "emmy")]
