import re
from dataclasses import replace

import polars as pl
import pytest

from assess.ir.campaign.presets import PRESETS
from assess.ir.common.rows import MeanScore, Qrel, RunLine, ScoreRow
from assess.ir.runs.ranking import as_lines, order, prime
from assess.ir.scores import definitions, measures
from assess.ir.scores.measures import MEASURES, by_trec_eval, complete_scores, means, of_firsts
from tests.rankings import Retrieved, as_ranking

QRELS = [
    Qrel("A.1", "high", 3),
    Qrel("A.1", "medium", 2),
    Qrel("A.1", "low", 1),
    Qrel("A.1", "none", 0),
    Qrel("A.2", "other", 2),
]


def ranked(*units: str, topic: str = "A.1") -> pl.DataFrame:
    return as_ranking(Retrieved(topic, rank, unit, unit, 0.5) for rank, unit in enumerate(units, start=1))


def scores_of(ranking: pl.DataFrame, qrels: list[Qrel] = QRELS, level: int = 2) -> list[ScoreRow]:
    """Of a reduced ranking by the main measures."""
    return by_trec_eval("run", ranking, qrels, [definitions.find_measure(name) for name in MEASURES], level, "linear")


def values(ranking: pl.DataFrame, qrels: list[Qrel] = QRELS, level: int = 2) -> dict[str, float]:
    return {score.measure: score.value for score in scores_of(ranking, qrels, level)}


def test_our_order_is_kept_and_scores_are_sorted_by_topic_and_measure() -> None:
    lines = [RunLine("A.1", "none", 0, 1.0), RunLine("A.1", "high", 0, 1.00000000001)]
    assert values(prime(order(as_lines(lines)), QRELS)) == values(ranked("high", "none"))
    with pytest.raises(ValueError, match="grades up to 20, found 31"):
        measures.score("run", ranked("u"), [Qrel("A.1", "u", 31)], names=["nDCG'"], gain="exponential")
    scores = scores_of(pl.concat([ranked("other", topic="A.2"), ranked("high"), ranked("?", topic="A.9")]))
    assert [(score.topic_id, score.measure) for score in scores] == [
        (topic, measure) for topic in ("A.1", "A.2") for measure in MEASURES
    ]
    assert scores_of(ranked("high"), []) == []
    assert scores_of(ranked()) == []


def test_a_mean_is_over_all_topics_with_zeros_or_over_the_judged_ones_of_the_run() -> None:
    scores = scores_of(ranked("high", "medium", "low"))
    every, own = (complete_scores("run", scores, QRELS, MEASURES, average) for average in ("qrels", "run"))
    assert ({row.topic_id for row in every}, {row.topic_id for row in own}) == ({"A.1", "A.2"}, {"A.1"})
    assert means(every, ["nDCG'"]) == [MeanScore("run", "nDCG'", 0.5, 2)]
    assert means(own, ["nDCG'"]) == [MeanScore("run", "nDCG'", 1.0, 1)]


def test_a_mean_is_of_one_run_and_one_measure_over_topics_of_its_own() -> None:
    scores = [ScoreRow("a", "A.1", "AR", 1), ScoreRow("b", "A.1", "AR", 3), ScoreRow("a", "A.2", "AR", 2)]
    assert means([*scores, ScoreRow("a", "A.1", "P@1", 1)], ["AR", "P@5"]) == [
        MeanScore("a", "AR", 1.5, 2),
        MeanScore("b", "AR", 3, 1),
    ]
    assert means([], ["AR"]) == []
    # A topic whose first answer is not judged counts in no AR (ARQMath-3, Table 7); nDCG' covers all topics
    ranking = pl.concat([ranked("?", "high"), ranked("other", topic="A.2")])
    names = ["nDCG'", "P@5", "AR"]
    scores = measures.score("run", ranking, QRELS, by="rank", names=names)
    rows = complete_scores("run", scores, QRELS, names, "qrels")
    assert [(mean.measure, mean.topics) for mean in means(rows, names)] == [("nDCG'", 2), ("P@5", 2), ("AR", 1)]
    assert means(rows, ["AR"]) == [MeanScore("run", "AR", 2.0, 1)]
    every = complete_scores("run", scores, QRELS, names, "qrels", firsts="qrels")
    assert means(every, ["AR"]) == [MeanScore("run", "AR", 1.0, 2)]


