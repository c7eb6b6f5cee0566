"""The formula baselines: math tuples ranked by BM25, for formulas, and together with words for answers; and a
single formula for each question, for engines that search by formula only."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from assess.ir.baselines.search import DEFAULTS, Bm25, ScoredDocument, rank_by_bm25
from assess.ir.baselines.terms import words
from assess.ir.baselines.tuples import of_latex
from assess.ir.collection.html import formulas, prose
from assess.ir.common.ids import tie_break
from assess.ir.common.rows import TopicRow
from assess.ir.formulas.layout import walk
from assess.ir.formulas.slt import NoTree, from_latex
from assess.ir.runs.ranking import LIMIT

HEADER = ("id", "topic_id", "thread_id", "type", "formula")
"""The columns of the labs' files of topic formulas. The thread of a topic is unknown here, so it stays empty."""

MOST_INSTANCES = 5
"""Instances of a formula in a ranking: the labs judged at most five (ARQMath-1 to 3)."""


class AnswerQuery(NamedTuple):
    """The query for a topic: its words, and the LaTeX of its formulas or of one of them."""

    words: Sequence[str]
    latex: Sequence[str]


def rank_formulas(
    queries: Mapping[str, str], distinct: Iterable[tuple[str, str]], constants: Bm25 = DEFAULTS
) -> list[ScoredDocument]:
    """The visually distinct formulas most like each query. ``queries``: topic -> LaTeX; ``distinct``: visual id and
    LaTeX of each, read once. The documents of the result are visual ids."""
    terms = {topic_id: dict.fromkeys(of_latex(latex), 1.0) for topic_id, latex in queries.items()}
    return rank_by_bm25(terms, ((unit_id, of_latex(latex)) for unit_id, latex in distinct), constants)


def first_instances(
    ranking: Iterable[ScoredDocument], instances_of: Mapping[str, Sequence[tuple[str, str]]], limit: int = LIMIT
) -> Iterator[ScoredDocument]:
    """The first instances of each ranked formula with its score and their posts; at most ``limit`` for a topic.
    ``instances_of``: the ids of formulas and of their posts."""
    counts: defaultdict[str, int] = defaultdict(int)
    for row in ranking:
        for formula_id, post_id in instances_of[row.doc_id][: min(MOST_INSTANCES, limit - counts[row.topic_id])]:
            counts[row.topic_id] += 1
            yield row._replace(doc_id=formula_id, post_id=post_id)


def rank_answers(
    queries: Mapping[str, AnswerQuery],
    answers: Iterable[tuple[str, str]],
    alpha: float = 0.18,
    constants: Bm25 = DEFAULTS,
) -> list[ScoredDocument]:
    """The answers by ``alpha`` * BM25 of the math tuples + (1 - ``alpha``) * BM25 of the words (MathDowsers 2022,
    equation 2; 0.18 is their primary run). ``answers``: post id and canonical HTML, read once. The length of an answer
    counts its tuples and words."""
    weighted = {topic_id: term_weights(query, alpha) for topic_id, query in queries.items()}
    documents = ((post_id, answer_terms(html)) for post_id, html in answers)
    return rank_by_bm25(weighted, documents, constants)


def answer_terms(html: str) -> list[str]:
    math = (term for _, latex in formulas(html) for term in of_latex(latex))
    return [*words(prose(html)), *math]


def term_weights(query: AnswerQuery, alpha: float) -> dict[str, float]:
    """The terms of a query with their weights. Tuples have brackets, so no word looks like one."""
    math = {term: alpha for latex in query.latex for term in of_latex(latex)}
    weighted = {**dict.fromkeys(query.words, 1 - alpha), **math}
    return {term: weight for term, weight in weighted.items() if weight > 0}


class QueryFormula(NamedTuple):
    """The formula chosen for a topic. ``kind``: title or question; ``nodes``: the nodes of its Symbol Layout Tree, 0 if
    its LaTeX cannot be parsed."""

    topic_id: str
    formula_id: str
    kind: str
    latex: str
    nodes: int


def choose_formulas(topics: Iterable[TopicRow], seed: int) -> list[QueryFormula]:
    """A formula for each topic that has any: from the title if possible, else from the body; the one with the most
    nodes, ties broken at random by the seed (ARQMath-3 overview, 4.3, Tangent-S). ``topics``: title and body are
    canonical HTML."""
    chosen = []
    for topic in topics:
        for kind, html in (("title", topic.title), ("question", topic.body)):
            texts = [(formula_id, latex) for formula_id, latex in formulas(html) if latex.strip()]
            if texts:
                found = [QueryFormula(topic.topic_id, key, kind, latex, tree_size(latex)) for key, latex in texts]
                chosen.append(min(found, key=lambda row: (-row.nodes, tie_break(seed, row.topic_id, row.formula_id))))
                break
    return chosen


def tree_size(latex: str) -> int:
    try:
        return sum(1 for _ in walk(from_latex(latex)))
    except NoTree:
        return 0


def query_file(chosen: Iterable[QueryFormula]) -> str:
    """The formulas as the labs publish those of topics: tab-separated, with a header. White space in LaTeX becomes
    one space, so that each formula fits on a line."""
    rows = [(query.formula_id, query.topic_id, "", query.kind, " ".join(query.latex.split())) for query in chosen]
    return "".join("\t".join(row) + "\n" for row in (HEADER, *rows))
