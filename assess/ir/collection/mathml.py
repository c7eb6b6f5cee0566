"""Formulas that browsers show without JavaScript, from untrusted TeX."""

import re
from functools import lru_cache
from html import escape, unescape
from xml.etree.ElementTree import Element, tostring

from latex2mathml.converter import Converter

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
EM = {"em": 1, "ex": 0.43, "px": 0.063, "pt": 0.1, "pc": 1.2, "mm": 0.285, "cm": 2.85, "in": 7.23, "mu": 0.056}
LENGTH = re.compile(rf"(?<![\d.])(\d++(?:\.\d*+)?|\.\d++)\s*+({'|'.join(EM)})\b")
MOST_EM = 100
"""The longest length in a formula that is shown; longer ones are shown as their TeX."""
ARITY = {"mfrac": 2, "mover": 2, "mroot": 2, "msub": 2, "msubsup": 3, "msup": 2, "munder": 2, "munderover": 3}
"""The number of children that these elements must have."""

_ENTITY = re.compile(r"&(lt|gt|quot|nbsp|#39);")
_BROKEN_ENTITY = re.compile(r"&(\s*(?:\\displaystyle\s*)?)amp;")
_SIZED = re.compile(r"\\[bB]igg?[lmr]?(?![a-zA-Z])\s*(?:\{([^\\{}\w]|\\(?:[a-zA-Z]+|[{}|]))\}|(\\(?:[a-zA-Z]+|[{}|])))")
"""A sized bracket, in braces or as a command, that the converter does not understand. It loses its size."""
_ROWS = re.compile(
    r"(\\(?:begin|end)\{)(?:(?:aligned|eqnarray\*?|flalign\*?|gather\*?|gathered|multline\*?)\}"
    r"|align(?:edat|at\*?)\}(?:\{\d+\})?)"
)
"""Multi-line environments that the converter does not know and would set on one line."""
_GREEK_CAPITAL = re.compile("[Α-Ω]")
_WRAPPED = re.compile(r"(?<!\\)%[ \t]")


def readable(tex: str) -> str:
    """TeX with the damage of the labs' conversion repaired. In about 3 % of the collection's formulas characters are
    escaped twice (``&amp;lt;``). In another 4 % a line break has become ``% ``, which would turn the rest of the
    formula into a comment."""
    if "%" in tex and "\n" not in tex:
        tex = _WRAPPED.sub("", tex)
    return _ENTITY.sub(lambda m: unescape(m[0]), _BROKEN_ENTITY.sub(r"&\1", tex)) if "&" in tex else tex


@lru_cache(maxsize=20_000)
def mathml(tex: str, block: bool) -> str:
    """A harmless ``<math>`` element, or the TeX itself as ``<code class="tex">`` if it cannot be converted."""
    if not tex.strip():
        return ""
    element = converted(_ROWS.sub(r"\1align*}", tex), block)
    if element is None or is_huge(element):
        return f'<code class="tex">{escape(tex, quote=False)}</code>'
    for part in element.iter():
        if part.tag == "mi" and _GREEK_CAPITAL.fullmatch(part.text or ""):
            part.attrib.setdefault("mathvariant", "normal")  # as TeX sets it
    return tostring(element, "unicode")


def is_huge(math: Element) -> bool:
    """Whether a length in a formula is beyond any use: ``\\rule{100000em}{1em}`` would push all else off the page."""
    values = (value for element in math.iter() for value in element.attrib.values())
    return any(float(number) * EM[unit] > MOST_EM for value in values for number, unit in LENGTH.findall(value))


def _grouped(parts: list[Element], number: int) -> list[Element]:
    """That number of parts. A binomial or matrix forms one part with its brackets, and surplus parts join the first.
    The converter leaves brackets separate, so in ``\\binom{n}{k}^2`` the script would belong to a bracket."""
    grouped: list[Element] = []
    while parts:
        is_bracketed = [part.tag for part in parts[:3]] in (["mo", "mfrac", "mo"], ["mo", "mtable", "mo"])
        first, parts = (_row(parts[:3]), parts[3:]) if is_bracketed else (parts[0], parts[1:])
        grouped.append(first)
    size = len(grouped) - number + 1
    return [_row(grouped[:size]), *grouped[size:]] if size > 1 else grouped


def _row(parts: list[Element]) -> Element:
    row = Element("mrow")
    row.extend(parts)
    return row


def converted(tex: str, block: bool) -> Element | None:
    """The converter's ``<math>`` element, parts grouped and harmless; None if it failed or misunderstood a command."""
    if len(tex) > LONGEST:
        return None
    try:
        source = _SIZED.sub(r"\1\2 ", tex)
        math: Element = Converter(display="block" if block else "inline").convert_to_element(source)
    except Exception:  # readers get the TeX if the converter fails, for whatever reason
        return None
    for element in math.iter():
        if len(element) > (number := ARITY.get(element.tag, len(element))):
            element[:] = _grouped(list(element), number)
    return math if all(_tame(element) for element in math.iter()) else None


def _tame(element: Element) -> bool:
    """Removes unknown attributes. False for an unknown element or a command that was not understood."""
    element.text = unescape(element.text) if element.text else None
    for name, value in list(element.attrib.items()):
        if name not in ATTRIBUTES or not VALUE.fullmatch(value):
            del element.attrib[name]
    understood = element.tag == "mtext" or not COMMAND.match(element.text or "")
    return element.tag in ELEMENTS and element.tail is None and understood
