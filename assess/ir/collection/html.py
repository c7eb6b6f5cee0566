"""The HTML of posts: made harmless once, when it is stored, in one form for all editions of the collection.

In this *canonical* form every formula is ``<span class="math-container" data-formula-id="N">TeX</span>``, with
``data-display="block"`` if it is on a line of its own; the id is empty if the collection has none. Every picture is
``<a class="post-image" href="…" data-image="FILE">alt text</a>``, so that nothing loads from other sites.

HTML is read once, from left to right, and written with its elements properly nested (`nesting`); then the sanitizer
nh3 parses it as a browser does and decides what stays. The first step cannot be left to a parser: the labs' TeX holds
``<`` that would start a tag (``$x<y$``), and the tree of broken HTML can be far larger than its source.

As a program (``python -m assess.ir.collection.html``) it reads texts as JSON from standard input and writes them in
canonical form to standard output: that is slow and single-threaded, so many texts are split over several processes.
"""

import json
import re
import sys
from collections.abc import Callable, Collection, Mapping, Set
from html import escape, unescape
from types import MappingProxyType

import nh3

from assess.ir.collection.links import OUTSIDE, signposted
from assess.ir.collection.mathml import mathml, readable
from assess.ir.collection.nesting import TABLE, Nesting
from assess.ir.collection.tex import FORMULA, is_of_lines, legible, with_environments, with_references

