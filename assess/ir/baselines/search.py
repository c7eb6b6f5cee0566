"""Ranking documents by sparse weights, BM25 and TF-IDF; and the answers of linked posts by votes. BM25 is not a
library, because bm25s indexes every term of every document, rank_bm25 scores in Python, and neither takes weighted
terms. Only query terms are kept here, so memory grows with the hits, not with the collection; lengths and document
frequencies are still those of the whole collection."""

import re
import tomllib
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy

from assess.ir.collection.html import formulas, prose
from assess.ir.common.options import option
from assess.ir.common.rows import grouped, nested
from assess.ir.formats.posts import LinkRow
from assess.ir.runs.ranking import LIMIT

Symbols = Literal["latex", "words"]
"""How LaTeX becomes terms: as tokens, or with symbols mapped to English words, so that \\int in a formula matches
"integral" in a sentence (the second TF-IDF baseline of ARQMath-3)."""

WORD = re.compile(r"[^\W_]+")
TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|[a-zA-Z]+|\d+|[^\s{}$&\\]")
"""A command, an escaped character, a run of letters, a number, or one other character; not braces, dollars and
alignment marks. Tokens keep their case: Γ is not γ."""

SYMBOLS = tomllib.loads((Path(__file__).parent / "symbols_aloud.toml").read_text(encoding="utf-8"))
ENGLISH: dict[str, str] = SYMBOLS["aloud"]
SILENT = frozenset[str](SYMBOLS["silent"])


def words(text: str) -> list[str]:
    """Lowercase runs of letters and digits, not stemmed."""
    return WORD.findall(text.lower())


def spoken(latex: str) -> Iterator[str]:
    for token in TOKEN.findall(latex):
        name = token.removeprefix("\\")
        if token in ENGLISH:
            yield from ENGLISH[token].split()
        elif not (name != token and name in SILENT) and name.isalnum():
            yield name


def terms(html: str, symbols: Symbols) -> list[str]:
    """The terms of canonical HTML: its words, then those of its formulas."""
    tokens = TOKEN.findall if symbols == "latex" else spoken
    return [*words(prose(html)), *(token for _, latex in formulas(html) for token in tokens(latex))]


DECIMALS = 6
"""Scores are rounded before they are compared, so that the run file, which has them as text, keeps the order."""


class ScoredDocument(NamedTuple):
    """A document retrieved for a topic; of a formula also its post."""

    topic_id: str
    doc_id: str
    score: float
    post_id: str = ""


def search(
    topic_ids: Sequence[str], queries: Any, doc_ids: Sequence[str], postings: Any, limit: int = LIMIT
) -> Iterator[ScoredDocument]:
    """The best documents of each topic by the dot product of query and document. ``queries``: sparse, topics x terms;
    ``postings``: sparse, terms x documents. One topic at a time, so that only one row of scores is in memory."""
    postings = scipy.sparse.csr_array(postings)
    queries = scipy.sparse.csr_array(queries)
    places = np.empty(len(doc_ids), dtype=np.int64)  # in the order of the ids as text
    places[sorted(range(len(doc_ids)), key=doc_ids.__getitem__)] = np.arange(len(doc_ids))
    for row, topic_id in enumerate(topic_ids):
        products = queries[[row], :] @ postings
        for at, score in best(products.indices, products.data, places, limit):
            yield ScoredDocument(topic_id, doc_ids[at], score)


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


@dataclass(frozen=True, kw_only=True)
class Bm25:
    """The constants of BM25."""

    k1: float = option(float, 1.2, "k1", "The lower, the less repetitions count.", least=0, most=10)
    b: float = option(float, 0.75, "b", "How much long documents are penalized, 0 to 1.", least=0, most=1)


DEFAULTS = Bm25()


def rank_by_bm25(
    queries: Mapping[str, Mapping[str, float]],
    documents: Iterable[tuple[str, Sequence[str]]],
    constants: Bm25 = DEFAULTS,
    limit: int = LIMIT,
) -> list[ScoredDocument]:
    """The best documents for each topic. ``queries``: topic -> term -> weight. ``documents``: id and terms, read once.
    The score of a document is the sum over the query's terms of weight * idf * tf(k1+1) / (tf + k1(1 - b + b L/avg))
    with idf = ln((N - df + 0.5) / (df + 0.5) + 1) and L the number of terms (MathDowsers 2022, equations 1 and 2)."""
    terms = sorted({term for query in queries.values() for term in query})
    column_of = {term: column for column, term in enumerate(terms)}
    doc_ids, counts, lengths = count_terms(column_of, documents)
    cells = [
        (row, column_of[term], weight) for row, query in enumerate(queries.values()) for term, weight in query.items()
    ]
    rows, columns, weights = zip(*cells, strict=True) if cells else ((), (), ())
    matrix = scipy.sparse.csr_array((weights, (rows, columns)), shape=(len(queries), len(column_of)), dtype=np.float64)
    return list(search(list(queries), matrix, doc_ids, weigh_counts(counts, lengths, constants).T, limit))


