from typing import Any

import pytest

from assess.ir.common.places import places
from assess.ir.scores.correlation import CONSTANT, FEW
from assess.ir.scores.leaderboard import Tau, tau

ONE = {"a": 0.5, "b": 0.4, "c": 0.3, "d": 0.3}
OTHER = {"a": 0.4, "b": 0.5, "c": 0.2, "d": 0.1}
near: Any = pytest.approx


def test_runs_with_equal_means_share_their_place() -> None:
    assert places({"a": 0.1 + 0.2, "b": 0.3, "c": 0.2}) == {"a": 1, "b": 1, "c": 3}
    assert places({}) == {}


def test_tau_counts_pairs_in_the_same_and_the_opposite_order() -> None:
    # of six pairs a b is opposite, c d is tied in one: (4 - 1) / sqrt(5 * 6)
    assert tau(ONE, OTHER) == Tau(near(3 / 30**0.5), "", 1)
    assert tau(ONE, ONE) == Tau(near(1.0), "", 0)


def test_only_runs_of_both_are_compared() -> None:
    assert tau(ONE | {"e": 1.0}, OTHER) == tau(ONE, OTHER)
    assert tau({"a": 1.0}, {"a": 0.5, "b": 0.1}) == Tau(None, FEW, 0)


def test_tau_is_undefined_if_one_leaderboard_ties_all_runs() -> None:
    assert tau({"a": 0.1 + 0.2, "b": 0.3}, {"a": 1.0, "b": 0.0}) == Tau(None, CONSTANT, 0)
