from hypothesis import given
from hypothesis import strategies as st

from assess.ir.allocation import presentation_order

ENTRIES = [f"e{place}" for place in range(8)]


@given(st.permutations(ENTRIES))
def test_the_order_does_not_depend_on_the_order_of_the_entries(entries):
    assert presentation_order(entries, 1, "ann", "A.1") == presentation_order(ENTRIES, 1, "ann", "A.1")


def test_every_entry_is_shown_once_in_another_order_for_each_seed_assessor_and_topic():
    orders = [
        presentation_order(ENTRIES, 1, "ann", "A.1"),
        presentation_order(ENTRIES, 2, "ann", "A.1"),
        presentation_order(ENTRIES, 1, "bob", "A.1"),
        presentation_order(ENTRIES, 1, "ann", "A.2"),
    ]
    assert all(sorted(order) == ENTRIES for order in orders)
    assert len(set(map(tuple, orders))) == 4


def test_the_order_is_the_same_on_every_machine():
    assert presentation_order(["a", "b", "c", "d"], 7, "ann", "A.1") == ["b", "c", "a", "d"]


def test_each_entry_comes_first_about_equally_often():
    firsts = [presentation_order("abcd", seed, "ann", "A.1")[0] for seed in range(400)]
    assert all(70 < firsts.count(entry) < 130 for entry in "abcd")
