from math import log2

import pytest

from assess.ir.agreement.influence import Influence, ScoredRun, influences, relevance
from assess.ir.common.rows import Qrel
from assess.ir.runs.ranking import as_points
from tests.rankings import as_ranking, listed

QRELS = [Qrel("A.1", "a", 3), Qrel("A.1", "b", 0), Qrel("A.2", "a", 1)]


def run(name: str, mean: float, *units: str) -> ScoredRun:
    """A run that retrieved units of A.1 and nothing of A.2; its mean is over both topics."""
    return ScoredRun(name, mean, 2, as_points(as_ranking(listed(units))))


BEST, WORST = run("best", 1 / 2, "a", "b"), run("worst", 1 / log2(3) / 2, "b", "a")


def test_the_run_whose_mean_moves_most_is_named_with_how_many_change_places() -> None:
    (influence,) = influences([BEST, WORST], QRELS, [Qrel("A.1", "b", 3)])
    assert influence.run == "worst"
    assert influence.change == pytest.approx((1 - 1 / log2(3)) / 2)
    assert influence.moved == 1  # worst catches up with best, which stays first
    qrels = [Qrel("A.1", "a", 1), Qrel("A.1", "b", 0)]
    (influence,) = influences([BEST, WORST], qrels, [Qrel("A.1", "b", 3)])
    # worst: b 3, a 1 is the ideal order
    assert influence.change == pytest.approx((1 - 1 / log2(3)) / 2)
    assert (influence.run, influence.moved) == ("worst", 2)
    assert influences([BEST, WORST], QRELS, [Qrel("A.2", "a", 3)]) == [Influence(0.0, "", 0)]
    assert influences([], QRELS, [Qrel("A.1", "b", 3)]) == [Influence(0.0, "", 0)]
    first, second = run("first", 1.5, "a"), run("second", 0.0, "b")  # AR over two topics: 3 and 0, 0 and 0
    others = [Qrel("A.1", "a", 0), Qrel("A.1", "b", 2)]
    assert influences([first, second], QRELS, others, relevance) == [
        Influence(-1.5, "first", 1),  # second catches up
        Influence(1.0, "second", 0),
    ]
