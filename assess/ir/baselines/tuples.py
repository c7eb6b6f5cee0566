"""Math tuples: the features of a Symbol Layout Tree that are matched (MathDowsers 2022, section 3).

The tuples are text, used as terms: ``(V!x,N!2,a)`` is an x with the superscript 2. Edges are the letters of
`assess.ir.formulas.layout`, a path is a string of them, ``-`` the empty path.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from assess.ir.formulas.layout import EDGES, NEXT, Node
from assess.ir.formulas.slt import NoTree, from_latex
from assess.ir.formulas.symbols import WHITE

LOCATION = 8
"""Longer paths to a tuple, in nodes with both ends, are left out: the cutoff of run L8 in the paper is below 8."""
RELATIONS = frozenset("=≠<>≤≥≦≧⩽⩾≪≫≮≯≰≱≡≢∼≁≃≅≈≉≍≐≔∝∈∉∋⊂⊃⊆⊇⊊⊋⊄⊈→↦⇒⇔⟹⟺⟶∣∥⊥⊢⊨≺≻⪯⪰") | {":=", "=:"}


class AnchoredNode(NamedTuple):
    """A node with its edges, ignoring white space; ``anchor``: the number of the node at which its ``path`` begins."""

    label: str
    edges: list[tuple[str, int]]
    anchor: int
    path: str


def of_tree(root: Node) -> list[str]:
    """All tuples of a formula, with repetition: pairs of adjacent symbols, symbols without edges, symbols with
    several, repeated symbols (again with the kind of the symbol instead of the symbol, ?V for a variable), and each of
    these with its location, unless the path is too long (``LOCATION``). Paths begin at the root or the nearest relation
    above (=, <, …)."""
    places, finished = placed(root)
    tuples: list[str] = []
    for body, path in [*of_symbols(places), *of_duplicates(places, finished)]:
        tuples.append(f"({body})")
        if len(path) + 1 < LOCATION:
            tuples.append(f"({body},@{path or '-'})")
    return tuples


@lru_cache(maxsize=50_000)
def of_latex(latex: str) -> tuple[str, ...]:
    """The same for LaTeX; empty if it cannot be parsed."""
    try:
        return tuple(of_tree(from_latex(latex)))
    except NoTree:
        return ()


def placed(root: Node) -> tuple[list[AnchoredNode], list[int]]:
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


def of_symbols(places: list[AnchoredNode]) -> Iterator[tuple[str, str]]:
    """Symbol pairs, terminal symbols (``φ``) and compound symbols, each with its path. A relation has the empty
    path."""
    for place in places:
        path = "" if place.label in RELATIONS else place.path
        for edge, at in place.edges:
            yield f"{place.label},{places[at].label},{edge}", path
        if not place.edges:
            yield f"{place.label},φ", path
        if len(place.edges) > 1:
            yield f"{place.label},{''.join(edge for edge, _ in place.edges)}", path


def of_duplicates(places: list[AnchoredNode], finished: list[int]) -> Iterator[tuple[str, str]]:
    """A tuple for each two successive occurrences of a symbol in post-order, so that their number grows with the
    formula, not with its square: the symbol, the paths to both from where they diverge, and the path to that node as
    the location. Below different anchors the paths share nothing."""
    last: dict[str, AnchoredNode] = {}
    for at in finished:
        place = places[at]
        if previous := last.get(place.label):
            shared = common(previous.path, place.path) if previous.anchor == place.anchor else 0
            body = f"{previous.path[shared:] or '-'},{place.path[shared:] or '-'}"
            kind = place.label[0] if place.label[1:2] == "!" else "O"  # an operator
            yield f"{place.label}..{body}", place.path[:shared]
            yield f"?{kind}..{body}", place.path[:shared]
        last[place.label] = place


def common(first: str, second: str) -> int:
    """How many edges two paths share at their beginning."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(first), len(second)))
