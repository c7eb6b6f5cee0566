"""Two runs as one: TF-IDF with Tangent-S in the labs, here any two."""

from collections import defaultdict
from collections.abc import Iterable

from assess.ir.baselines.search import DECIMALS, Scored
from assess.ir.runs.ranking import LIMIT


def min_max_mean(first: Iterable[Scored], second: Iterable[Scored], limit: int = LIMIT) -> list[Scored]:
    """The unweighted mean of two runs whose scores are normalised by topic (ARQMath-3 overview, 4.3).

    A document that a run lacks counts 0 there. Ties by id as text, descending.
    """
    totals: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for run in (first, second):
        for row in normalised(run):
            totals[row.topic_id][row.doc_id] += row.score / 2
    rows = [
        Scored(topic_id, doc_id, round(score, DECIMALS))
        for topic_id, scores in sorted(totals.items())
        for doc_id, score in scores.items()
    ]
    return first_of_each_topic(rows, limit)


def normalised(run: Iterable[Scored]) -> list[Scored]:
    """Scores brought to [0, 1] by topic: (s - min) / (max - min) (Mansouri 2022, equation 5.1).

    Where a topic has only one score this is undefined; its documents get 1, since the run holds each of them for its
    best. With 0 they would count as documents that the run did not find.
    """
    topics: defaultdict[str, list[Scored]] = defaultdict(list)
    for row in run:
        topics[row.topic_id].append(row)
    rows = []
    for found in topics.values():
        low, high = min(row.score for row in found), max(row.score for row in found)
        rows += [row._replace(score=(row.score - low) / (high - low) if high > low else 1.0) for row in found]
    return rows


def first_of_each_topic(rows: Iterable[Scored], limit: int = LIMIT) -> list[Scored]:
    """The documents with the highest scores of each topic; ties by id as text, descending. A document that comes twice
    counts once, with its highest score."""
    topics: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for row in rows:
        scores = topics[row.topic_id]
        scores[row.doc_id] = max(row.score, scores.get(row.doc_id, row.score))
    kept = []
    for topic_id, scores in sorted(topics.items()):
        ranked = sorted(sorted(scores, reverse=True), key=lambda doc_id: -scores[doc_id])[:limit]
        kept += [Scored(topic_id, doc_id, scores[doc_id]) for doc_id in ranked]
    return kept
