"""Texts of documents and topics as HTML, and TREC's markup, which is not well-formed in general: elements need no end,
and text may hold signs of markup."""

import re
from collections.abc import Iterator
from html import escape, unescape
from typing import NamedTuple

WRAPPED = 120
"""A text whose lines are all shorter may be wrapped by hand."""
BLANK_LINES = re.compile(r"\n\s*\n")
HTML_TAG = re.compile(
    r"</?(?:a|b|blockquote|body|br|code|dd|div|dl|dt|em|font|h[1-6]|head|hr|html|i|img|li|ol|p|pre|script|span|strong"
    r"|style|sub|sup|table|td|th|tr|tt|u|ul)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
HTML_START = re.compile(r"\s*<(?:!doctype\s+html|html|head|body|article|div|p|h[1-6]|table|ul|ol)[\s>]", re.IGNORECASE)
"""Plain text does not begin so."""
OPEN = re.compile(r"<([a-z][\w.:-]*)((?:\s[^<>]*?)?)(/?)>", re.IGNORECASE)
ATTRIBUTE = re.compile(r"""(?<![\w:-])([\w:-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)')""")
CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


class MarkedElement(NamedTuple):
    """An element with its content, and its place in the text."""

    name: str
    content: str
    start: int
    end: int


def elements(text: str) -> Iterator[MarkedElement]:
    """The outermost elements. One without an end tag ends at the next start tag."""
    at, endless = 0, set()
    while start := OPEN.search(text, at):
        name, end = start[1].lower(), start.end()
        is_sought = not start[3] and name not in endless
        closed = re.compile(rf"</{re.escape(name)}\s*>", re.IGNORECASE).search(text, end) if is_sought else None
        if start[3]:
            content_end = at = end
        elif closed:
            content_end, at = closed.span()
        else:
            endless.add(name)  # so that the time stays linear
            following = OPEN.search(text, end)
            content_end = at = following.start() if following else len(text)
        yield MarkedElement(name, text[end:content_end], start.start(), at)


def attributes_of(text: str) -> dict[str, str]:
    return {name.lower(): unescape(double or single) for name, double, single in ATTRIBUTE.findall(text)}


def without_sections(text: str) -> str:
    """XML without comments, and with the text of CDATA sections in the ordinary form. Nothing is searched beyond the
    last end of one, so that the time stays linear."""
    last = text.rfind("]]>") + 3
    if last > 2:
        text = CDATA.sub(lambda match: escape(match[1], quote=False), text[:last]) + text[last:]
    last = text.rfind("-->") + 3
    return COMMENT.sub("", text[:last]) + text[last:] if last > 2 else text


def paragraphs(text: str) -> str:
    """Plain text as HTML. Blank lines separate paragraphs; other line breaks stay if the text is not wrapped."""
    text = text.replace("\r\n", "\n").strip()
    line_break = "<br>\n" if any(len(line) > WRAPPED for line in text.split("\n")) else "\n"
    parts = [escape(part.strip(), quote=False).replace("\n", line_break) for part in BLANK_LINES.split(text)]
    return "\n".join(f"<p>{part}</p>" for part in parts if part)


def plain_or_html(text: str) -> str:
    """HTML, not sanitized, of a text that is plain unless it begins with an element of HTML."""
    return text if HTML_START.match(text) else paragraphs(text)


def marked_html(text: str) -> str:
    """The same of a text in SGML or XML, which may hold elements of HTML anywhere, and references to characters."""
    return text if HTML_TAG.search(text) else plain_or_html(unescape(text))


def plain_title(text: str) -> str:
    return escape(" ".join(text.split()), quote=False)


def marked_title(text: str) -> str:
    return plain_title(unescape(HTML_TAG.sub("", text)))
