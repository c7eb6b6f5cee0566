"""Who judges which topics, in which order, and which a second time."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from assess.ir.rounds.allocation import JudgedTopic, dual_topics, presentation_order, spread_topics

ENTRIES = [f"e{place}" for place in range(8)]
NAMES = ("ada", "emmy", "sofia", "kurt")
topics = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 30)), min_size=1, max_size=30).map(
    lambda rows: [JudgedTopic(f"A.{n}", *row) for n, row in enumerate(rows)]
)


def test_every_entry_is_shown_once_in_another_order_for_each_seed_assessor_and_topic() -> None:
    orders = [
        presentation_order(ENTRIES, 1, "ann", "A.1"),
        presentation_order(ENTRIES, 2, "ann", "A.1"),
        presentation_order(ENTRIES, 1, "bob", "A.1"),
        presentation_order(ENTRIES, 1, "ann", "A.2"),
    ]
    assert all(sorted(order) == ENTRIES for order in orders)
    assert presentation_order(reversed(ENTRIES), 1, "ann", "A.1") == orders[0]
    assert len(set(map(tuple, orders))) == 4
    assert presentation_order(["a", "b", "c", "d"], 7, "ann", "A.1") == ["b", "c", "a", "d"]
    firsts = [presentation_order("abcd", seed, "ann", "A.1")[0] for seed in range(400)]
    assert all(70 < firsts.count(entry) < 130 for entry in "abcd")


def test_large_topics_come_first_and_go_to_who_has_the_fewest_documents() -> None:
    sizes = {"A.1": 10, "A.2": 90, "A.3": 50, "A.4": 40}
    for has, shares in ((0, "ann ann bob bob"), (100, "ann bob bob ann")):
        assert [name for _, name in spread_topics(sizes, {"ann": has, "bob": 0})] == shares.split()
    assert spread_topics({"A.1": 1, "A.2": 2}, {"ann": 0, "bob": 0}, {("A.2", "ann")}) == [
        ("A.1", "ann"),
        ("A.2", "bob"),
    ]


@given(st.lists(st.integers(1, 500), max_size=30), st.integers(1, 6))
def test_nobody_has_more_than_another_by_more_than_the_largest_topic(sizes: list[int], people: int) -> None:
    named = {str(place): size for place, size in enumerate(sizes)}
    given = spread_topics(named, {str(n): 0 for n in range(people)})
    assert [topic for topic, _ in given] == list(named)
    loads = [sum(named[topic] for topic, assessor in given if assessor == str(n)) for n in range(people)]
    assert max(loads) - min(loads) <= max(sizes, default=0)


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
    judged = [JudgedTopic("A.1", "ada", 1), JudgedTopic("A.2", "emmy", 1)]
    assert dual_topics(judged, ["emmy"], 1, 1) == [("A.1", "emmy")]