INLINE = {"b", "code", "del", "em", "i", "kbd", "s", "span", "strike", "strong", "sub", "sup"}
BLOCK = {"blockquote", "br", "dd", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre"}
UNSEEN = {"iframe", "math", "noscript", "object", "script", "style", "svg", "template", "textarea", "title"}
"""Elements that are removed with their contents; other unknown elements leave their text."""
POST = INLINE | BLOCK | set(TABLE) | {"a", "ul"}

ATTRIBUTES = {"a": {"data-image", "href", "title"}, "ol": {"start"}}
VALUES = {
    "data-display": re.compile("block"),
    "data-formula-id": re.compile(r"[\w.-]*"),
    "data-image": re.compile(r"\w[\w.-]*"),
    "start": re.compile(r"-?\d{1,6}"),
}
REL = "nofollow noopener noreferrer"
MISSING = "Missing picture"
"""Precedes the description of a picture that is not stored."""
NO_NAME = "enter image description here"
"""What the site fills in as the description of a picture; most authors leave it."""

_ATTRIBUTES = r"""(?:[^>=]|=(?:\s*+(?:"[^"]*"|'[^']*'))?)*+"""
_TOKEN = re.compile(
    rf"(?P<text>[^<]++)"
    rf"|<span(?=\s[^<>]*math-container)(?P<math>{_ATTRIBUTES})>(?P<tex>.*?)(?:</span>|\Z)"
    rf"|<(?P<unseen>{'|'.join(UNSEEN)})(?=[\s/>]).*?(?:</(?P=unseen)(?=[\s/>])[^>]*>|\Z)"
    rf"|<(?P<end>/?)(?P<name>[a-z][^\s/>]*+)(?P<attributes>{_ATTRIBUTES})>"
    r"|<!--(?:-?>|.*?--!?>)|<[!?/][^>]*>"
    r"|<[!?/a-z].*"  # a tag or comment without an end: dropped, as in browsers
    r"|(?P<less><)",
    re.DOTALL | re.IGNORECASE | re.ASCII,
)
"""The tokens of HTML; a whole formula is one. Every position matches, and no token is scanned more than a few times, so
the time grows linearly with the length."""
_ATTRIBUTE = re.compile(r"""(?<![\w-])([\w-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s>]+))""")
_MATH = re.compile(rf"<math(?=[\s>])(?:({_ATTRIBUTES})>)?", re.IGNORECASE)
"""The first one, even without an end: a search for the next would read the rest again."""
_OF_TEX = 'encoding="application/x-tex"'
_TEX_ANNOTATION = re.compile(rf"<annotation\s(?:(?!{_OF_TEX})[^<>])*{_OF_TEX}[^<>]*+>([^<]*)<", re.IGNORECASE)
_DELIMITERS = [("$$", "$$", True), (r"\[", r"\]", True), ("$", "$", False), (r"\(", r"\)", False)]
_FIRST_LINES = re.compile(r"(?<=<pre>)\n+")
CLOSING = r"([,.;:!?)\]’”…]*)"
"""The punctuation after a formula."""
_CLOSED = re.compile(FORMULA.pattern + CLOSING)
_IMAGE = re.compile(r'(<a class="post-image"(?: href="([^"]*)")? data-image="([^"]*)"[^>]*>)([^<]*)</a>')
_BREAK = re.compile(rf"</?(?:{'|'.join(BLOCK | set(TABLE))})\b[^<>]*>")
_HEADING = re.compile(r"<(h[1-6])>(.*?)</\1>", re.DOTALL)
_DOLLARS = re.compile(r"((?<!\\)\$\$.+?(?<!\\)\$\$|(?<!\\)\$[^$]+?(?<!\\)\$)", re.DOTALL)
TAG = re.compile(r"<[^<>]*>")


def canonical(html: str) -> str:
    """The form in which a post is stored: only allowed elements, attributes and http(s) links. Idempotent."""
    return _cleaned(html, POST, _POST)


def canonical_inline(html: str) -> str:
    """The same for a title, which keeps only inline elements; links become their text."""
    return _cleaned(html, INLINE, _TITLE)


def plain_text(html: str) -> str:
    """The words and the TeX of canonical HTML on one line, for search and snippets."""
    text = FORMULA.sub(lambda m: escape(readable(unescape(m[3])), quote=False), html)
    return " ".join(unescape(TAG.sub("", _BREAK.sub(" ", text))).split())


def title_above(title: str, body: str) -> str:
    """The title as it stands above a body in canonical HTML: nothing if the first heading of the body says the same."""
    heading = _HEADING.search(body) if title else None
    return "" if heading and plain_text(heading[2]).casefold() == plain_text(title).casefold() else title


def quick(html: str) -> str:
    """HTML with formulas in canonical form, not sanitized, so never shown: for counting terms, in half the time."""
    return _nested(html, POST)


def formulas(html: str) -> list[tuple[str, str]]:
    """The id (or an empty string) and the TeX of each formula of canonical HTML, in reading order."""
    return [(formula_id, readable(unescape(tex))) for formula_id, _, tex in FORMULA.findall(html)]


def prose(html: str) -> str:
    """The words of canonical HTML on one line, without its formulas."""
    return plain_text(FORMULA.sub(" ", html))


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
    """What the browser gets for a canonical post or title, sanitized again, whatever was stored. Formulas are MathML,
    or TeX for a script to render; ``data-tex`` has their TeX too. Those with an id in ``highlight`` get the class of
    that name. A picture is shown if ``image_url`` has an address for its file name, and is a link otherwise. Links to
    the posts in ``inside`` lead to the addresses given there; others are marked as external, with the words
    ``outside``, as are missing pictures with ``missing``."""
    text = _CLOSED.sub(lambda m: _shown_formula(m, highlight, with_mathml), with_latex(_POST.clean(html), highlight))
    return signposted(_IMAGE.sub(lambda m: _shown_image(m, image_url, missing), text), inside, outside)


def linked_images(html: str) -> set[tuple[str, str]]:
    """The original address and the file name of each picture in canonical HTML."""
    return {(match[2] or "", match[3]) for match in _IMAGE.finditer(html) if match[3]}


def with_latex(html: str, highlight: Collection[str] = ()) -> str:
    """Canonical HTML with the LaTeX in its prose as readers see it: environments as formulas, references as tags."""
    return with_references(with_environments(html, highlight))


def _shown_formula(match: re.Match[str], highlight: Collection[str], with_mathml: bool) -> str:
    formula_id, tex = match[1], legible(unescape(match[3]))
    classes = "math-container highlight" if formula_id in highlight else "math-container"
    is_block = bool(match[2]) or is_of_lines(tex)
    block = ' data-display="block"' if is_block else ""
    id_attribute = f' data-formula-id="{formula_id}"' if formula_id else ""
    inside = mathml(tex, is_block) if with_mathml else escape(tex, quote=False)
    formula = f'<span class="{classes}" data-tex="{escape(tex)}"{block}{id_attribute}>{inside}</span>'
    return closed(formula, match[4], is_block)


def closed(formula: str, punctuation: str, block: bool = False) -> str:
    """A formula that no line break can separate from its punctuation."""
    return formula + punctuation if block or not punctuation else f'<span class="closed">{formula}{punctuation}</span>'


def _shown_image(match: re.Match[str], image_url: Callable[[str], str | None] | None, missing: str) -> str:
    link, _, file, alt = match.groups()
    alt = (file or "image") if unescape(alt).strip().casefold() == NO_NAME else alt
    address = image_url(file) if image_url else None
    if address is None:
        return f"{link}{escape(missing)}: {alt}</a>"
    return f'<img class="post-image" src="{escape(address)}" alt="{escape(unescape(alt))}" loading="lazy">'


def written_html(text: str) -> str:
    """A written answer (Task 3), plain text with TeX between dollar signs, as HTML in the labs' form: paragraphs at
    blank lines, each formula in a math-container span."""
    paragraphs = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        parts = [escape(part) for part in _DOLLARS.split(paragraph)]
        parts[1::2] = [f'<span class="math-container">{formula}</span>' for formula in parts[1::2]]
        paragraphs.append(f"<p>{''.join(parts)}</p>")
    return "".join(paragraphs)


def _cleaned(html: str, allowed: Set[str], sanitizer: nh3.Cleaner) -> str:
    """Sanitized HTML, with the line breaks that a parser would read from it."""
    cleaned = sanitizer.clean(_nested(html, allowed))
    if f'{REL}" ' in cleaned:  # a refused attribute left the others in an order that the next run would change
        cleaned = sanitizer.clean(cleaned)
    return _FIRST_LINES.sub("", cleaned.replace("\r", "\n"))


def _nested(html: str, allowed: Set[str]) -> str:
    nesting = Nesting(allowed)
    for token in _TOKEN.finditer(html.replace("\0", "")):
        match token.lastgroup:
            case "text":
                nesting.text(token[0])
            case "less":
                nesting.text("&lt;")
            case "tex":
                nesting.text(_formula(_attributes(token["math"]), _tex(token["tex"])))
            case "attributes" if (name := token["name"].lower()) == "img":
                _write_image(nesting, _attributes(token["attributes"]))
            case "attributes" if token["end"]:
                nesting.end(name)
            case "attributes":
                nesting.start(name, _allowed_attributes(name, token["attributes"]))
    return nesting.finish()


def _allowed_attributes(name: str, attributes: str) -> str:
    """Leaves the sanitizer few attributes to look at: its time grows with the square of their number."""
    if name not in ATTRIBUTES:
        return ""
    allowed = {"class", *ATTRIBUTES[name]}
    return "".join(f' {key}="{value}"' for key, value in _attributes(attributes).items() if key in allowed)


def _attributes(text: str) -> dict[str, str]:
    """The attributes of a tag, with their values still escaped."""
    return {name.lower(): (a or b or c).replace('"', "&quot;") for name, a, b, c in _ATTRIBUTE.findall(text)}


def _tex(content: str) -> str:
    """The TeX in a formula's element: its text; of MathML the TeX that it is annotated with, else its ``alttext``."""
    if not (math := _MATH.search(content)) or math[1] is None:
        return unescape(content)
    annotation = _TEX_ANNOTATION.search(content)
    tex = annotation[1] if annotation else _attributes(math[1]).get("alttext", "")
    is_block = _attributes(math[1]).get("display") == "block"
    tex = unescape(tex).strip()
    return f"$${tex}$$" if is_block and tex else tex


def _formula(attributes: dict[str, str], tex: str) -> str:
    """The canonical span. The delimiters are removed only from a formula that is not canonical yet."""
    formula_id = attributes.get("data-formula-id")
    block = attributes.get("data-display") == "block"
    if formula_id is None:
        formula_id = attributes.get("id", "")
        tex, block = _undelimited(tex.strip())
    formula_id = formula_id if VALUES["data-formula-id"].fullmatch(formula_id) else ""
    display_block = ' data-display="block"' if block else ""
    text = escape(tex, quote=False)
    return f'<span class="math-container" data-formula-id="{formula_id}"{display_block}>{text}</span>'


def _undelimited(tex: str) -> tuple[str, bool]:
    """TeX without its outermost delimiters, and whether they were those of a displayed formula."""
    for start, end, block in _DELIMITERS:
        is_delimited = tex.startswith(start) and tex.endswith(end) and len(tex) >= len(start) + len(end)
        if is_delimited and not (end == "$$" and tex.endswith(r"\$$")):
            return tex[len(start) : -len(end)], block
    return tex, False


def _write_image(nesting: Nesting, attributes: Mapping[str, str]) -> None:
    address = unescape(attributes.get("src", ""))
    file = re.sub(r"[^\w.-]", "_", re.split(r"[?#]", address)[0].rpartition("/")[2])
    alt = unescape(attributes.get("alt", "")) or file or "image"
    nesting.start("a", f' class="post-image" href="{escape(address)}" data-image="{escape(file)}"')
    nesting.text(escape(alt, quote=False))
    nesting.end("a")


def _allowed(tag: str, attribute: str, value: str) -> str | None:
    pattern = VALUES.get(attribute)
    return value if pattern is None or pattern.fullmatch(value) else None


def _cleaner(tags: set[str]) -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=tags,
        clean_content_tags=UNSEEN,
        attributes={**ATTRIBUTES, "*": set(), "span": {"data-formula-id", "data-display"}},
        allowed_classes={"a": {"post-image"}, "span": {"math-container"}},
        attribute_filter=_allowed,
        link_rel=REL,
        url_schemes={"http", "https"},
        url_relative=lambda url: f"https:{url}" if url.startswith("//") else None,
    )


_POST = _cleaner(POST)
_TITLE = _cleaner(INLINE)

FORMS = {"title": canonical_inline, "body": canonical, "text": canonical_inline}
"""What becomes of the titles and bodies of posts and of the texts of comments."""
Texts = dict[str, list[str]]


def cleaned(texts: Texts) -> Texts:
    """The texts in canonical form, under the same keys, which are those of ``FORMS``."""
    return {name: list(map(FORMS[name], values)) for name, values in texts.items()}


if __name__ == "__main__":
    json.dump(cleaned(json.load(sys.stdin)), sys.stdout)