def written(ranking: pl.DataFrame, level: int = 2) -> list[ScoreRow]:
    """By AR and P@1."""
    return of_firsts("w", ranking, QRELS, [definitions.find_measure(name) for name in measures.WRITTEN_MEASURES], level)


def test_a_written_answer_is_scored_by_its_grade_and_recall_counts_relevant_units() -> None:
    answers = pl.concat([ranked("high"), ranked("other", topic="A.2"), ranked("?", topic="A.3")])
    assert written(answers) == [
        ScoreRow("w", "A.1", "AR", 3.0),
        ScoreRow("w", "A.1", "P@1", 1.0),
        ScoreRow("w", "A.2", "AR", 2.0),
        ScoreRow("w", "A.2", "P@1", 1.0),
    ]
    assert written(answers, level=3)[3].value == 0.0
    qrels = [Qrel("A.1", unit, 2) for unit in "abcd"]
    rows = measures.score("run", ranked("a", "?", "b", "c"), qrels, by="rank", names=["R@3", "R@100"])
    assert {row.measure: row.value for row in rows} == {"R@3": 0.5, "R@100": 0.75}


def test_measures_are_found_by_name_and_those_of_a_protocol_are_official() -> None:
    assert definitions.find_measure("ndcg\N{PRIME}").name == "nDCG'"
    assert definitions.find_measure("P'@7").definition.startswith(
        "The number of relevant ones among the first 7 units, unjudged"
    )
    assert definitions.find_measure("P@1") == definitions.BY_NAME["P@1"] != definitions.with_cutoff("P", 1)
    for name in ("nDCG'@0", "P@1001", "AUC", "MAP@5"):
        with pytest.raises(ValueError, match="no measure"):
            definitions.find_measure(name)
    rules = PRESETS["documents"]
    assert measures.official_measures(rules)[-2:] == ("R@100", "judged@10")
    assert measures.official_measures(PRESETS["arqmath3-task1"]) == MEASURES
    assert measures.official_measures(replace(rules, measures=("RR", "ap", "MRR"))) == ("MRR", "MAP")
    assert measures.order_measures(["bpref", "MAP", "MRR", "P@5"], ("MRR", "MAP")) == ["MRR", "MAP", "bpref", "P@5"]
    for name, problem in (("F1", "measures: no measure 'F1'"), ("LO", "measures: rankings have no LO")):
        with pytest.raises(ValueError, match=problem):
            measures.official_measures(replace(rules, measures=(name,)))


def test_measures_have_keys_and_one_order_that_begins_with_those_of_the_labs() -> None:
    keys = {measure.key for measure in definitions.OFFERED}
    assert len(keys) == len(definitions.BY_NAME) == len(definitions.OFFERED)
    assert all(re.fullmatch(r"[a-z_0-9]+", key) for key in keys)
    assert max(map(len, definitions.BY_NAME)) <= 20
    asked = ["P@5", "nDCG'@20", "bpref", "MRR", "nDCG'@5", "MAP'", "bpref", "P'@10", "nDCG'"]
    assert measures.order_measures(asked) == ["nDCG'", "MAP'", "P'@10", "bpref", "nDCG'@5", "nDCG'@20", "MRR", "P@5"]
    assert measures.order_measures(reversed(MEASURES)) == list(MEASURES)
    assert measures.order_measures(["UI", "LO", "P@1", "AR"]) == ["AR", "P@1", "LO", "UI"]
