import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.ir.rounds.allocation import presentation_order, spread_topics

ENTRIES = [f"e{place}" for place in range(8)]


@given(st.permutations(ENTRIES))
def test_the_order_does_not_depend_on_the_order_of_the_entries(entries: list[str]) -> None:
    assert presentation_order(entries, 1, "ann", "A.1") == presentation_order(ENTRIES, 1, "ann", "A.1")


def test_every_entry_is_shown_once_in_another_order_for_each_seed_assessor_and_topic() -> None:
    orders = [
        presentation_order(ENTRIES, 1, "ann", "A.1"),
        presentation_order(ENTRIES, 2, "ann", "A.1"),
        presentation_order(ENTRIES, 1, "bob", "A.1"),
        presentation_order(ENTRIES, 1, "ann", "A.2"),
    ]
    assert all(sorted(order) == ENTRIES for order in orders)
    assert len(set(map(tuple, orders))) == 4


def test_the_order_is_the_same_on_every_machine() -> None:
    assert presentation_order(["a", "b", "c", "d"], 7, "ann", "A.1") == ["b", "c", "a", "d"]


def test_each_entry_comes_first_about_equally_often() -> None:
    firsts = [presentation_order("abcd", seed, "ann", "A.1")[0] for seed in range(400)]
    assert all(70 < firsts.count(entry) < 130 for entry in "abcd")


def test_large_topics_come_first_and_go_to_who_has_the_fewest_documents() -> None:
    sizes = {"A.1": 10, "A.2": 90, "A.3": 50, "A.4": 40}
    for has, shares in ((0, "ann ann bob bob"), (100, "ann bob bob ann")):
        assert [name for _, name in spread_topics(sizes, {"ann": has, "bob": 0})] == shares.split()


@given(st.lists(st.integers(1, 500), max_size=30), st.integers(1, 6))
def test_nobody_has_more_than_another_by_more_than_the_largest_topic(sizes: list[int], people: int) -> None:
    named = {str(place): size for place, size in enumerate(sizes)}
    given = spread_topics(named, {str(n): 0 for n in range(people)})
    assert [topic for topic, _ in given] == list(named)
    loads = [sum(named[topic] for topic, assessor in given if assessor == str(n)) for n in range(people)]
    assert max(loads) - min(loads) <= max(sizes, default=0)


def test_topics_need_assessors() -> None:
    with pytest.raises(ValueError, match="no assessors"):
        spread_topics({"A.1": 1}, {})
