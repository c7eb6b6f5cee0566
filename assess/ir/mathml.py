"""Formulas that a browser can show without JavaScript, from TeX that nobody has checked."""

import re
from functools import lru_cache
from html import escape, unescape
from xml.etree.ElementTree import Element, tostring

from latex2mathml.converter import Converter

from assess.ir.spacing import spaced

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

_ENTITY = re.compile(r"&(lt|gt|quot|nbsp|#39);")
_BROKEN_ENTITY = re.compile(r"&(\s*(?:\\displaystyle\s*)?)amp;")
_SIZED = re.compile(r"\\[bB]igg?[lmr]?(?![a-zA-Z])\s*(?:\{([^\\{}\w]|\\(?:[a-zA-Z]+|[{}|]))\}|(\\(?:[a-zA-Z]+|[{}|])))")
"""A bracket with a size, in braces or as a command, which the converter does not take: it loses its size."""
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
    element = converted(tex, block)
    if element is None:
        return f'<code class="tex">{escape(tex, quote=False)}</code>'
    return tostring(spaced(element), "unicode")


def converted(tex: str, block: bool) -> Element | None:
    """The ``<math>`` element of harmless parts, as the converter makes it; None where that stumbles or did not
    understand a command."""
    if len(tex) > LONGEST:
        return None
    try:
        source = _SIZED.sub(r"\1\2 ", tex)
        math: Element = Converter(display="block" if block else "inline").convert_to_element(source)
    except Exception:  # whatever TeX the converter stumbles over, the reader gets the TeX
        return None
    return math if all(_tame(element) for element in math.iter()) else None


def _tame(element: Element) -> bool:
    """Takes off unknown attributes; False for an unknown element or a command that was not understood."""
    element.text = unescape(element.text) if element.text else None
    for name, value in list(element.attrib.items()):
        if name not in ATTRIBUTES or not VALUE.fullmatch(value):
            del element.attrib[name]
    understood = element.tag == "mtext" or not COMMAND.match(element.text or "")
    return element.tag in ELEMENTS and element.tail is None and understood
