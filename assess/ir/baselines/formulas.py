"""The formula baselines: math tuples (features of Symbol Layout Trees; MathDowsers 2022, section 3) ranked by BM25, for
formulas, and with words for answers; and one formula of each question, for engines that search by formula only."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from assess.ir.baselines.search import DEFAULTS, Bm25, ScoredDocument, rank_by_bm25, words
from assess.ir.collection.html import formulas, prose
from assess.ir.common.rows import TopicRow, tie_break
from assess.ir.formulas.layout import EDGES, NEXT, Node, walk
from assess.ir.formulas.slt import NoTree, from_latex
from assess.ir.formulas.symbols import WHITE
from assess.ir.runs.ranking import LIMIT

LONGEST_LOCATION = 8
"""Longer paths to a tuple, in nodes with both ends, are left out: the cutoff of run L8 in the paper is below 8."""
RELATIONS = frozenset("=≠<>≤≥≦≧⩽⩾≪≫≮≯≰≱≡≢∼≁≃≅≈≉≍≐≔∝∈∉∋⊂⊃⊆⊇⊊⊋⊄⊈→↦⇒⇔⟹⟺⟶∣∥⊥⊢⊨≺≻⪯⪰") | {":=", "=:"}


class AnchoredNode(NamedTuple):
    """A node with its edges, ignoring white space; ``anchor``: the number of the node at which its ``path`` begins."""

    label: str
    edges: list[tuple[str, int]]
    anchor: int
    path: str


def tuples_of_tree(root: Node) -> list[str]:
    """All tuples of a formula, with repetition: pairs of adjacent symbols, symbols without edges, symbols with
    several, repeated symbols (again with the kind of the symbol instead of the symbol, ?V for a variable), and each of
    these with its location, unless the path is too long (``LONGEST_LOCATION``). Paths begin at the root or the nearest
    relation above (=, <, …). Tuples are text, used as terms: ``(V!x,N!2,a)`` is an x with the superscript 2. Edges are
    the letters of `ir.formulas.layout`, a path is a string of them, ``-`` the empty path."""
    places, finished = anchored_nodes(root)
    tuples: list[str] = []
    for body, path in [*tuples_of_symbols(places), *tuples_of_duplicates(places, finished)]:
        tuples.append(f"({body})")
        if len(path) + 1 < LONGEST_LOCATION:
            tuples.append(f"({body},@{path or '-'})")
    return tuples


@lru_cache(maxsize=50_000)
def tuples_of_latex(latex: str) -> tuple[str, ...]:
    """The same for LaTeX; empty if it cannot be parsed."""
    try:
        return tuple(tuples_of_tree(from_latex(latex)))
    except NoTree:
        return ()


def anchored_nodes(root: Node) -> tuple[list[AnchoredNode], list[int]]:
    """The nodes in pre-order, the next symbol before the other edges; and their numbers in post-order."""
    places: list[AnchoredNode] = []
    finished: list[int] = []
    waiting: list[tuple[Node, str, int]] = [(root, "", -1)]
    while waiting:
        node, edge, parent = waiting.pop()
        if node is DONE:
            finished.append(parent)
            continue
        at, above = len(places), places[parent] if parent >= 0 else None
        if above is None or above.label in RELATIONS:
            places.append(AnchoredNode(node.label, [], max(parent, 0), edge))
        else:
            places.append(AnchoredNode(node.label, [], above.anchor, above.path + edge))
        if edge:
            places[parent].edges.append((edge, at))
        waiting.append((DONE, "", at))
        waiting += [(child, name, at) for name, child in reversed(visible_edges(node))]
    return places, finished


DONE = Node("")


def visible_edges(node: Node) -> list[tuple[str, Node]]:
    """The edges in a fixed order, the next symbol first, skipping white space between symbols."""
    edges = []
    for name, child in node.edges:
        while child.label == WHITE and name == NEXT and [label for label, _ in child.edges] == [NEXT]:
            child = child.edges[0][1]
        if child.label != WHITE or child.edges:
            edges.append((name, child))
    return sorted(edges, key=lambda edge: EDGES.index(edge[0]))


def tuples_of_symbols(places: list[AnchoredNode]) -> Iterator[tuple[str, str]]:
    """Symbol pairs, terminal (``φ``) and compound symbols, each with its path, which is empty for a relation."""
    for place in places:
        path = "" if place.label in RELATIONS else place.path
        for edge, at in place.edges:
            yield f"{place.label},{places[at].label},{edge}", path
        if not place.edges:
            yield f"{place.label},φ", path
        if len(place.edges) > 1:
            yield f"{place.label},{''.join(edge for edge, _ in place.edges)}", path


def tuples_of_duplicates(places: list[AnchoredNode], finished: list[int]) -> Iterator[tuple[str, str]]:
    """A tuple for each two successive occurrences of a symbol in post-order, so that their number grows with the
    formula, not with its square: the symbol, the paths to both from where they diverge, and the path to that node as
    the location. Below different anchors the paths share nothing."""
    last: dict[str, AnchoredNode] = {}
    for at in finished:
        place = places[at]
        if previous := last.get(place.label):
            shared = count_shared_edges(previous.path, place.path) if previous.anchor == place.anchor else 0
            body = f"{previous.path[shared:] or '-'},{place.path[shared:] or '-'}"
            kind = place.label[0] if place.label[1:2] == "!" else "O"  # an operator
            yield f"{place.label}..{body}", place.path[:shared]
            yield f"?{kind}..{body}", place.path[:shared]
        last[place.label] = place


def count_shared_edges(first: str, second: str) -> int:
    """How many edges two paths share at their beginning."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(first), len(second)))


