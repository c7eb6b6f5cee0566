"""From weights to rankings: what the retrieval baselines share."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from assess.ir.runs.ranking import LIMIT

DECIMALS = 6
"""Scores are rounded to so many decimals before they are compared, so that the order of the run file, which holds
them as text, is the order in which they were ranked."""


class Scored(NamedTuple):
    """A document retrieved for a topic; a higher score is better."""

    topic_id: str
    doc_id: str
    score: float


def search(
    topic_ids: Sequence[str], queries: Any, doc_ids: Sequence[str], postings: Any, limit: int = LIMIT
) -> Iterator[Scored]:
    """The best documents of each topic by the dot product of its query with each document.

    ``queries``: sparse, topics x terms; ``postings``: sparse, terms x documents. One topic at a time, so that no more
    than one row of scores is in memory.
    """
    postings = csr_array(postings)
    queries = csr_array(queries)
    places = text_order(doc_ids)
    for row, topic_id in enumerate(topic_ids):
        found = queries[[row], :] @ postings
        for at, score in best(found.indices, found.data, places, limit):
            yield Scored(topic_id, doc_ids[at], score)


def text_order(doc_ids: Sequence[str]) -> Any:
    """The place of each document among all, by its id as text."""
    places = np.empty(len(doc_ids), dtype=np.int64)
    places[sorted(range(len(doc_ids)), key=doc_ids.__getitem__)] = np.arange(len(doc_ids))
    return places


def best(documents: Any, scores: Any, places: Any, limit: int = LIMIT) -> list[tuple[int, float]]:
    """The documents with the highest positive scores; ties by id as text, descending, as `ranking.order` has it."""
    scores = np.round(scores.astype(np.float64), DECIMALS)
    kept = scores > 0
    documents, scores = documents[kept], scores[kept]
    if len(scores) > limit:
        reached = scores >= np.partition(scores, -limit)[-limit]
        documents, scores = documents[reached], scores[reached]
    order = np.lexsort((-places[documents], -scores))[:limit]
    return list(zip(documents[order].tolist(), scores[order].tolist(), strict=True))
