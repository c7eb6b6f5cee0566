"""What the readers of XML files share."""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, cast

from lxml import etree

from assess.ir.common.problems import refuse

NO_TAG = (etree.ErrorTypes.ERR_INTERNAL_ERROR, etree.ErrorTypes.ERR_DOCUMENT_EMPTY)
"""The parser's errors for a file that is empty or does not begin with a tag."""
MOST_ATTRIBUTES = 100
"""Of an element; parsers take time that grows with the square of their number."""
CROWDED = f"an element has more than {MOST_ATTRIBUTES} attributes; is this the right file?"
CONTROL_REFERENCE = re.compile(
    rb"&#(?:0*(?:[0-8]|1[124-9]|2[0-9]|3[01])|[xX]0*(?:[0-8bBcCeEfF]|1[0-9a-fA-F]|[dD][89a-fA-F]..|[fF]{3}[eEfF]));"
)
"""A reference to a character that XML cannot hold, such as ``&#x0E;`` in the official dumps."""
LONGEST_REFERENCE = 12


class XmlSource(io.RawIOBase):
    """A file for the XML parser. Refuses elements with too many attributes before they are parsed, and leaves out
    `CONTROL_REFERENCE`, if it ``drops`` them; ``dropped`` counts these."""

    def __init__(self, source: BinaryIO, name: str, *, drops: bool = False) -> None:
        self.source, self.file, self.drops = source, name, drops
        self.dropped, self.rest = 0, b""

    def read(self, size: int = -1) -> bytes:
        data = b""
        while not data:
            new = self.source.read(size)
            data, self.rest = self.rest + new, b""
            if not new:
                break
            if self.drops and (cut := data.rfind(b"&", len(data) - LONGEST_REFERENCE)) >= 0:
                data, self.rest = data[:cut], data[cut:]
        most = MOST_ATTRIBUTES * (data.count(b"<") + 1)
        if data.count(b'="') > most or data.count(b"='") > most:
            raise refuse(self.file, CROWDED)
        if self.drops and b"&#" in data:
            data, count = CONTROL_REFERENCE.subn(b"", data)
            self.dropped += count
        return data


@contextmanager
def xml_errors(name: str) -> Iterator[None]:
    """Raises ``BadInput`` for what lxml raises; for bytes of another encoding, an OSError if the file has a name."""
    try:
        yield
    except etree.XMLSyntaxError as error:
        reason = f"not well-formed XML: {error.msg}; save or download it again"
        if error.code in NO_TAG:  # type: ignore[attr-defined]
            reason = "this is not XML; choose the XML file as the lab published it"
        raise refuse(name, reason, error.lineno or 0) from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise refuse(name, "is not in the encoding that it declares; save it as UTF-8") from error


def refuse_doctype(tree: etree._ElementTree, name: str) -> None:
    """The labs' files declare no entities; a file that does may be built to exhaust memory or to read other files."""
    if tree.docinfo.internalDTD is not None:
        raise refuse(name, "declares a document type; remove the <!DOCTYPE …> part", 1)


def line_of(element: etree._Element) -> int:
    return cast("int | None", element.sourceline) or 0


def split_tags(text: str) -> tuple[str, ...]:
    """The tags of a post, written ``a,b``, ``<a><b>`` or ``|a|b|``."""
    return tuple(re.findall(r"[^\s,<>|]+", text))