def count_terms(
    column_of: Mapping[str, int], documents: Iterable[tuple[str, Sequence[str]]]
) -> tuple[list[str], Any, Any]:
    """The documents, how often they have each term (sparse, documents x terms), and their lengths."""
    doc_ids: list[str] = []
    columns, counts, lengths, ends = array("i"), array("i"), array("i"), array("q", [0])
    for doc_id, found in documents:
        frequencies = Counter(column for term in found if (column := column_of.get(term)) is not None)
        doc_ids.append(doc_id)
        columns.extend(frequencies.keys())
        counts.extend(frequencies.values())
        lengths.append(len(found))
        ends.append(len(columns))
    parts = (np.asarray(counts, dtype=np.float32), np.asarray(columns), np.asarray(ends))
    matrix = scipy.sparse.csr_array(parts, shape=(len(doc_ids), len(column_of)))
    return doc_ids, matrix, np.asarray(lengths, dtype=np.float64)


def weigh_counts(counts: Any, lengths: Any, constants: Bm25) -> Any:
    """What each term adds to the score of each document: sparse, documents x terms."""
    k1, b = constants.k1, constants.b
    total = counts.shape[0]
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    rarity = np.log((total - frequency + 0.5) / (frequency + 0.5) + 1)
    average = lengths.mean() if lengths.any() else 1.0
    discount = k1 * (1 - b + b * lengths / average)
    of_row = np.repeat(discount, np.diff(counts.indptr))
    data = rarity[counts.indices] * counts.data * (k1 + 1) / (counts.data + of_row)
    return scipy.sparse.csr_array((data, counts.indices, counts.indptr), shape=counts.shape)


def rank_by_tfidf(
    topics: Mapping[str, str], answers: Iterable[tuple[str, str]], symbols: Symbols = "latex"
) -> list[ScoredDocument]:
    """The answers most similar to each topic, by id and canonical HTML; answers are read once. scikit-learn's weights,
    each text scaled to length 1: (1 + ln tf) * (ln((1 + N) / (1 + df)) + 1)."""
    from sklearn.feature_extraction.text import TfidfVectorizer  # takes 0.5 s, which only this job needs

    analyzer: Callable[[str], list[str]] = lambda html: terms(html, symbols)  # noqa: E731
    vectorizer = TfidfVectorizer(analyzer=analyzer, sublinear_tf=True, dtype=np.float32)
    doc_ids: list[str] = []
    matrix = vectorizer.fit_transform(texts(answers, doc_ids))
    return list(search(list(topics), vectorizer.transform(topics.values()), doc_ids, matrix.T))


def texts(documents: Iterable[tuple[str, str]], doc_ids: list[str]) -> Iterator[str]:
    """The texts; their ids are added to ``doc_ids``."""
    for doc_id, text in documents:
        doc_ids.append(doc_id)
        yield text


class VotedAnswer(NamedTuple):
    """``score``: votes up minus votes down, None if unknown."""

    post_id: str
    thread_id: str
    score: int | None


def threads_of_topics(questions: Mapping[str, Iterable[str]], links: Iterable[LinkRow]) -> dict[str, set[str]]:
    """For each topic its threads: the posts listed for it, and what is linked with one of them as a duplicate,
    whichever of the two was closed. The labs say nothing about links of links, so these are left out."""
    linked: defaultdict[str, set[str]] = defaultdict(set)
    for link in links:
        if link.kind == "duplicate":
            linked[link.post_id].add(link.related_id)
            linked[link.related_id].add(link.post_id)
    return {topic: set(posts).union(*(linked.get(post, ()) for post in posts)) for topic, posts in questions.items()}


def rank_by_votes(threads: Mapping[str, Iterable[str]], answers: Iterable[VotedAnswer]) -> list[ScoredDocument]:
    """The answers in the topics' threads by their votes, highest first, ties by id as text, descending. An answer
    without a score counts 0. The votes are the score of the row, so it may be negative."""
    topics = grouped((post_id, topic_id) for topic_id, posts in threads.items() for post_id in posts)
    votes = nested(
        (topic_id, answer.post_id, float(answer.score or 0))
        for answer in answers
        for topic_id in topics.get(answer.thread_id, ())
    )
    rows = []
    for topic_id, scores in sorted(votes.items()):
        ranked = sorted(sorted(scores, reverse=True), key=lambda doc_id: -scores[doc_id])[:LIMIT]
        rows += [ScoredDocument(topic_id, doc_id, scores[doc_id]) for doc_id in ranked]
    return rows
