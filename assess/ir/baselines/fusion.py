"""The mean of two runs. The labs combined TF-IDF and Tangent-S; here any two runs will do."""

from collections import defaultdict
from collections.abc import Iterable

from assess.ir.baselines.search import DECIMALS, Scored
from assess.ir.runs.ranking import LIMIT


def min_max_mean(first: Iterable[Scored], second: Iterable[Scored], limit: int = LIMIT) -> list[Scored]:
    """The unweighted mean of two runs, with scores normalized by topic (ARQMath-3 overview, 4.3).

    A document missing from a run scores 0 there. Ties by id as text, descending.
    """
    totals: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for run in (first, second):
        for row in normalized(run):
            totals[row.topic_id][row.doc_id] += row.score / 2
    rows = [
        Scored(topic_id, doc_id, round(score, DECIMALS))
        for topic_id, scores in sorted(totals.items())
        for doc_id, score in scores.items()
    ]
    return first_of_each_topic(rows, limit)


def normalized(run: Iterable[Scored]) -> list[Scored]:
    """Scores scaled to [0, 1] by topic: (s - min) / (max - min) (Mansouri 2022, equation 5.1).

    If all scores of a topic are equal, this is undefined. Its documents then get 1: with 0 they would count as
    documents that the run did not retrieve.
    """
    topics: defaultdict[str, list[Scored]] = defaultdict(list)
    for row in run:
        topics[row.topic_id].append(row)
    rows = []
    for topic in topics.values():
        low, high = min(row.score for row in topic), max(row.score for row in topic)
        rows += [row._replace(score=(row.score - low) / (high - low) if high > low else 1.0) for row in topic]
    return rows


def first_of_each_topic(rows: Iterable[Scored], limit: int = LIMIT) -> list[Scored]:
    """The documents with the highest scores of each topic; ties by id as text, descending. A repeated document counts
    once, with its highest score."""
    topics: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for row in rows:
        scores = topics[row.topic_id]
        scores[row.doc_id] = max(row.score, scores.get(row.doc_id, row.score))
    kept = []
    for topic_id, scores in sorted(topics.items()):
        ranked = sorted(sorted(scores, reverse=True), key=lambda doc_id: -scores[doc_id])[:limit]
        kept += [Scored(topic_id, doc_id, scores[doc_id]) for doc_id in ranked]
    return kept
