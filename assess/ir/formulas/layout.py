"""The nodes of a Symbol Layout Tree, and how the symbols of one writing line become a branch of it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from typing import NamedTuple

from assess.ir.formulas.symbols import CLOSING, OPENING, SLASH, WHITE, struck

NEXT, WITHIN, ELEMENT, ABOVE, BELOW, PRE_ABOVE, PRE_BELOW, UNDER, OVER = EDGES = tuple("nweabcduo")
"""Next on the line; within a radical or the first element of M!; next element of M!; super- and subscript; the same
before the symbol; under and over it (limits, denominator and numerator, accents)."""


@dataclass(slots=True, eq=False, repr=False)
class Node:
    """A symbol or structure with its edges, in the order in which they are drawn; the next symbol comes last.

    ``label``: ``V!x`` a letter, ``N!12`` a number, ``T!lim`` a word, ``F!`` a fraction, ``R!`` a radical, ``W!`` white
    space, ``M!()1x2`` a list or table in brackets (fences, rows, columns; ``M!2x2`` has none), and operators as such.
    """

    label: str
    edges: list[tuple[str, "Node"]] = field(default_factory=list)

    def child(self, edge: str) -> "Node | None":
        return next((node for label, node in self.edges if label == edge), None)


class Visit(NamedTuple):
    """A node met on a walk: the edge that leads to it ("" at the root) and at how many branchings that edge begins."""

    edge: str
    depth: int
    node: Node


Line = list[Node]


def walk(root: Node) -> Iterator[Visit]:
    """Every node depth first: what hangs on a symbol before the symbol next to it."""
    waiting = [Visit("", 0, root)]
    while waiting:
        visit = waiting.pop()
        yield visit
        inner = visit.depth + (visit.edge not in ("", NEXT))
        waiting += [Visit(edge, inner, node) for edge, node in reversed(visit.node.edges)]


def as_string(root: Node) -> str:
    """The tree as text: one item for each node and edge, the number at an edge telling how deep it begins. White
    space between symbols is left out. Two formulas with the same string look alike, but for the font."""
    items: list[str] = []
    for edge, depth, node in walk(root):
        if edge == NEXT and node.label == WHITE and all(label == NEXT for label, _ in node.edges):
            continue
        items += [f"{edge}{depth}", node.label] if edge else [node.label]
    return " ".join(items)


def linked(line: Line) -> Node:
    """The first symbol of a line, each leading to the next one."""
    line = tidied(line) or [Node(WHITE)]
    for node, following in pairwise(line):
        node.edges.append((NEXT, following))
    return line[0]


def tidied(line: Line) -> Line:
    """A line with its numbers, ellipses and bracketed groups put together, without white space at its ends."""
    return _bracketed(_merged(_stripped(line)))


def scripted(base: Line, scripts: list[tuple[str, Line]]) -> Line:
    """Scripts hang on the last symbol of their base; where that has such a script already, on an empty place."""
    scripts = [(edge, line) for edge, line in scripts if _stripped(line)]
    taken = {edge for edge, _ in base[-1].edges} if base else set()
    if not base or taken & {edge for edge, _ in scripts}:
        base = [*base, Node(WHITE)]
    base[-1].edges += [(edge, linked(line)) for edge, line in scripts]
    base[-1].edges.sort(key=lambda pair: EDGES.index(pair[0]))
    return base


def whole(line: Line) -> Node:
    """One node for a tidied line, to put something over or under."""
    return line[0] if len(line) == 1 and not line[0].edges else Node("M!1x1", [(WITHIN, linked(line))])


def table(rows: list[list[Line]]) -> Node:
    """Elements in row-major order, without the empty rows and columns at the end."""
    while rows and not any(map(_stripped, rows[-1])):
        rows.pop()
    columns = list(zip_longest(*rows, fillvalue=[]))
    while columns and not any(map(_stripped, columns[-1])):
        columns.pop()
    cells = [cell for row in zip(*columns, strict=True) for cell in row]
    return _matrix("", len(rows), len(columns), cells)


def _matrix(fences: str, rows: int, columns: int, cells: Sequence[Line]) -> Node:
    firsts = [linked(cell) for cell in cells]
    for first, following in pairwise(firsts):
        first.edges.insert(0, (ELEMENT, following))
    return Node(f"M!{fences}{rows}x{columns}", [(WITHIN, firsts[0])] if firsts else [])


def _stripped(line: Line) -> Line:
    """Without the white space at both ends."""
    visible = [place for place, node in enumerate(line) if node.label != WHITE or node.edges]
    return line[visible[0] : visible[-1] + 1] if visible else []


def _merged(line: Line) -> Line:
    """Digits that were marked up one by one make one number, three dots an ellipsis, a slash strikes what follows."""
    found: Line = []
    for node in line:
        if found and not found[-1].edges and found[-1].label[:2] == node.label[:2] == "N!":
            node.label = found.pop().label + node.label[2:]
        elif node.label == "." and [(dot.label, dot.edges) for dot in found[-2:]] == [(".", []), (".", [])]:
            del found[-2:]
            node.label = "…"
        elif found and found[-1].label == SLASH:
            del found[-1]
            node.label = struck(node.label)
        found.append(node)
    return found


def _bracketed(line: Line) -> Line:
    """Each pair of brackets with what stands between them becomes one node; what finds no partner stays a symbol."""
    found: Line = []
    openings: list[int] = []
    for node in line:
        if node.label in CLOSING and openings:
            start = openings.pop()
            found[start:] = [_bracket(found[start], found[start + 1 :], node)]
            continue
        if node.label in OPENING and not node.edges:
            openings.append(len(found))
        found.append(node)
    return found


def _bracket(opening: Node, inner: Line, closing: Node) -> Node:
    fences, content = opening.label + closing.label, _stripped(inner)
    if len(content) == 1 and re.match(r"M!\d", content[0].label) and not any(e != WITHIN for e, _ in content[0].edges):
        node = Node(f"M!{fences}{content[0].label[2:]}", content[0].edges)
    else:
        cells = _split(content)
        node = _matrix(fences, 1, len(cells), cells)
    node.edges += closing.edges
    return node


def _split(line: Line) -> list[Line]:
    """The elements of a list: what stands between its commas."""
    cells: list[Line] = [[]] if line else []
    for node in line:
        if node.label == "," and not node.edges:
            cells.append([])
        else:
            cells[-1].append(node)
    return cells
