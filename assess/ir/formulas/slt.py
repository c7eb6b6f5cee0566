"""The Symbol Layout Tree (SLT) of a formula: where each symbol is relative to the one before it.

After Tangent-S, with which the labs cluster formulas (Mansouri 2022, section 4.1). The tree is made from
Presentation MathML. Converters mark up the same picture in different ways, so a token's kind follows from its
characters, groups that leave no trace on paper are dissolved, and brackets are matched along the writing line.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from html import unescape
from typing import cast
from xml.etree.ElementTree import Element as PlainElement

from lxml import etree

from assess.ir.collection.mathml import converted, readable
from assess.ir.formulas import layout, symbols
from assess.ir.formulas.layout import ABOVE, BELOW, OVER, PRE_ABOVE, PRE_BELOW, UNDER, WITHIN, Line, Node
from assess.ir.formulas.symbols import WHITE

Element = PlainElement | etree._Element

DEEPEST = 100
"""MathML elements nested deeper than this make no tree."""

_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_WHOLE = re.compile(r"</(?:\w+:)?math>$")
_NAMED = re.compile(r"&(?!(?:lt|gt|amp|quot|apos);)\w+;")
_STRAY_AMPERSAND = re.compile(r"&(?!#?\w+;)")
_STRAY_LESS = re.compile(r"<(?![/!?]?[a-zA-Z])")
_COMMAND = re.compile(r"\\[a-zA-Z@]")
_INTERNAL = re.compile(r"\\[a-zA-Z]*@")
_UNSEEN = re.compile(r"\\par(?![a-zA-Z])|\\tag\*?\s*(?:\{[^{}]*\}|\S)")
_NUMBERED = re.compile(r"(\\(?:begin|end)\{(?:align|equation|gather|eqnarray))\}")
_MARKUP = re.compile(r"\s*<(?:\?xml|math)\b")


class NoTree(ValueError):
    """No Symbol Layout Tree can be made; the message says why."""


def key(formula: str) -> str:
    """What instances of one visual id have in common: the Symbol Layout Tree, as a string, of their LaTeX or
    Presentation MathML. If no tree can be made, it is the formula without white space."""
    try:
        return layout.as_string(from_mathml(formula) if _MARKUP.match(formula) else from_latex(formula))
    except NoTree:
        return "".join(readable(formula).split())


def from_latex(tex: str) -> Node:
    """The tree of LaTeX, through latex2mathml. A ``\\tag`` and the number of an equation are not part of the formula.
    Raises NoTree for LaTeX that latex2mathml does not understand."""
    root = converted(_NUMBERED.sub(r"\1*}", _UNSEEN.sub(" ", readable(tex))), False)
    if root is None or _INTERNAL.search(tex):
        raise NoTree("latex2mathml does not understand it")
    return _tree(root)


def from_mathml(text: str) -> Node:
    """The tree of Presentation MathML, with stray ``&`` and ``<`` repaired and no entities expanded. Raises NoTree."""
    source = _NAMED.sub(lambda m: unescape(m[0]), _DECLARATION.sub("", text)).strip()
    try:
        root = _read(source, lenient=False)
    except etree.XMLSyntaxError as error:
        if not _WHOLE.search(source):
            raise NoTree("not MathML, or only the beginning of it") from error
        root = _read(_STRAY_LESS.sub("&lt;", _STRAY_AMPERSAND.sub("&amp;", source)), lenient=True)
    if root is None or local_name(root) != "math":
        raise NoTree("not MathML")
    if root.getroottree().docinfo.internalDTD is not None:
        raise NoTree("MathML that declares a document type")
    return _tree(root)


def _read(source: str, *, lenient: bool) -> etree._Element | None:
    parser = etree.XMLParser(
        recover=lenient, resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    return cast("etree._Element | None", etree.fromstring(source.encode(), parser))


def children(element: Element) -> list[Element]:
    return [child for child in element if isinstance(child.tag, str)]


def local_name(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _tree(root: Element) -> Node:
    level = [root]
    for _ in range(DEEPEST):
        level = [child for element in level for child in children(element)]
        if not level:
            return layout.linked(_line(root))
    raise NoTree(f"nested deeper than {DEEPEST} elements")


def _line(element: Element) -> Line:
    """The symbols that an element puts on the writing line."""
    return _BUILDERS.get(local_name(element), _row)(element)


def _row(element: Element) -> Line:
    line: Line = []
    word = ""
    for child in children(element):
        if letter := _upright(child):
            word += letter
        else:
            line += [*_symbols(word), *_line(child)]
            word = ""
    return line + _symbols(word)


def _upright(element: Element) -> str:
    """The letter of a word that is marked up letter by letter (``\\mathrm{sin}``)."""
    text = (element.text or "").strip()
    upright = local_name(element) == "mi" and element.get("mathvariant", "italic") in ("normal", "bold")
    return text if upright and len(text) == 1 and text.isalpha() else ""


def _token(element: Element) -> Line:
    text = "".join(cast("Iterator[str]", element.itertext())).strip()
    if _COMMAND.match(text) or local_name(element) == "merror":
        raise NoTree(f"the converter did not understand {text}")
    return _symbols(symbols.letters(text, element.get("mathvariant", "")))


def _symbols(text: str) -> Line:
    return [Node(label) for label in symbols.tokens(text)]


def _fraction(element: Element) -> Line:
    """Without a bar, it is a column of two, as in a binomial coefficient."""
    over, under = _parts(element, 2)
    if re.fullmatch(r"0(\.0*)?([a-z]+|%)?", element.get("linethickness", "")):
        return [layout.table([[over], [under]])]
    return [Node("F!", [(OVER, layout.linked(over)), (UNDER, layout.linked(under))])]


def _root(element: Element) -> Line:
    inner, index = _parts(element, 2)
    return [Node("R!", [(PRE_ABOVE, layout.linked(index)), (WITHIN, layout.linked(inner))])]


def _enclosed(element: Element) -> Line:
    fence = "".join(element.get("notation", "longdiv").split())
    return [Node(f"M!{fence}1x1", [(WITHIN, layout.linked(_row(element)))])]


def _scripts(element: Element, *, edges: Sequence[str]) -> Line:
    base, *scripts = _parts(element, 1 + len(edges))
    return layout.scripted(base, list(zip(edges, scripts, strict=True)))


def _limits(element: Element, *, edges: Sequence[str]) -> Line:
    """Under and over: on a big operator or a word the same as scripts, since only the style decides between them."""
    base, *scripts = _parts(element, 1 + len(edges))
    line = layout.tidied(base)
    if len(line) == 1 and (line[0].label in symbols.BIG or line[0].label.startswith("T!")):
        return layout.scripted(line, [(ABOVE if e == OVER else BELOW, s) for e, s in zip(edges, scripts, strict=True)])
    return layout.scripted([layout.as_node(line)], list(zip(edges, scripts, strict=True)))


def _multiscripts(element: Element) -> Line:
    base, *rest = children(element)
    names = [local_name(child) for child in rest]
    cut = names.index("mprescripts") if "mprescripts" in names else len(rest)
    after, before = rest[:cut], rest[cut + 1 :]
    scripts = [(PRE_BELOW, _joined(before[::2])), (PRE_ABOVE, _joined(before[1::2]))]
    return layout.scripted(_line(base), [*scripts, (BELOW, _joined(after[::2])), (ABOVE, _joined(after[1::2]))])


def _joined(elements: Sequence[Element]) -> Line:
    return [node for element in elements for node in _line(element)]


def _grid(element: Element) -> Line:
    rows = [[cell for cell in children(row) if local_name(cell) == "mtd"] for row in children(element)]
    return [layout.table([list(map(_row, cells)) for cells in rows])]


def _fenced(element: Element) -> Line:
    separators = element.get("separators", ",").split() or [""]
    line = _symbols(element.get("open", "("))
    for number, child in enumerate(children(element)):
        line += _symbols(separators[min(number, len(separators)) - 1]) if number else []
        line += _line(child)
    return line + _symbols(element.get("close", ")"))


def _parts(element: Element, count: int) -> list[Line]:
    lines = [_line(child) for child in children(element)]
    if len(lines) != count:
        raise NoTree(f"{local_name(element)} with {len(lines)} parts instead of {count}")
    return lines


_BUILDERS: dict[str, Callable[[Element], Line]] = {
    **dict.fromkeys(("mi", "mn", "mo", "mtext", "ms", "merror"), _token),
    **dict.fromkeys(("mspace", "mphantom"), lambda _: [Node(WHITE)]),
    **dict.fromkeys(("annotation", "annotation-xml", "none", "mprescripts", "mglyph"), lambda _: []),
    "mfrac": _fraction,
    "msqrt": lambda element: [Node("R!", [(WITHIN, layout.linked(_row(element)))])],
    "mroot": _root,
    "menclose": _enclosed,
    "msup": partial(_scripts, edges=[ABOVE]),
    "msub": partial(_scripts, edges=[BELOW]),
    "msubsup": partial(_scripts, edges=[BELOW, ABOVE]),
    "munder": partial(_limits, edges=[UNDER]),
    "mover": partial(_limits, edges=[OVER]),
    "munderover": partial(_limits, edges=[UNDER, OVER]),
    "mmultiscripts": _multiscripts,
    "mtable": _grid,
    "mfenced": _fenced,
}
