"""Presentation MathML as the labs publish it, read safely, and leniently if it is not well-formed XML."""

import re
from collections.abc import Iterator
from html import unescape
from typing import cast
from xml.etree.ElementTree import Element as PlainElement

from lxml import etree

Element = PlainElement | etree._Element

_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_WHOLE = re.compile(r"</(?:\w+:)?math>$")
_NAMED = re.compile(r"&(?!(?:lt|gt|amp|quot|apos);)\w+;")
_STRAY_AMPERSAND = re.compile(r"&(?!#?\w+;)")
_STRAY_LESS = re.compile(r"<(?![/!?]?[a-zA-Z])")


class NoTree(ValueError):
    """No Symbol Layout Tree can be made; the message says why."""


def parsed(text: str) -> Element:
    """The root element. Repairs stray ``&`` and ``<``. Never expands entities."""
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
    return root


def _read(source: str, *, lenient: bool) -> etree._Element | None:
    parser = etree.XMLParser(
        recover=lenient, resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    return cast("etree._Element | None", etree.fromstring(source.encode(), parser))


def children(element: Element) -> list[Element]:
    return [child for child in element if isinstance(child.tag, str)]


def all_text(element: Element) -> str:
    return "".join(cast("Iterator[str]", element.itertext())).strip()


def local_name(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]
