"""The HTML of posts: made harmless once, when it is stored, in one form for all editions of the collection.

In that *canonical* form every formula is ``<span class="math-container" data-formula-id="N">TeX</span>``, with
``data-display="block"`` where it stands on its own; the id is empty where the collection gives none. Every
picture is ``<a class="post-image" href="…" data-image="FILE">alt text</a>``, so that nothing loads from elsewhere.
"""

import re
from collections.abc import Callable, Collection, Mapping
from html import escape, unescape
from types import MappingProxyType

import nh3

from assess.ir.collection.links import OUTSIDE, signposted
from assess.ir.collection.mathml import mathml, readable

INLINE = {"b", "code", "del", "em", "i", "kbd", "s", "span", "strike", "strong", "sub", "sup"}
BLOCK = {"blockquote", "br", "dd", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre"}
TABLE = {"caption", "table", "tbody", "td", "tfoot", "th", "thead", "tr"}
UNSEEN = {"iframe", "math", "noscript", "object", "script", "style", "svg", "template", "textarea", "title"}
"""Elements that go together with what they hold; of other unknown elements the text stays."""

VALUES = {
    "data-display": re.compile("block"),
    "data-formula-id": re.compile(r"[\w.-]*"),
    "data-image": re.compile(r"\w[\w.-]*"),
    "start": re.compile(r"-?\d{1,6}"),
}
UNSETTLED = ("<img", "<!--", "math-container")
"""What canonical HTML holds nowhere but, the last one, in its formulas."""
PLACE = "\ufffc"
"""Unicode's sign for an object in the text."""
REL = "nofollow noopener noreferrer"
LINK_REL = f' rel="{REL}"'
ROUNDS = 10
MISSING = "Missing picture"
"""What stands before the name of a picture that is not there, in English."""

_ATTRIBUTES = r"""(?:[^>"'<]|"[^"]*"|'[^']*')*+"""
_PARTS = re.compile(
    rf"<!--.*?(?:-->|\Z)|<span(?=\s[^<>]*math-container)(?P<math>{_ATTRIBUTES})>(?P<tex>.*?)</span>"
    rf"|<img\b(?P<image>{_ATTRIBUTES})>|</?[a-z]{_ATTRIBUTES}>",
    re.DOTALL | re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_DELIMITERS = [
    (re.compile(r"\$\$(.*)(?<!\\)\$\$", re.DOTALL), True),
    (re.compile(r"\\\[(.*)\\\]", re.DOTALL), True),
    (re.compile(r"\$(.*)\$", re.DOTALL), False),
    (re.compile(r"\\\((.*)\\\)", re.DOTALL), False),
]
_UNTIDY = re.compile(r"<a [^>]*></a>|(?<=<pre>)\n+")
_FORMULA = re.compile(r'<span class="math-container" data-formula-id="([^"]*)"( data-display="block")?>([^<]*)</span>')
CLOSING = r"([,.;:!?)\]’”…]*)"
"""The punctuation that may follow a formula."""
_CLOSED = re.compile(_FORMULA.pattern + CLOSING)
"""A formula with the punctuation that closes it."""
_SETTLED = re.compile(
    r'<span class="math-container" data-formula-id="[\w.-]*"(?: data-display="block")?>'
    r"(?:[^<>&\r\0\xa0]|&(?:amp|lt|gt);)*+</span>"
)
_ENVIRONMENTS = (
    "align|alignat|aligned|array|cases|eqnarray|equation|flalign|gather|gathered|[bBpvV]?matrix|multline|split"
)
_BARE = re.compile(
    rf"<(?P<verbatim>pre|code)\b.*?(?:</(?P=verbatim)>|\Z)|{_FORMULA.pattern}|</?[a-z]{_ATTRIBUTES}>"
    rf"|(?P<bare>\\begin\{{(?P<name>(?:{_ENVIRONMENTS})\*?)\}}(?:(?!\\begin\{{(?P=name)\}})[^<])*?\\end\{{(?P=name)\}})",
    re.DOTALL,
)
"""A formula that the site shows as one and the collection does not know, after what may hold nothing of the kind."""
_PLACE_IN_TAG = re.compile(rf"<[^<>]*{PLACE}")
_IMAGE = re.compile(r'(<a class="post-image"(?: href="[^"]*")? data-image="([^"]*)"[^>]*>)([^<]*)</a>')
_BREAK = re.compile(rf"</?(?:{'|'.join(BLOCK | TABLE)})\b[^>]*>")
TAG = re.compile(r"<[^>]*>")


def canonical(html: str) -> str:
    """The form in which a post is stored: only allowed elements, attributes and http(s) links. Idempotent."""
    return _settle(html, _POST)


def canonical_inline(html: str) -> str:
    """The same for a title, where only inline elements stay and a link becomes its text."""
    return _settle(html, _TITLE)


def plain_text(html: str) -> str:
    """The words and the TeX of canonical HTML on one line, for search and snippets."""
    text = _FORMULA.sub(lambda m: escape(readable(unescape(m[3])), quote=False), html)
    return " ".join(unescape(TAG.sub("", _BREAK.sub(" ", text))).split())


def formula_ids(html: str) -> list[str]:
    """The ids of the formulas of canonical HTML, in reading order."""
    return [formula_id for formula_id, _, _ in _FORMULA.findall(html) if formula_id]


def quick(html: str) -> str:
    """HTML as found with its formulas in canonical form: enough to count terms, many times faster than `canonical`,
    and never to be shown."""
    return _PARTS.sub(_rewritten, html)


def formulas(html: str) -> list[tuple[str, str]]:
    """The id (empty where it has none) and the TeX of each formula of canonical HTML, in reading order."""
    return [(unescape(formula_id), readable(unescape(tex))) for formula_id, _, tex in _FORMULA.findall(html)]


def prose(html: str) -> str:
    """The words of canonical HTML on one line, without its formulas."""
    return plain_text(_FORMULA.sub(" ", html))


def display(
    html: str,
    *,
    highlight: Collection[str] = (),
    image_url: Callable[[str], str | None] | None = None,
    with_mathml: bool = True,
    inside: Mapping[str, str] = MappingProxyType({}),
    outside: str = OUTSIDE,
    missing: str = MISSING,
) -> str:
    """What the browser gets for a post or a title: formulas as MathML, or where a script will set them as their TeX,
    which is in ``data-tex`` too.

    The HTML is cleaned once more, so that nothing harmful is shown whatever was stored. Formulas whose id is in
    ``highlight`` get the class of that name; one in the line stays together with its punctuation. LaTeX environments
    that the collection has as text (in 4 of 100 posts) are shown as formulas, as on the site. A picture is
    shown where ``image_url`` has an address for its file name; elsewhere a link stands in its place. Links to the
    posts in ``inside`` lead to the addresses given there, all others are marked as leading outside. ``outside`` and
    ``missing`` say so, and that a picture is missing, in the reader's language.
    """
    text = canonical(with_environments(html))
    text = _CLOSED.sub(lambda m: closed(_shown_formula(m, highlight, with_mathml), m[4], bool(m[2])), text)
    return signposted(_IMAGE.sub(lambda m: _shown_image(m, image_url, missing), text), inside, outside)


def with_environments(html: str) -> str:
    """Canonical HTML with the LaTeX environments of its text as formulas without an id: what readers are shown."""
    if "\\begin{" not in html:
        return html
    mark = '<span class="math-container" data-formula-id="" data-display="block">'
    return _BARE.sub(lambda m: f"{mark}{m['bare']}</span>" if m["bare"] else m[0], html)


def _shown_formula(match: re.Match[str], highlight: Collection[str], with_mathml: bool) -> str:
    formula_id, block, tex = match[1], match[2] or "", readable(unescape(match[3]))
    classes = "math-container highlight" if formula_id in highlight else "math-container"
    known = f' data-formula-id="{formula_id}"' if formula_id else ""
    inside = mathml(tex, bool(block)) if with_mathml else escape(tex, quote=False)
    return f'<span class="{classes}" data-tex="{escape(tex)}"{block}{known}>{inside}</span>'


def closed(formula: str, punctuation: str, block: bool = False) -> str:
    """Browsers break lines after a formula, so punctuation would begin the next one."""
    return formula + punctuation if block or not punctuation else f'<span class="closed">{formula}{punctuation}</span>'


def _shown_image(match: re.Match[str], image_url: Callable[[str], str | None] | None, missing: str) -> str:
    link, file, alt = match.groups()
    address = image_url(file) if image_url else None
    if address is None:
        return f"{link}{escape(missing)}: {alt}</a>"
    return f'<img class="post-image" src="{escape(address)}" alt="{escape(unescape(alt))}" loading="lazy">'


def _settle(html: str, cleaner: nh3.Cleaner) -> str:
    """Cleans until nothing changes: parsing broken HTML once does not always give HTML that parses to itself. Where
    cleaning only marks the links, once is enough; so it is for what was brought into this form before."""
    if _is_settled(html, cleaner):
        return html
    rewritten = _PARTS.sub(_rewritten, html)
    for _ in range(ROUNDS):
        cleaned = _tidied(cleaner.clean(rewritten))
        again = cleaned if _is_rewritten(cleaned) else _PARTS.sub(_rewritten, cleaned)
        if cleaned == html or (cleaned == again and cleaned.replace(LINK_REL, "") == rewritten):
            return cleaned
        html, rewritten = cleaned, again
    return escape(plain_text(html), quote=False)


def _is_settled(html: str, cleaner: nh3.Cleaner) -> bool:
    """Whether it is in this form already. Its formulas are so by their pattern and stand as signs while the rest is
    parsed: most of the elements of a post are theirs."""
    bare = _SETTLED.sub(PLACE, html)
    is_plain = not _is_unsettled(bare) and not _PLACE_IN_TAG.search(bare)
    return is_plain and _tidied(cleaner.clean(bare)) == bare


def _is_unsettled(bare: str) -> bool:
    return any(sign in bare for sign in UNSETTLED)


def _tidied(html: str) -> str:
    return _UNTIDY.sub("", html) if "></a>" in html or "<pre>\n" in html else html


def _is_rewritten(cleaned: str) -> bool:
    """Whether clean HTML surely holds nothing to rewrite: no picture, and all formulas as they should be. Quotes
    inside its attributes are escaped, so what looks like a formula is one."""
    return not _is_unsettled(_SETTLED.sub(PLACE, cleaned))


def _rewritten(match: re.Match[str]) -> str:
    if match["math"] is not None:
        return _formula(_attributes(match["math"]), unescape(match["tex"]))
    if match["image"] is not None:
        return _image(_attributes(match["image"]))
    return match[0]


def _attributes(text: str) -> dict[str, str]:
    return {name.lower(): unescape(a or b or c) for name, a, b, c in _ATTRIBUTE.findall(text)}


def _formula(attributes: dict[str, str], tex: str) -> str:
    """The canonical span; its dollars are taken off only if it is not canonical yet."""
    formula_id = attributes.get("data-formula-id")
    block = attributes.get("data-display") == "block"
    if formula_id is None:
        formula_id = attributes.get("id", "")
        tex, block = _undelimited(tex.strip())
    on_its_own = ' data-display="block"' if block else ""
    text = escape(tex, quote=False)
    return f'<span class="math-container" data-formula-id="{escape(formula_id)}"{on_its_own}>{text}</span>'


def _undelimited(tex: str) -> tuple[str, bool]:
    """TeX without its outermost delimiters, and whether they were those of a formula on its own."""
    for pattern, block in _DELIMITERS:
        if match := pattern.fullmatch(tex):
            return match[1], block
    return tex, False


def _image(attributes: dict[str, str]) -> str:
    address = attributes.get("src", "")
    file = re.sub(r"[^\w.-]", "_", re.split(r"[?#]", address)[0].rpartition("/")[2])
    alt = escape(attributes.get("alt") or file or "image", quote=False)
    return f'<a class="post-image" href="{escape(address)}" data-image="{escape(file)}">{alt}</a>'


def _allowed(tag: str, attribute: str, value: str) -> str | None:
    pattern = VALUES.get(attribute)
    return value if pattern is None or pattern.fullmatch(value) else None


def _absolute(url: str) -> str | None:
    return f"https:{url}" if url.startswith("//") else None


def _cleaner(tags: set[str]) -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=tags,
        clean_content_tags=UNSEEN,
        attributes={
            "*": set(),
            "a": {"href", "title", "data-image"},
            "ol": {"start"},
            "span": {"data-formula-id", "data-display"},
        },
        allowed_classes={"a": {"post-image"}, "span": {"math-container"}},
        attribute_filter=_allowed,
        link_rel=REL,
        url_schemes={"http", "https"},
        url_relative=_absolute,
    )


_POST = _cleaner(INLINE | BLOCK | TABLE | {"a", "ul"})
_TITLE = _cleaner(INLINE)
