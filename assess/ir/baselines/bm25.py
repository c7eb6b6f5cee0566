"""BM25 over sparse columns.

Own code, since the libraries do another thing: they index every term of every document (bm25s) or score in Python
(rank_bm25), and neither takes weighted terms. Here only the terms of the queries are kept, so that memory grows with
the hits and not with the collection, while lengths and document frequencies are those of the whole collection.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from assess.ir.baselines.search import Scored, search
from assess.ir.runs.ranking import LIMIT


class Bm25(NamedTuple):
    """The constants of BM25: ``k1`` says how soon further occurrences of a term stop to count, ``b`` how much long
    documents are discounted (0: not at all, 1: fully)."""

    k1: float = 1.2
    b: float = 0.75


class Hits(NamedTuple):
    """Where the terms of the queries occur: a sparse count (documents x terms) and each document's length."""

    doc_ids: list[str]
    counts: Any
    lengths: Any


def rank(
    queries: Mapping[str, Mapping[str, float]],
    documents: Iterable[tuple[str, Sequence[str]]],
    constants: Bm25 = Bm25(),  # noqa: B008
    limit: int = LIMIT,
) -> list[Scored]:
    """The best documents for each topic. ``queries``: topic -> term -> weight; a term counts once, times its weight.
    ``documents``: id and terms, read once.

    The score of a document is the sum over the query's terms of weight * idf * tf(k1+1) / (tf + k1(1 - b + b L/avg))
    with idf = ln((N - df + 0.5) / (df + 0.5) + 1) and L the number of terms (MathDowsers 2022, equations 1 and 2).
    """
    places = {term: at for at, term in enumerate(sorted({term for query in queries.values() for term in query}))}
    hits = find(places, documents)
    asked = [
        (row, places[term], weight) for row, terms in enumerate(queries.values()) for term, weight in terms.items()
    ]
    rows, columns, weights = zip(*asked, strict=True) if asked else ((), (), ())
    matrix = csr_array((weights, (rows, columns)), shape=(len(queries), len(places)), dtype=np.float64)
    return list(search(list(queries), matrix, hits.doc_ids, weighted(hits, constants).T, limit))


def find(places: Mapping[str, int], documents: Iterable[tuple[str, Sequence[str]]]) -> Hits:
    """How often each document holds each term that has a place."""
    doc_ids: list[str] = []
    columns, counts, lengths, ends = array("i"), array("i"), array("i"), array("q", [0])
    for doc_id, terms in documents:
        found = Counter(place for term in terms if (place := places.get(term)) is not None)
        doc_ids.append(doc_id)
        columns.extend(found.keys())
        counts.extend(found.values())
        lengths.append(len(terms))
        ends.append(len(columns))
    parts = (np.asarray(counts, dtype=np.float32), np.asarray(columns), np.asarray(ends))
    return Hits(doc_ids, csr_array(parts, shape=(len(doc_ids), len(places))), np.asarray(lengths, dtype=np.float64))


def weighted(hits: Hits, constants: Bm25) -> Any:
    """What each term adds to the score of each document: sparse, documents x terms."""
    k1, b = constants
    counts, total = hits.counts, len(hits.doc_ids)
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    rarity = np.log((total - frequency + 0.5) / (frequency + 0.5) + 1)
    average = hits.lengths.mean() if hits.lengths.any() else 1.0
    discount = k1 * (1 - b + b * hits.lengths / average)
    of_row = np.repeat(discount, np.diff(counts.indptr))
    data = rarity[counts.indices] * counts.data * (k1 + 1) / (counts.data + of_row)
    return csr_array((data, counts.indices, counts.indptr), shape=counts.shape)