HEADER = ("id", "topic_id", "thread_id", "type", "formula")
"""The columns of the labs' files of topic formulas. The thread of a topic is unknown here, so it stays empty."""

MOST_INSTANCES = 5
"""Instances of a formula in a ranking: the labs judged at most five (ARQMath-1 to 3)."""


def rank_formulas(
    queries: Mapping[str, str], distinct: Iterable[tuple[str, str]], constants: Bm25 = DEFAULTS
) -> list[ScoredDocument]:
    """The visually distinct formulas most like each query. ``queries``: topic -> LaTeX; ``distinct``: visual id and
    LaTeX of each, read once. The documents of the result are visual ids."""
    terms = {topic_id: dict.fromkeys(tuples_of_latex(latex), 1.0) for topic_id, latex in queries.items()}
    return rank_by_bm25(terms, ((unit_id, tuples_of_latex(latex)) for unit_id, latex in distinct), constants)


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
    queries: Mapping[str, str], answers: Iterable[tuple[str, str]], alpha: float = 0.18, constants: Bm25 = DEFAULTS
) -> list[ScoredDocument]:
    """The answers by ``alpha`` * BM25 of the math tuples + (1 - ``alpha``) * BM25 of the words (MathDowsers 2022,
    equation 2; 0.18 is their primary run). ``queries`` and ``answers``: topic or post id and canonical HTML; answers
    are read once. The length of an answer counts its tuples and words."""
    weighted: dict[str, dict[str, float]] = {}
    for topic_id, html in queries.items():  # tuples have brackets, so no word looks like one
        weights = dict.fromkeys(words(prose(html)), 1 - alpha) | dict.fromkeys(math_terms(html), alpha)
        weighted[topic_id] = {term: weight for term, weight in weights.items() if weight > 0}
    documents = ((post_id, [*words(prose(html)), *math_terms(html)]) for post_id, html in answers)
    return rank_by_bm25(weighted, documents, constants)


def math_terms(html: str) -> Iterator[str]:
    return (term for _, latex in formulas(html) for term in tuples_of_latex(latex))


class QueryFormula(NamedTuple):
    """The formula chosen for a topic. ``kind``: title or question; ``nodes``: of its tree, 0 if it cannot be parsed."""

    topic_id: str
    formula_id: str
    kind: str
    latex: str
    nodes: int


def choose_formulas(topics: Iterable[TopicRow], seed: int) -> list[QueryFormula]:
    """A formula for each topic that has any, in the canonical HTML of its title or else its body: the one with the most
    nodes, ties broken at random by the seed (ARQMath-3 overview, 4.3, Tangent-S)."""
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
