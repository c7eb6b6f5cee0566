"""Spacing around function names (``\\sin x``, ``2\\log n``, ``\\lim_{n\\to\\infty} a_n``) as in TeX, which latex2mathml
omits (The TeXbook, chapter 18): a thin space on either side, but none next to a bracket or an operator. The invisible
function application character, which screen readers speak, joins a name and its argument. In displayed formulas limits
go above and below a name, as in TeX.

Also the height of the contents of roots. If the radical sign is taller than its contents, TeX puts half of the excess
above them and half below (The TeXbook, appendix G, rule 11). Browsers put all of it below, so that the sign sinks below
the line. An invisible element as tall as a digit prevents that."""

from collections.abc import Iterator, Sequence
from unicodedata import category
from xml.etree.ElementTree import Element

APPLIED = "\u2061"
"""Unicode's function application character."""
THIN = "0.167em"
DIGIT = "0.6em"
"""The height of a digit, slightly less than in most fonts, so that no radical sign grows because of it."""
NO_SPACE = {"lspace": "0em", "rspace": "0em"}
"""Removes the wide space that browsers put around unknown operators."""

_ROWS = {"math", "menclose", "mpadded", "mphantom", "mrow", "msqrt", "mstyle", "mtd"}
_GROUPS = {"mpadded", "mrow", "mstyle"}
_SCRIPTS = {"mover", "msub", "msubsup", "msup", "munder", "munderover"}
_ROOTS = {"mroot", "msqrt"}
_LIMITS = {"msub": "munder", "msup": "mover", "msubsup": "munderover"}
_WITH_LIMITS = {"inf", "lim", "max", "min", "sup"}
"""The names whose limits latex2mathml sets as scripts; it marks others, such as ``\\gcd``, as ``movablelimits``."""
_OPERATORS_OF_TEX = {"mod"}
"""Operators written as words, not functions: ``\\bmod``, ``\\pmod``."""
_SYMBOLS = set("∂∇∞∅…⋯")
"""Characters that TeX sets like letters."""
_BARS = {"|", "‖"}
"""Set like letters too, but without space before a function name."""


def spaced(math: Element) -> Element:
    """Adds the spacing around function names and the height of roots to a ``<math>`` element, and returns it."""
    for element in math.iter("mo"):
        if _is_name(element) or element.text in _SYMBOLS | _BARS:
            element.attrib.update(NO_SPACE)
    for element in math.iter():
        if element.tag in _LIMITS and _has_limits(element[0]):
            element.tag = _LIMITS[element.tag]
            element[0].set("movablelimits", "true")
    for row in [element for element in math.iter() if element.tag in _ROWS]:
        if any(_is_name(_end(child, 0)) for child in row):
            row[:] = list(_spaced(list(row)))
    for root in [element for element in math.iter() if element.tag in _ROOTS]:
        _keep_height(root)
    return math


def _keep_height(root: Element) -> None:
    contents = root
    if root.tag == "mroot":
        contents = Element("mrow")
        contents.append(root[0])
        root[0] = contents
    contents.append(Element("mspace", width="0em", height=DIGIT))


def _has_limits(name: Element) -> bool:
    return name.tag == "mo" and (name.text in _WITH_LIMITS or name.get("movablelimits") == "true")


def _spaced(row: Sequence[Element]) -> Iterator[Element]:
    for index, child in enumerate(row):
        if not _is_name(_end(child, 0)):
            yield child
            continue
        if _ends_argument(_neighbour(row[index - 1 :: -1] if index else [], -1)):
            yield Element("mspace", width=THIN)
        yield child
        yield from _applied(_neighbour(row[index + 1 :], 0))


def _applied(argument: Element | None) -> Iterator[Element]:
    """What joins a name to its argument, if there is one."""
    is_bracket = argument is not None and _sign(argument) == "Ps"
    if argument is None or not (is_bracket or _is_name(argument) or _is_ordinary(argument)):
        return
    sign = Element("mo")
    sign.text = APPLIED
    yield sign
    if not is_bracket:
        yield Element("mspace", width=THIN)


def _ends_argument(before: Element | None) -> bool:
    """Whether a space separates a name from what precedes it. Another name already ends with a space."""
    if before is None or _is_name(before):
        return False
    return _is_ordinary(before) or before.text == "!" or _sign(before) == "Pe"


def _neighbour(row: Sequence[Element], end: int) -> Element | None:
    """The element at that end (0: first, -1: last) of the first element that is not a space. TeX adds its own spacing
    to spaces that the author sets."""
    return next((_end(child, end) for child in row if not _is_blank(child)), None)


def _end(element: Element, end: int) -> Element:
    """What an element begins (0) or ends (-1) with: the first or last part of a group, the base of scripts."""
    while len(element) and (element.tag in _GROUPS or element.tag in _SCRIPTS):
        element = element[end if element.tag in _GROUPS else 0]
    return element


def _is_blank(element: Element) -> bool:
    return element.tag == "mspace" or (element.tag == "mtext" and not (element.text or "").strip())


def _is_name(element: Element) -> bool:
    """A word set as a function; a single letter only if its author says so (``\\operatorname{E}``)."""
    text = "".join((element.text or "").split())
    is_word = text.isalpha() and text not in _OPERATORS_OF_TEX
    return is_word and (element.tag == "mo" or (element.tag == "mi" and len(text) > 1))


def _is_ordinary(element: Element) -> bool:
    """Whether TeX sets an element like a letter. For ``mi`` and ``mo`` that depends on the character, not the tag."""
    text = element.text or ""
    return element.tag not in ("mi", "mo") or text[:1].isalnum() or text in _SYMBOLS


def _sign(element: Element) -> str:
    """The Unicode category of a single character: Ps for an opening bracket, Pe for a closing one."""
    text = element.text or ""
    return category(text) if len(text) == 1 else ""
