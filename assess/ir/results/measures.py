"""Measures over judged units, by trec_eval; and the mean over topics.

A run is first reduced by ``ranking.prime``. trec_eval then gets our order as falling whole numbers, so neither its
handling of ties nor its 32-bit scores can change it. (In the labs' runs that were tried, rounding scores to 32 bits
moved no line.)
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Literal

import polars as pl

from assess.ir.common.rows import RELEVANT, MeanScore, Order, Qrel, ScoreRow, Task
from assess.ir.runs.judged import Judged
from assess.ir.runs.ranking import judged_only, prime

NDCG, MAP, P10, BPREF = "nDCG'", "MAP'", "P'@10", "bpref"
MEASURES = (NDCG, MAP, P10, BPREF)
"""nDCG' has the grade as gain and log2(rank + 1) as discount; for the others, grades from the level up are relevant.
bpref counts at most min(R, N) non-relevant units above a relevant one (trec_eval)."""
AR, P1 = "AR", "P@1"
WRITTEN_MEASURES = (AR, P1)
"""Of the single answer to each topic: average relevance, which is its grade (ARQMath-3), and whether it is relevant."""

Average = Literal["qrels", "run"]


def measures_of(task: Task) -> tuple[str, ...]:
    return WRITTEN_MEASURES if task == "written" else MEASURES


def default_average(task: Task) -> Average:
    """As in the labs: over all topics of the qrels for answers, otherwise over the run's judged topics."""
    return "qrels" if task == "answers" else "run"


def score(
    name: str, ranking: pl.DataFrame, qrels: Collection[Qrel], task: Task, *, by: Order = "score", level: int = RELEVANT
) -> list[ScoreRow]:
    """The measures of the task for each topic with a judged unit in the run."""
    if task == "written":
        return score_written(name, ranking, qrels, level)
    return score_run(name, prime(ranking, qrels, by), qrels, level)


def score_run(name: str, ranking: pl.DataFrame, qrels: Collection[Qrel], level: int = RELEVANT) -> list[ScoreRow]:
    """The measures of a reduced ranking for each topic with a unit in the qrels."""
    judged = Judged.of(qrels)
    points: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for topic_id, unit_id, rank in ranking.select("topic_id", "unit_id", "rank").iter_rows():
        points[topic_id][unit_id] = -float(rank)
    if not judged:
        return []
    names = trec_eval_measures(level)
    places = list(MEASURES)
    scores = [
        ScoreRow(name, value.query_id, names[value.measure], float(value.value))
        for value in evaluator(judged, level).iter_calc(points)
        if value.query_id in points and value.query_id in judged.by_topic
    ]
    return sorted(scores, key=lambda score: (score.topic_id, places.index(score.measure)))


def trec_eval_measures(level: int) -> dict[Any, str]:
    """Our names of trec_eval's measures; the level does not affect the gains of nDCG."""
    from ir_measures import AP, Bpref, P, nDCG

    return {nDCG: NDCG, AP(rel=level): MAP, P(rel=level) @ 10: P10, Bpref(rel=level): BPREF}


def evaluator(judged: Judged, level: int) -> Any:
    """trec_eval with these qrels: made once, it measures any number of runs."""
    from ir_measures import pytrec_eval

    if level not in judged.evaluators:
        judged.evaluators[level] = pytrec_eval.evaluator(list(trec_eval_measures(level)), judged.by_topic)
    return judged.evaluators[level]


def score_written(name: str, ranking: pl.DataFrame, qrels: Collection[Qrel], level: int = RELEVANT) -> list[ScoreRow]:
    """AR and P@1 for each topic whose first answer is judged; in these qrels, outcomes are grade 0."""
    grades = Judged.of(qrels).by_topic
    firsts = judged_only(ranking.filter(pl.col("rank") == 1), qrels).select("topic_id", "unit_id").sort("topic_id")
    return list(written_scores(name, firsts, grades, level))


def written_scores(
    name: str, firsts: pl.DataFrame, grades: Mapping[str, Mapping[str, int]], level: int
) -> Iterator[ScoreRow]:
    for topic_id, unit_id in firsts.iter_rows():
        grade = grades[topic_id][unit_id]
        yield ScoreRow(name, topic_id, AR, float(grade))
        yield ScoreRow(name, topic_id, P1, float(grade >= level))


def averaged_topics(average: Average, scores: Iterable[ScoreRow], qrels: Collection[Qrel]) -> list[str]:
    """The topics of a mean: all of the qrels, or those with a judged unit in the run."""
    return sorted(Judged.of(qrels).by_topic if average == "qrels" else {score.topic_id for score in scores})


def complete(run: str, scores: Iterable[ScoreRow], topics: Iterable[str], measures: Iterable[str]) -> list[ScoreRow]:
    """A score for each topic and measure, 0 for a topic that the run misses."""
    values = {(score.topic_id, score.measure): score.value for score in scores}
    names = list(measures)
    return [ScoreRow(run, topic, name, values.get((topic, name), 0.0)) for topic in topics for name in names]


def mean(scores: Iterable[ScoreRow], topics: Collection[str]) -> list[MeanScore]:
    """The mean of each run and measure over ``topics``. A topic without a score counts 0; scores of other topics do not
    count. Without topics there is no mean."""
    sums: dict[tuple[str, str], float] = {}
    wanted = set(topics)
    for score in scores:
        key = score.run, score.measure
        sums[key] = sums.get(key, 0.0) + (score.value if score.topic_id in wanted else 0.0)
    if not wanted:
        return []
    return [MeanScore(*key, total / len(wanted), len(wanted)) for key, total in sums.items()]
