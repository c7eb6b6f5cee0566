"""TF-IDF over answers: the cosine of the weighted terms of topic and answer."""

from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np

from assess.ir.baselines.search import ScoredDocument, search
from assess.ir.baselines.terms import Symbols, terms
from assess.ir.runs.ranking import LIMIT


def rank_by_tfidf(
    topics: Mapping[str, str], answers: Iterable[tuple[str, str]], symbols: Symbols = "latex", limit: int = LIMIT
) -> list[ScoredDocument]:
    """The answers most similar to each topic. ``topics``: topic -> canonical HTML of title and body; ``answers``:
    post id and canonical HTML, read once.

    scikit-learn's weights: (1 + ln tf) * (ln((1 + N) / (1 + df)) + 1), each text scaled to length 1.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer  # takes 0.5 s, which only this job needs

    analyzer: Callable[[str], list[str]] = lambda html: terms(html, symbols)  # noqa: E731
    vectorizer = TfidfVectorizer(analyzer=analyzer, sublinear_tf=True, dtype=np.float32)
    doc_ids: list[str] = []
    matrix = vectorizer.fit_transform(texts(answers, doc_ids))
    return list(search(list(topics), vectorizer.transform(topics.values()), doc_ids, matrix.T, limit))


def texts(documents: Iterable[tuple[str, str]], doc_ids: list[str]) -> Iterator[str]:
    """The texts; their ids are added to ``doc_ids``."""
    for doc_id, text in documents:
        doc_ids.append(doc_id)
        yield text
