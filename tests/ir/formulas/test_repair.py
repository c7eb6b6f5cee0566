"""The repair of mixed visual ids, and ids for formulas that have none."""

from random import Random

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.ir.formulas.repair import JOINED, KEPT, MEMBERS, NEW, Repair, assign, repair


def members(*rows: tuple[str, str, int, int]) -> pl.DataFrame:
    """Formula, visual id, key, sum of grades."""
    return pl.DataFrame(rows, MEMBERS, orient="row")


def parts(repaired: Repair) -> list[tuple[str, ...]]:
    fields = ("visual_id", "lowest", "new_id", "reason")
    return repaired.partitions.select(fields).rows()


Rows = list[tuple[str, str, int, int]]
TWO_OF_70 = [("1", "70", 1, 0), ("2", "70", 1, 0)]
OTHER_OF_70 = ("3", "70", 2, 0)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        # the largest part keeps the id
        ([("1", "70", 1, 0), ("2", "70", 2, 9), ("3", "70", 2, 0)], [("70", "2", "70", KEPT), ("70", "1", "71", NEW)]),
        # of equally large ones that with the higher sum of grades, not the best grade
        (
            [("1", "70", 1, 3), ("2", "70", 1, 0), ("3", "70", 2, 2), ("4", "70", 2, 2)],
            [("70", "3", "70", KEPT), ("70", "1", "71", NEW)],
        ),
        # then that with the lowest formula id: 9 < 10 as numbers, not as text
        ([("10", "70", 1, 2), ("9", "70", 2, 2)], [("70", "9", "70", KEPT), ("70", "10", "71", NEW)]),
        # a part joins an existing id that looks the same
        ([*TWO_OF_70, OTHER_OF_70, ("4", "80", 2, 0)], [("70", "1", "70", KEPT), ("70", "3", "80", JOINED)]),
        # unmixed ids stay even if two of them look the same
        ([("1", "70", 1, 0), ("2", "80", 1, 0)], []),
    ],
)
def test_each_part_keeps_joins_or_gets_an_id(rows: Rows, expected: list[tuple[str, ...]]) -> None:
    repaired = repair(members(*rows))
    assert parts(repaired) == expected
    moved = [new for _, _, new, reason in expected if reason != KEPT]
    assert set(repaired.moved["visual_id"]) == set(moved)


def test_ids_are_joined_by_size_then_lowest_formula_and_new_ones_numbered_by_it() -> None:
    repaired = repair(members(("q_10", "70", 1, 0), ("q_9", "70", 2, 0), ("11", "70", 3, 0)))
    assert [row[1] for row in parts(repaired)] == ["11", "q_10", "q_9"]
    rows = [*TWO_OF_70, OTHER_OF_70]
    sizes = [("4", "80", 2, 0), ("5", "90", 2, 0), ("6", "90", 2, 0)]
    assert repair(members(*rows, *sizes)).moved.rows() == [("3", "90")]
    assert repair(members(*rows, ("5", "80", 2, 0), ("4", "90", 2, 0))).moved.rows() == [("3", "90")]
    first = [("1", "70", 1, 0), ("2", "70", 1, 0), ("5", "70", 9, 0)]
    second = [("3", "80", 2, 0), ("4", "80", 2, 0), ("6", "80", 9, 0)]
    repaired = repair(members(*first, *second))
    assert repaired.moved.rows() == [("5", "81"), ("6", "81")]
    repaired = repair(members(("1", "7", 1, 0), ("2", "7", 1, 0), ("20", "7", 3, 0), ("3", "7", 2, 0)))
    assert repaired.moved.rows() == [("20", "9"), ("3", "8")]


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(0, 3)), max_size=12), st.randoms())
def test_no_id_stays_mixed_whatever_the_order_of_the_rows(rows: list[tuple[int, int, int]], random: Random) -> None:
    formulas = [(str(place), str(visual), key, grade) for place, (visual, key, grade) in enumerate(rows)]
    repaired = repair(members(*formulas))
    moved = dict(repaired.moved.rows())
    keys: dict[str, set[int]] = {}
    for formula, visual, key, _ in formulas:
        keys.setdefault(moved.get(formula, visual), set()).add(key)
    assert all(len(keys_of_id) == 1 for keys_of_id in keys.values())
    random.shuffle(formulas)
    again = repair(members(*formulas))
    assert again.partitions.equals(repaired.partitions)
    assert dict(again.moved.rows()) == moved


def formulas(*rows: tuple[str, int]) -> pl.DataFrame:
    return pl.DataFrame(rows, {"formula_id": pl.String, "key": pl.UInt32}, orient="row")


def known(*rows: tuple[int, str]) -> pl.DataFrame:
    return pl.DataFrame(rows, {"key": pl.UInt32, "visual_id": pl.String}, orient="row")


def test_a_new_formula_joins_a_known_id_or_gets_a_new_one_in_the_order_of_ids() -> None:
    assert assign(formulas(("10", 5), ("9", 6), ("11", 6)), known()).rows() == [("10", "2"), ("9", "1"), ("11", "1")]
    assert assign(formulas(("1", 7), ("2", 5)), known((5, "40"))).rows() == [("1", "41"), ("2", "40")]
