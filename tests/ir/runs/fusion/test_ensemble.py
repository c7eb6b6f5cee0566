"""The MIRMU rank ensemble, computed by hand."""

from typing import get_args

import pytest

from assess.ir.runs.fusion.methods import LastKey, RankEnsemble, sort_keys
from tests.ir.runs.fusion.lists import Scores, one_topic, order_of

# ranks from 0:      0        1        2
LISTS: tuple[Scores, ...] = (
    {"20": 9, "10": 8, "30": 7},
    {"10": 9, "40": 8, "60": 7},
    {"50": 9, "20": 8, "70": 7},
)


def keys(*lists: Scores) -> dict[str, tuple[float, int, float, int]]:
    rows = sort_keys(one_topic(*lists)).select("doc_id", "median", "frequency", "striped", "origin").rows()
    return {doc: (median, frequency, striped, origin) for doc, median, frequency, striped, origin in rows}


def test_the_median_is_over_all_lists_and_a_missing_rank_is_1000() -> None:
    found = keys(*LISTS)
    # 10: ranks 1, 0 and 1000, median 1; by name the first of seven, so its list 0 mod 2: rank 1
    assert found["10"] == pytest.approx((0.999, 2, 0.999, 0))
    # 20: ranks 0, 1000 and 1; the second by name, so list 1 of its two, which is the third list: rank 1
    assert found["20"] == pytest.approx((0.999, 2, 0.999, 2))
    assert found["50"] == pytest.approx((0, 1, 1, 2))
    assert found["30"] == pytest.approx((0, 1, 0.998, 0))
    found = keys({"1": 2, "2": 1}, {"3": 2, "1": 1})
    assert found["1"] == pytest.approx((0.9995, 2, 1, 0))
    assert found["2"] == pytest.approx((1 - 1001 / 2000, 1, 0.999, 0))


def test_ties_go_by_frequency_then_striped_rank_then_the_last_key_and_scores_fall() -> None:
    lists = one_topic(*LISTS)
    by_name = ["20", "10", "50", "40", "70", "60", "30"]  # 20 and 10 tie; 50 is first; 40; then three with rank 2
    assert order_of(RankEnsemble().fuse(lists)) == by_name
    by_list = ["10", "20", "50", "40", "30", "60", "70"]
    assert order_of(RankEnsemble(last_key="list").fuse(lists)) == by_list
    assert order_of(RankEnsemble().fuse(one_topic({"9": 1}, {"10": 1}, {"11": 1}))) == ["9", "11", "10"]  # as text
    # 1 is in three of four lists, at ranks 2, 2 and 2: median (2 + 2) / 2; 2 is in all, at 0, 1, 3 and 3: (1 + 3) / 2
    ranked: list[Scores] = [{doc: 9 - rank for rank, doc in enumerate(docs)} for docs in ("2x1", "a21", "bc12", "def2")]
    found = keys(*ranked)
    assert found["1"][0] == found["2"][0] == pytest.approx(0.998)
    assert order_of(RankEnsemble().fuse(one_topic(*ranked)))[:2] == ["2", "1"]
    scores = RankEnsemble().fuse(lists).lines["score"]
    assert (scores.diff().drop_nulls() < 0).all()
    assert scores.to_list() == pytest.approx([0.999, 0.999, 0, 0, 0, 0, 0], abs=1e-6)


@pytest.mark.parametrize("last", get_args(LastKey))
def test_the_share_of_ties_after_each_key(last: LastKey) -> None:
    tied = RankEnsemble(last_key=last).fuse(one_topic(*LISTS)).facts["tied"]
    assert tied == {
        "median inverse rank": 71.43,  # seven documents, two values: 5 / 7
        "frequency": 71.43,
        "striped inverse rank": 42.86,  # 0.999; 1, 0.999, 0.998: four, so 3 / 7
        last: 0.0,
    }
