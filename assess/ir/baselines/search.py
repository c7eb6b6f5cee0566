"""Ranking documents by sparse weights, for all retrieval baselines."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy

from assess.ir.runs.ranking import LIMIT

DECIMALS = 6
"""Scores are rounded before they are compared, so that the run file, which has them as text, keeps the order."""


class ScoredDocument(NamedTuple):
    """A document retrieved for a topic."""

    topic_id: str
    doc_id: str
    score: float


def search(
    topic_ids: Sequence[str], queries: Any, doc_ids: Sequence[str], postings: Any, limit: int = LIMIT
) -> Iterator[ScoredDocument]:
    """The best documents of each topic by the dot product of query and document.

    ``queries``: sparse, topics x terms; ``postings``: sparse, terms x documents. One topic at a time, so that only
    one row of scores is in memory.
    """
    postings = scipy.sparse.csr_array(postings)
    queries = scipy.sparse.csr_array(queries)
    places = text_order(doc_ids)
    for row, topic_id in enumerate(topic_ids):
        products = queries[[row], :] @ postings
        for at, score in best(products.indices, products.data, places, limit):
            yield ScoredDocument(topic_id, doc_ids[at], score)


def text_order(doc_ids: Sequence[str]) -> Any:
    """The place of each document in the order of ids as text."""
    places = np.empty(len(doc_ids), dtype=np.int64)
    places[sorted(range(len(doc_ids)), key=doc_ids.__getitem__)] = np.arange(len(doc_ids))
    return places


def best(documents: Any, scores: Any, places: Any, limit: int = LIMIT) -> list[tuple[int, float]]:
    """The documents with the highest positive scores; ties by id as text, descending, as in `ranking.order`."""
    scores = np.round(scores.astype(np.float64), DECIMALS)
    kept = scores > 0
    documents, scores = documents[kept], scores[kept]
    if len(scores) > limit:
        is_enough = scores >= np.partition(scores, -limit)[-limit]
        documents, scores = documents[is_enough], scores[is_enough]
    order = np.lexsort((-places[documents], -scores))[:limit]
    return list(zip(documents[order].tolist(), scores[order].tolist(), strict=True))


def first_of_each_topic(rows: Iterable[ScoredDocument], limit: int = LIMIT) -> list[ScoredDocument]:
    """The documents with the highest scores of each topic; ties by id as text, descending. A repeated document counts
    once, with its highest score."""
    topics: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for row in rows:
        scores = topics[row.topic_id]
        scores[row.doc_id] = max(row.score, scores.get(row.doc_id, row.score))
    kept = []
    for topic_id, scores in sorted(topics.items()):
        ranked = sorted(sorted(scores, reverse=True), key=lambda doc_id: -scores[doc_id])[:limit]
        kept += [ScoredDocument(topic_id, doc_id, scores[doc_id]) for doc_id in ranked]
    return kept
