"""The nodes of a Symbol Layout Tree, and how the symbols of one writing line become a branch of it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from typing import NamedTuple

from assess.ir.formulas.symbols import CLOSING, OPENING, SLASH, WHITE, struck

NEXT, WITHIN, ELEMENT, ABOVE, BELOW, PRE_ABOVE, PRE_BELOW, UNDER, OVER = EDGES = tuple("nweabcduo")
"""Next on the line; within a radical or the first element of M!; next element of M!; super- and subscript; those
before the symbol; under and over it (limits, denominator and numerator, accents)."""


@dataclass(slots=True, eq=False, repr=False)
class Node:
    """A symbol or structure with its edges in drawing order; the next symbol comes last. ``label``: ``V!x`` a letter,
    ``N!12`` a number, ``T!lim`` a word, ``F!`` a fraction, ``R!`` a radical, ``W!`` white space, ``M!()1x2`` a list or
    table in brackets (fences, rows, columns; ``M!2x2`` has none), and operators as such."""

    label: str
    edges: list[tuple[str, "Node"]] = field(default_factory=list)


class Visit(NamedTuple):
    """A node met on a walk, the edge that leads to it ("" at the root), and the depth at which that edge begins."""

    edge: str
    depth: int
    node: Node


Line = list[Node]


def walk(root: Node) -> Iterator[Visit]:
    """Every node depth first: the scripts of a symbol before the next symbol."""
    waiting = [Visit("", 0, root)]
    while waiting:
        visit = waiting.pop()
        yield visit
        inner = visit.depth + (visit.edge not in ("", NEXT))
        waiting += [Visit(edge, inner, node) for edge, node in reversed(visit.node.edges)]


def as_string(root: Node) -> str:
    """The tree as text: one item for each node and edge; the number of an edge is the depth at which it begins. White
    space between symbols is left out. Two formulas with the same string look alike, except for the font."""
    items: list[str] = []
    for edge, depth, node in walk(root):
        if edge == NEXT and node.label == WHITE and all(label == NEXT for label, _ in node.edges):
            continue
        items += [f"{edge}{depth}", node.label] if edge else [node.label]
    return " ".join(items)


def linked(line: Line) -> Node:
    """The first symbol of a line, each symbol linked to the next."""
    line = tidied(line) or [Node(WHITE)]
    for node, following in pairwise(line):
        node.edges.append((NEXT, following))
    return line[0]


def tidied(line: Line) -> Line:
    """A line with numbers, ellipses and bracketed groups merged, and without white space at its ends."""
    return _bracketed(_merged(_stripped(line)))


def scripted(base: Line, scripts: list[tuple[str, Line]]) -> Line:
    """Attach scripts to the last symbol of their base, or to a new empty node if it already has such a script."""
    scripts = [(edge, line) for edge, line in scripts if _stripped(line)]
    taken = {edge for edge, _ in base[-1].edges} if base else set()
    if not base or taken & {edge for edge, _ in scripts}:
        base = [*base, Node(WHITE)]
    base[-1].edges += [(edge, linked(line)) for edge, line in scripts]
    base[-1].edges.sort(key=lambda pair: EDGES.index(pair[0]))
    return base


def as_node(line: Line) -> Node:
    """A tidied line as one node, so that something can be put over or under it."""
    return line[0] if len(line) == 1 and not line[0].edges else Node("M!1x1", [(WITHIN, linked(line))])


def table(rows: list[list[Line]]) -> Node:
    """Cells in row-major order, without trailing empty rows and columns."""
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
    """Digits marked up one by one form a number, three dots an ellipsis; a slash strikes the next symbol."""
    merged: Line = []
    for node in line:
        if merged and not merged[-1].edges and merged[-1].label[:2] == node.label[:2] == "N!":
            node.label = merged.pop().label + node.label[2:]
        elif node.label == "." and [(dot.label, dot.edges) for dot in merged[-2:]] == [(".", []), (".", [])]:
            del merged[-2:]
            node.label = "…"
        elif merged and merged[-1].label == SLASH:
            del merged[-1]
            node.label = struck(node.label)
        merged.append(node)
    return merged


def _bracketed(line: Line) -> Line:
    """Each pair of brackets and its content become one node; a bracket without a partner stays a symbol."""
    grouped: Line = []
    openings: list[int] = []
    for node in line:
        if node.label in CLOSING and openings:
            start = openings.pop()
            grouped[start:] = [_bracket(grouped[start], grouped[start + 1 :], node)]
            continue
        if node.label in OPENING and not node.edges:
            openings.append(len(grouped))
        grouped.append(node)
    return grouped


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
    """The elements of a list, which commas separate."""
    cells: list[Line] = [[]] if line else []
    for node in line:
        if node.label == "," and not node.edges:
            cells.append([])
        else:
            cells[-1].append(node)
    return cells
