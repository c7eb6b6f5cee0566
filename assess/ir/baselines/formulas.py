"""The formula baselines: math tuples ranked by BM25, for formulas, and together with words for answers."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from assess.ir.baselines import tuples
from assess.ir.baselines.bm25 import Bm25, rank_by_bm25
from assess.ir.baselines.search import ScoredDocument
from assess.ir.baselines.terms import words
from assess.ir.collection.html import formulas, prose
from assess.ir.runs.ranking import LIMIT

MOST_INSTANCES = 5
"""Instances of a formula in a ranking: the labs judged at most five (ARQMath-1 to 3)."""


class FormulaInPost(NamedTuple):
    """What a run of formulas lists."""

    formula_id: str
    post_id: str


class AnswerQuery(NamedTuple):
    """The query for a topic: its words, and the LaTeX of its formulas or of one of them."""

    words: Sequence[str]
    latex: Sequence[str]


def rank_formulas(
    queries: Mapping[str, str],
    distinct: Iterable[tuple[str, str]],
    options: tuples.TupleOptions = tuples.TupleOptions(),  # noqa: B008
    constants: Bm25 = Bm25(),  # noqa: B008
) -> list[ScoredDocument]:
    """The visually distinct formulas most like each query. ``queries``: topic -> LaTeX; ``distinct``: visual id and
    LaTeX of each, read once. The documents of the result are visual ids."""
    terms = {topic_id: dict.fromkeys(tuples.of_latex(latex, options), 1.0) for topic_id, latex in queries.items()}
    return rank_by_bm25(terms, ((unit_id, tuples.of_latex(latex, options)) for unit_id, latex in distinct), constants)


def first_instances(
    ranking: Iterable[ScoredDocument],
    instances_of: Mapping[str, Sequence[FormulaInPost]],
    most: int = MOST_INSTANCES,
    limit: int = LIMIT,
) -> Iterator[tuple[ScoredDocument, str]]:
    """The first instances of each ranked formula with its score, and their posts; at most ``limit`` for a topic."""
    counts: defaultdict[str, int] = defaultdict(int)
    for row in ranking:
        for formula_id, post_id in instances_of[row.doc_id][: min(most, limit - counts[row.topic_id])]:
            counts[row.topic_id] += 1
            yield row._replace(doc_id=formula_id), post_id


def rank_answers(
    queries: Mapping[str, AnswerQuery],
    answers: Iterable[tuple[str, str]],
    alpha: float = 0.18,
    options: tuples.TupleOptions = tuples.TupleOptions(),  # noqa: B008
    constants: Bm25 = Bm25(),  # noqa: B008
) -> list[ScoredDocument]:
    """The answers by ``alpha`` * BM25 of the math tuples + (1 - ``alpha``) * BM25 of the words (MathDowsers 2022,
    equation 2; 0.18 is their primary run). ``answers``: post id and canonical HTML, read once. The length of an answer
    counts its tuples and words."""
    weighted = {topic_id: term_weights(query, alpha, options) for topic_id, query in queries.items()}
    documents = ((post_id, answer_terms(html, options)) for post_id, html in answers)
    return rank_by_bm25(weighted, documents, constants)


def answer_terms(html: str, options: tuples.TupleOptions) -> list[str]:
    math = (term for _, latex in formulas(html) for term in tuples.of_latex(latex, options))
    return [*words(prose(html)), *math]


def term_weights(query: AnswerQuery, alpha: float, options: tuples.TupleOptions) -> dict[str, float]:
    """The terms of a query with their weights. Tuples have brackets, so no word looks like one."""
    math = {term: alpha for latex in query.latex for term in tuples.of_latex(latex, options)}
    weighted = {**dict.fromkeys(query.words, 1 - alpha), **math}
    return {term: weight for term, weight in weighted.items() if weight > 0}
