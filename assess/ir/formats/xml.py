"""What the readers of XML files share."""

import re
from typing import cast

from lxml import etree

from assess.ir.common.problems import BadInput, refuse

NO_TAG = (etree.ErrorTypes.ERR_INTERNAL_ERROR, etree.ErrorTypes.ERR_DOCUMENT_EMPTY)
"""The parser's errors for a file that is empty or does not begin with a tag."""


def refuse_doctype(tree: etree._ElementTree, name: str) -> None:
    """The labs' files declare no entities; a file that does may be built to exhaust memory or to read other files."""
    if tree.docinfo.internalDTD is not None:
        raise refuse(name, "declares a document type; remove the <!DOCTYPE …> part", 1)


def malformed(error: etree.XMLSyntaxError, name: str) -> BadInput:
    """The error for a file that is not XML (it does not begin with a tag) or not well-formed."""
    if error.code in NO_TAG:  # type: ignore[attr-defined]
        return refuse(name, "this is not XML; choose the XML file as the lab published it", error.lineno or 0)
    return refuse(name, f"not well-formed XML: {error.msg}; save or download it again", error.lineno or 0)


def line_of(element: etree._Element) -> int:
    return cast("int | None", element.sourceline) or 0


def split_tags(text: str) -> tuple[str, ...]:
    """The tags of a post, written ``a,b``, ``<a><b>`` or ``|a|b|``."""
    return tuple(re.findall(r"[^\s,<>|]+", text))
