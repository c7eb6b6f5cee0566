"""The time for a file that people wrote or a program made grows linearly with its length, wherever it is long."""

import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from time import process_time
from typing import BinaryIO

import pytest

from assess.ir.common.problems import BadInput
from assess.ir.formats.documents import iter_documents
from assess.ir.formats.ir_metadata import head_metadata
from assess.ir.formats.thread_pages import read_thread_page
from assess.ir.formats.topics import read_topics

LENGTH = 30_000
SECONDS = 1
"""Linear code takes some 10 milliseconds, 6,000 topics 200."""
TOPICS = "<top>\n<num> Number: 1\n<title> Tea\n<narr id='a'>Narrative: words </narr>\n</top>\n"
DOCUMENTS = "<DOC id='x'>\n<DOCNO>1</DOCNO>\n<TEXT>words</TEXT>\n</DOC>\n"
PAGE = """<html><head><title>Tea</title></head><body><div id="question" class="question"><h1><a href="x">Tea</a></h1>
<div class="post-text">words [1]</div><div class="user-details">user id: 5</div></div></body></html>"""
HEAD = "# ir_metadata.start\n# actor:\n#   team: x\n# ir_metadata.end\n1 Q0 d 1 2.0 r\n"
READERS: dict[str, Callable[[BinaryIO, str], object]] = {
    TOPICS: read_topics,
    DOCUMENTS: lambda source, name: list(iter_documents(source, name, Counter(), "")),
    PAGE: lambda source, name: read_thread_page(source.read(), name),
    HEAD: lambda source, name: head_metadata(source.read(), name),
}
PIECES = ["\t", "\n", "x", "1 ", "a=", "a:", "<!-- -->", "<!--", "<top>", "</doc>", "# ir_metadata.start\n"]


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("valid", READERS, ids=["topics", "documents", "page", "head"])
def test_no_stretch_in_a_file_takes_long(valid: str, piece: str) -> None:
    """Such as 30,000 tabs before a title of TREC, a name of 30,000 letters, and many comments above."""
    for match in re.finditer(r"[\w.]+|[<>'\n]", valid):
        start = process_time()
        content = valid[: match.start()] + piece * (LENGTH // len(piece)) + valid[match.end() :]
        with suppress(BadInput):
            READERS[valid](BytesIO(content.encode()), "file")
        assert process_time() - start < SECONDS, (match, piece)
