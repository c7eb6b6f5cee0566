"""The statistics of the overview papers."""

from collections import Counter

import pytest

from assess.ir.formats.qrels import read_qrels
from assess.ir.scores.statistics import Spread, highest_p10, spread
from tests.real import data_file


def test_a_spread_names_the_topics_with_most_and_fewest() -> None:
    assert spread("Judged", {"A.1": 5, "A.2": 9, "A.3": 1}) == Spread("Judged", 3, 5.0, 9, "A.2", 1, "A.3")


def test_topics_with_fewer_than_ten_relevant_answers_limit_p10() -> None:
    assert highest_p10({"A.1": 50, "A.2": 10, "A.3": 4, "A.4": 2}) == pytest.approx((1 + 1 + 0.4 + 0.2) / 4)


def test_the_judgments_of_arqmath_2_are_as_its_overview_says() -> None:
    with data_file("qrels/qrels.arqmath-2021-task1-official.txt").open("rb") as source:
        qrels = read_qrels(source, "qrels")[0]
    judged = spread("judged", Counter(qrel.topic_id for qrel in qrels))
    assert (judged.topics, round(judged.mean, 1)) == (71, 447.7)
    counts = Counter({qrel.topic_id: 0 for qrel in qrels})
    counts.update(qrel.topic_id for qrel in qrels if qrel.grade)
    relevant = spread("H+M+L", counts)
    assert (round(relevant.mean, 1), relevant.most, relevant.most_topic) == (49.0, 134, "A.237")
    assert (relevant.fewest, relevant.fewest_topic) == (4, "A.227")
