"""Formulas that a browser can show without JavaScript, from TeX that nobody has checked."""

import re
from functools import lru_cache
from html import escape, unescape
from xml.etree.ElementTree import Element, tostring

from latex2mathml.converter import Converter

from assess.ir.collection.spacing import spaced

ELEMENTS = {
    "math", "menclose", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded", "mphantom",
    "mprescripts", "mroot", "mrow", "ms", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable",
    "mtd", "mtext", "mtr", "munder", "munderover", "none",
}  # fmt: skip
ATTRIBUTES = {
    "accent", "accentunder", "columnalign", "columnlines", "columnspacing", "depth", "display",
    "displaystyle", "fence", "form", "height", "linebreak", "linethickness", "lspace", "mathbackground",
    "mathcolor", "mathsize", "mathvariant", "maxsize", "minsize", "movablelimits", "notation", "rowlines",
    "rowspacing", "rspace", "scriptlevel", "separator", "stretchy", "symmetric", "voffset", "width",
}  # fmt: skip
VALUE = re.compile(r"[\w#%+. -]*")
COMMAND = re.compile(r"\\[a-zA-Z@]{2,}")
LONGEST = 10_000
ARITY = {"mfrac": 2, "mover": 2, "mroot": 2, "msub": 2, "msubsup": 3, "msup": 2, "munder": 2, "munderover": 3}
"""So many parts these elements have."""

_ENTITY = re.compile(r"&(lt|gt|quot|nbsp|#39);")
_BROKEN_ENTITY = re.compile(r"&(\s*(?:\\displaystyle\s*)?)amp;")
_SIZED = re.compile(r"\\[bB]igg?[lmr]?(?![a-zA-Z])\s*(?:\{([^\\{}\w]|\\(?:[a-zA-Z]+|[{}|]))\}|(\\(?:[a-zA-Z]+|[{}|])))")
"""A bracket with a size, in braces or as a command, which the converter does not take: it loses its size."""
_ROWS = re.compile(
    r"(\\(?:begin|end)\{)(?:(?:aligned|eqnarray\*?|flalign\*?|gather\*?|gathered|multline\*?)\}"
    r"|align(?:edat|at\*?)\}(?:\{\d+\})?)"
)
"""Environments of several lines that the converter does not know: it would put them all on one."""
_GREEK_CAPITAL = re.compile("[Α-Ω]")
_WRAPPED = re.compile(r"(?<!\\)%[ \t]")


def readable(tex: str) -> str:
    """TeX as its author wrote it, where the lab's conversion damaged it.

    About 3 % of the collection's formulas escape characters twice (``&amp;lt;``). Another 4 % hold the line ends
    of their converter as ``% ``, and TeX takes what follows on the line for a comment.
    """
    if "%" in tex and "\n" not in tex:
        tex = _WRAPPED.sub("", tex)
    return _ENTITY.sub(lambda m: unescape(m[0]), _BROKEN_ENTITY.sub(r"&\1", tex)) if "&" in tex else tex


@lru_cache(maxsize=20_000)
def mathml(tex: str, block: bool) -> str:
    """A ``<math>`` element of harmless parts, or the TeX itself as ``<code class="tex">`` where that fails."""
    if not tex.strip():
        return ""
    element = converted(_ROWS.sub(r"\1align*}", tex), block)
    if element is None:
        return f'<code class="tex">{escape(tex, quote=False)}</code>'
    for part in element.iter():
        if part.tag == "mi" and _GREEK_CAPITAL.fullmatch(part.text or ""):
            part.attrib.setdefault("mathvariant", "normal")  # as TeX sets it
    return tostring(spaced(element), "unicode")


def _grouped(parts: list[Element], number: int) -> list[Element]:
    """As many parts as there have to be: each binomial and matrix is one with its brackets, and what is left over
    belongs to the first. The converter counts them apart, and browsers would take a bracket for what bears a script
    (``\\binom{n}{k}^2``)."""
    grouped: list[Element] = []
    while parts:
        is_bracketed = [part.tag for part in parts[:3]] in (["mo", "mfrac", "mo"], ["mo", "mtable", "mo"])
        first, parts = (_row(parts[:3]), parts[3:]) if is_bracketed else (parts[0], parts[1:])
        grouped.append(first)
    left_over = len(grouped) - number + 1
    return [_row(grouped[:left_over]), *grouped[left_over:]] if left_over > 1 else grouped


def _row(parts: list[Element]) -> Element:
    row = Element("mrow")
    row.extend(parts)
    return row


def converted(tex: str, block: bool) -> Element | None:
    """The ``<math>`` element of harmless parts, as the converter makes it, but grouped; None where that stumbles or
    did not understand a command."""
    if len(tex) > LONGEST:
        return None
    try:
        source = _SIZED.sub(r"\1\2 ", tex)
        math: Element = Converter(display="block" if block else "inline").convert_to_element(source)
    except Exception:  # whatever TeX the converter stumbles over, the reader gets the TeX
        return None
    for element in math.iter():
        if len(element) > (number := ARITY.get(element.tag, len(element))):
            element[:] = _grouped(list(element), number)
    return math if all(_tame(element) for element in math.iter()) else None


def _tame(element: Element) -> bool:
    """Takes off unknown attributes; False for an unknown element or a command that was not understood."""
    element.text = unescape(element.text) if element.text else None
    for name, value in list(element.attrib.items()):
        if name not in ATTRIBUTES or not VALUE.fullmatch(value):
            del element.attrib[name]
    understood = element.tag == "mtext" or not COMMAND.match(element.text or "")
    return element.tag in ELEMENTS and element.tail is None and understood
