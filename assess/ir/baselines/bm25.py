"""BM25 over sparse columns.

Not a library, because bm25s indexes every term of every document, rank_bm25 scores in Python, and neither takes
weighted terms. Only query terms are kept here, so memory grows with the hits, not with the collection; lengths and
document frequencies are still those of the whole collection.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy

from assess.ir.baselines.search import ScoredDocument, search
from assess.ir.runs.ranking import LIMIT


class Bm25(NamedTuple):
    """The constants of BM25: the lower ``k1``, the less repetitions of a term count; ``b`` says how much long
    documents are penalized (0: not at all, 1: fully)."""

    k1: float = 1.2
    b: float = 0.75


class Hits(NamedTuple):
    """Where the terms of the queries occur: a sparse count (documents x terms) and each document's length."""

    doc_ids: list[str]
    counts: Any
    lengths: Any


def rank_by_bm25(
    queries: Mapping[str, Mapping[str, float]],
    documents: Iterable[tuple[str, Sequence[str]]],
    constants: Bm25 = Bm25(),  # noqa: B008
    limit: int = LIMIT,
) -> list[ScoredDocument]:
    """The best documents for each topic. ``queries``: topic -> term -> weight. ``documents``: id and terms, read once.

    The score of a document is the sum over the query's terms of weight * idf * tf(k1+1) / (tf + k1(1 - b + b L/avg))
    with idf = ln((N - df + 0.5) / (df + 0.5) + 1) and L the number of terms (MathDowsers 2022, equations 1 and 2).
    """
    terms = sorted({term for query in queries.values() for term in query})
    column_of = {term: column for column, term in enumerate(terms)}
    hits = count_terms(column_of, documents)
    cells = [
        (row, column_of[term], weight) for row, query in enumerate(queries.values()) for term, weight in query.items()
    ]
    rows, columns, weights = zip(*cells, strict=True) if cells else ((), (), ())
    matrix = scipy.sparse.csr_array((weights, (rows, columns)), shape=(len(queries), len(column_of)), dtype=np.float64)
    return list(search(list(queries), matrix, hits.doc_ids, weigh_counts(hits, constants).T, limit))


def count_terms(column_of: Mapping[str, int], documents: Iterable[tuple[str, Sequence[str]]]) -> Hits:
    doc_ids: list[str] = []
    columns, counts, lengths, ends = array("i"), array("i"), array("i"), array("q", [0])
    for doc_id, terms in documents:
        frequencies = Counter(column for term in terms if (column := column_of.get(term)) is not None)
        doc_ids.append(doc_id)
        columns.extend(frequencies.keys())
        counts.extend(frequencies.values())
        lengths.append(len(terms))
        ends.append(len(columns))
    parts = (np.asarray(counts, dtype=np.float32), np.asarray(columns), np.asarray(ends))
    return Hits(
        doc_ids,
        scipy.sparse.csr_array(parts, shape=(len(doc_ids), len(column_of))),
        np.asarray(lengths, dtype=np.float64),
    )


def weigh_counts(hits: Hits, constants: Bm25) -> Any:
    """What each term adds to the score of each document: sparse, documents x terms."""
    k1, b = constants
    counts, total = hits.counts, len(hits.doc_ids)
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    rarity = np.log((total - frequency + 0.5) / (frequency + 0.5) + 1)
    average = hits.lengths.mean() if hits.lengths.any() else 1.0
    discount = k1 * (1 - b + b * hits.lengths / average)
    of_row = np.repeat(discount, np.diff(counts.indptr))
    data = rarity[counts.indices] * counts.data * (k1 + 1) / (counts.data + of_row)
    return scipy.sparse.csr_array((data, counts.indices, counts.indptr), shape=counts.shape)
