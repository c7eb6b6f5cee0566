"""Means by category of the topics: their weighted means are the mean of the whole."""

import csv
from collections import defaultdict
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.ir.common.rows import Retrieved, ScoreRow
from assess.ir.formats.qrels import read_qrels
from assess.ir.formats.topic_sheet import column_of, read_topic_sheet
from assess.ir.runs.ranking import as_ranking
from assess.ir.scores import definitions, measures
from assess.ir.scores.breakdowns import CategoryMean, breakdown, order_categories
from tests.real import data_file

TOPICS = [f"A.{number}" for number in range(1, 9)]
SCORES = st.lists(
    st.builds(ScoreRow, st.sampled_from(["r", "s"]), st.sampled_from(TOPICS), st.just("MAP'"), st.floats(0, 1)),
    unique_by=lambda row: row[:2],
)
CATEGORIES = st.dictionaries(st.sampled_from(TOPICS), st.sampled_from(["", "Proof", "Concept"]))


def test_topics_without_a_category_are_a_part_of_their_own_and_the_last() -> None:
    scores = [ScoreRow("r", topic, "MAP'", value) for topic, value in zip(TOPICS, (0.5, 0.1, 0.3), strict=False)]
    assert breakdown(scores, {"A.1": "Proof", "A.3": "Proof"}) == [
        CategoryMean("Proof", "r", "MAP'", 0.4, 2),
        CategoryMean("", "r", "MAP'", 0.1, 1),
    ]


@given(SCORES, CATEGORIES)
def test_weighted_by_topics_the_parts_make_the_whole(scores: list[ScoreRow], categories: dict[str, str]) -> None:
    parts = breakdown(scores, categories)
    for whole in breakdown(scores, {}):
        of_run = [part for part in parts if part.run == whole.run]
        assert sum(part.topics for part in of_run) == whole.topics
        assert sum(part.topics * part.value for part in of_run) / whole.topics == pytest.approx(whole.value)


def test_difficulties_rise_and_other_words_go_by_name() -> None:
    assert order_categories({"High", "Low", "Medium", ""}) == ["Low", "Medium", "High", ""]
    assert order_categories({"Proof", "Computation", "Concept"}) == ["Computation", "Concept", "Proof"]


@pytest.mark.parametrize("column", ["dependency", "difficulty", "category"])
def test_the_best_possible_run_of_arqmath_2_by_the_columns_of_the_topic_sheet(column: str) -> None:
    """Its P'@10 follows from the sheet's own number of relevant answers of each topic."""
    sheet = data_file("topic-info/Task1_ARQMath2_Topic_Information.csv")
    with data_file("qrels/qrels.arqmath-2021-task1-official.txt").open("rb") as source:
        qrels = read_qrels(source, "qrels").qrels
    best = sorted(qrels, key=lambda line: (line.topic_id, -line.grade))
    ranking = as_ranking(Retrieved(line.topic_id, 0, line.unit_id, line.unit_id, line.grade) for line in best)
    scores = measures.score("best", ranking, qrels, "answers", names=[definitions.P10])
    with sheet.open("rb") as source:
        parts = breakdown(scores, column_of(read_topic_sheet(source, sheet.name), column, sheet.name))
    expected = defaultdict(list)
    with sheet.open(newline="") as lines:
        for row in csv.DictReader(lines):
            expected[row[column.capitalize()]].append(min(int(row["HM"]), 10) / 10)
    assert {part.category: part.topics for part in parts} == {word: len(of) for word, of in expected.items()}
    assert {part.category: part.value for part in parts} == pytest.approx({w: fmean(of) for w, of in expected.items()})
