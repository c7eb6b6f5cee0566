"""What the readers of XML files share."""

import re
from typing import cast

from lxml import etree

from assess.ir.problems import BadInput, refuse


def refuse_doctype(tree: etree._ElementTree, name: str) -> None:
    """No file of the labs declares entities; one that does may be made to exhaust memory or to read files."""
    if tree.docinfo.internalDTD is not None:
        raise refuse(name, "declares a document type; remove the <!DOCTYPE …> part", 1)


def malformed(error: etree.XMLSyntaxError, name: str) -> BadInput:
    """The error for a file that no XML parser can read."""
    return refuse(name, f"not well-formed XML: {error.msg}; save or download it again", error.lineno or 0)


def line_of(element: etree._Element) -> int:
    return cast("int | None", element.sourceline) or 0


def split_tags(text: str) -> tuple[str, ...]:
    """The tags of a post, written ``a,b``, ``<a><b>`` or ``|a|b|``."""
    return tuple(re.findall(r"[^\s,<>|]+", text))
