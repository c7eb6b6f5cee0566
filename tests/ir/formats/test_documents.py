"""Documents of any lab, in the formats in which they come."""

import gzip
import json
import tracemalloc
from collections import Counter
from io import BytesIO
from pathlib import Path

import pytest

from assess.ir.collection.html import canonical, plain_text
from assess.ir.common.problems import BadInput
from assess.ir.common.rows import PostRow
from assess.ir.formats.documents import iter_documents, repeated_documents
from tests.archives import zipped
from tests.real import data_file


def read(content: str | bytes, key: str = "", changes: Counter[str] | None = None) -> list[PostRow]:
    data = content.encode() if isinstance(content, str) else content
    return list(iter_documents(BytesIO(data), "docs", Counter() if changes is None else changes, key))


def refused(content: str | bytes, key: str = "") -> str:
    with pytest.raises(BadInput) as error:
        read(content, key)
    return str(error.value)


LINE = {"docno": "d1", "title": "1 < 2", "text": "One & two.\n\nThree.", "url": "https://a.org/", "language": "de"}


def test_a_line_of_json_is_a_document_whose_text_becomes_paragraphs() -> None:
    row = PostRow(
        "d1", "document", "d1", "1 &lt; 2", "<p>One &amp; two.</p>\n<p>Three.</p>", url="https://a.org/", language="de"
    )
    assert read(json.dumps(LINE)) == [row]
    assert read(b"\xef\xbb\xbf" + json.dumps(LINE).encode()) == [row]
    assert read(gzip.compress(json.dumps(LINE).encode())) == [row]
    assert read(zipped({"docs.jsonl": json.dumps(LINE)})) == [row]


def test_ids_have_usual_names_and_another_key_can_be_named() -> None:
    for key in ("doc_id", "docno", "id", "_id", "Doc-ID"):
        assert read(json.dumps({key: 7, "contents": "x"}))[0].post_id == "7"
    [row] = read('{"id": "1", "url hash": "h", "text": "x"}', "url hash")
    assert row.post_id == "h"
    changes: Counter[str] = Counter()
    [row] = read('{"page_key": "k", "Markup": "<p>y</p>", "text": "x"}', "page_key, markup", changes)
    assert (row.post_id, row.body, [*changes]) == ("k", "<p>y</p>", ["values of “text” left out"])
    [row] = read("page_key\tmarkup\nk\ty\n", "page_key, markup")
    assert (row.post_id, row.body) == ("k", "<p>y</p>")
    [row] = read('{"id": "1", "markup": "y"}', ", markup")
    assert (row.post_id, row.body) == ("1", "<p>y</p>")
    [row] = read('{"id": "1", "text": "x", "head": "T", "uri": "https://a.b", "iso": "de"}', ",, head, uri, iso")
    assert (row.post_id, row.title, row.body, row.url, row.language) == ("1", "T", "<p>x</p>", "https://a.b", "de")
    assert "docs:1: the document has no id" in refused('{"id": "1", "text": "x"}', "hash")


@pytest.mark.parametrize(
    "text",
    [
        {"default_text": "a\n\nb"},
        {"segments": [{"text": "a"}, {"text": "b"}]},
        {"body": ["a", "b"]},
        {"text": "", "contents": "a\n\nb"},
    ],
)
def test_texts_have_usual_names(text: dict[str, object]) -> None:
    assert read(json.dumps({"id": "1", **text}))[0].body == "<p>a</p>\n<p>b</p>"


def test_lines_of_a_text_that_is_not_wrapped_stay_lines() -> None:
    assert read(json.dumps({"id": "1", "text": "a\nb"}))[0].body == "<p>a\nb</p>"
    assert read(json.dumps({"id": "1", "text": f"a\n{'b' * 200}"}))[0].body == f"<p>a<br>\n{'b' * 200}</p>"


def test_what_is_not_read_is_counted() -> None:
    changes: Counter[str] = Counter()
    line = {"id": "1", "text": "x\ud800", "extra": 3, "url": "javascript:alert(1)", "language": "German, mostly"}
    [row] = read(json.dumps(line) + '\n{"id": "2", "text": ""}', changes=changes)[:1]
    assert (row.body, row.url, row.language) == ("<p>x</p>", "", "")
    assert dict(changes) == {
        "values of “extra” left out": 1,
        "addresses that are not of http or https, or too long, left out": 1,
        "languages that are no code such as en or pt-BR left out": 1,
        "documents without their characters that no text can hold (NUL, half surrogates)": 1,
        "documents without text, which assessors see empty (the first: line 2)": 1,
    }


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "docs: holds no document"),
        ('{"id": "1", "text": "x"}\n[1]\n', "docs:2: is no JSON object"),
        ('{"id": "1", "text": "x"}\n{"text": "x"}', "docs:2: the document has no id (docno, doc_id"),
        ('{"id": "a\\nb", "text": "x"}', "docs:1: the id contains a control character"),
        ('{"id": "1", "text": "' + "x" * 1_000_001 + '"}', "docs:1: document 1 has 1,000,008 characters"),
        ('[{"id": "1"}]', "docs:1: is a JSON array"),
        (b'{"id": "1", "text": "x"}\n{"id": "2", "text": "\xff"}', "docs:2: byte 22 of the line is not UTF-8"),
        ("1\ta\n2\n", "docs:2: expected 2 columns (id, text), found 1"),
        ("1\ta\tb\tc\n", "docs:1: expected id and text, or id, title and text, separated by tabs, found 4 columns"),
        ("<DOC><DOCNO>1</DOCNO>a\n<DOC><DOCNO>2</DOCNO>b</DOC>", "docs:1: this <DOC> has no end before the next one"),
        ("<DOC><DOCNO>1</DOCNO>a</DOC>\n<DOC><DOCNO>2</DOCNO>b", "docs:2: this document has no end: add </DOC>"),
        ("<DOC><DOCNO>1</DOCNO>a</DOC>\nb", "docs:1: text outside of a document: 'b'"),
        ("<DOC>a</DOC>", "docs:1: the document has no id"),
        ("<posts><row/></posts>", "docs: holds no document"),
        (zipped({"a.txt": b"\xff", "b.txt": "x"}), "docs: a.txt: is not UTF-8 text"),
        (zipped({"a": "<DOC>", "b": ""}), "docs: a: holds documents of TREC"),
        (zipped({"a.png": "x", "b.png": "x"}), "docs: holds no document"),
        (b"a.txt".ljust(257, b"\0") + b"ustar", "docs: is a tar archive; make a zip archive of its files"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(content: str | bytes, reason: str) -> None:
    assert refused(content).startswith(reason)


def test_repeated_ids_are_told_with_both_places() -> None:
    lines = "".join(json.dumps({"id": doc_id, "text": "x"}) + "\n" for doc_id in "aba")
    with pytest.raises(BadInput, match=r"docs:3: document a is in line 1, too: keep one"):
        repeated_documents(BytesIO(lines.encode()), "docs", {"a"}, "").check()
    files = zipped({"a.txt": "x", "a.html": "y"})
    with pytest.raises(BadInput, match=r"docs: a.html: document a is in a.txt, too: keep one"):
        repeated_documents(BytesIO(files), "docs", {"a"}, "").check()


TREC = """<?xml version="1.0"?>
<!-- two of them -->
<docs><DOC>
<DOCNO> FT-1 </DOCNO>
<HEADLINE>Wine &amp; cheese</HEADLINE><DATE>920101</DATE>
<TEXT>
Prices of < 3 francs
rose.

Again.
</TEXT>
</DOC>
<doc id="x2" lang="fr"><![CDATA[a < b]]></doc></docs>"""


def test_trec_documents_need_not_be_well_formed() -> None:
    changes: Counter[str] = Counter()
    first, second = read(TREC, changes=changes)
    assert (first.post_id, first.title) == ("FT-1", "Wine &amp; cheese")
    assert first.body == "<p>Prices of &lt; 3 francs\nrose.</p>\n<p>Again.</p>"
    assert (second.post_id, second.language, second.body) == ("x2", "fr", "<p>a &lt; b</p>")
    assert changes == {"elements <date> beside the text left out": 1}


def test_a_web_page_in_trec_is_html() -> None:
    page = '<html lang="en"><head><title>Fox</title></head><body><h1>A fox</h1><p>runs<br>off</body></html>'
    [row] = read(f"<DOC><DOCNO>W1</DOCNO><DOCHDR>\nhttp://a.org/ 200\n</DOCHDR>{page}</DOC>")
    assert (row.post_id, row.title, row.language) == ("W1", "Fox", "en")
    assert canonical(row.body) == "<h1>A fox</h1><p>runs<br>off</p>"


def test_documents_of_trec_may_cross_the_blocks_in_which_a_file_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assess.ir.formats.text.MAX_LINE_BYTES", 50)
    text = "".join(f"<DOC>\n<DOCNO>{n}</DOCNO>\n{'x' * n}\n</DOC>\n" for n in range(1, 40))
    assert [(row.post_id, len(row.body)) for row in read(text)] == [(str(n), n + 7) for n in range(1, 40)]


@pytest.mark.parametrize("text", ['id\ttext\n1\tA "b"\n', '1\tA "b"\n', 'docno\tbody\ttitle\n1\t"A ""b"""\t\n'])
def test_tables_have_a_header_or_id_and_text_or_id_title_and_text(text: str) -> None:
    assert [(row.post_id, row.body) for row in read(text)] == [("1", '<p>A "b"</p>')]
    assert [row[:5] for row in read("1\tT\tx\n2\t\ty\n")] == [
        ("1", "document", "1", "T", "<p>x</p>"),
        ("2", "document", "2", "", "<p>y</p>"),
    ]


PAGES = {"a/b.txt": "x & y", "c.html": "<title>C</title><p>z<script>alert(1)</script>", "d.png": "?"}


def test_an_archive_holds_a_document_in_each_text_and_page_decoded_as_it_declares() -> None:
    changes: Counter[str] = Counter()
    rows = read(zipped(PAGES), changes=changes)
    assert [(row.post_id, row.title, canonical(row.body)) for row in rows] == [
        ("a/b", "", "<p>x &amp; y</p>"),
        ("c", "C", "<p>z</p>"),
    ]
    assert changes == {"files “.png” left out": 1}
    page = '<meta charset="iso-8859-1"><p>café'.encode("latin-1")
    assert "café" in read(zipped({"a.html": page, "b.txt": "é".encode("utf-16")}))[0].body


def test_memory_does_not_grow_with_the_number_of_documents(tmp_path: Path) -> None:
    peaks = []
    for count in (150, 450):  # 12 and 36 MB
        lines = (json.dumps({"id": number, "text": "word " * 16_000}) for number in range(count))
        (tmp_path / "docs").write_text("\n".join(lines))
        tracemalloc.start()
        with (tmp_path / "docs").open("rb") as source:
            assert sum(1 for _ in iter_documents(source, "docs", Counter(), "")) == count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]


@pytest.mark.parametrize(
    ("path", "count", "last"),
    [("vaswani/doc-text.trec.gz", 11429, "11429"), ("spot-check/corpus.jsonl.gz", 113, ""),
     ("passages/documents.jsonl.gz", 4507, "")],
)  # fmt: skip
def test_the_documents_of_real_labs_are_read_whole(path: str, count: int, last: str) -> None:
    with data_file(f"labs/{path}").open("rb") as source:
        rows = list(iter_documents(source, path, Counter(), ""))
    assert len({row.post_id for row in rows}) == len(rows) == count
    assert rows[-1].post_id.endswith(last)
    assert all(row.body.startswith("<p>") for row in rows)
    if path.startswith("vaswani"):
        assert plain_text(canonical(rows[3].body)) == (
            "the british computer society report of a conference held in cambridge june"
        )
    if path.startswith("spot"):
        assert sum(bool(row.url) for row in rows) > 70


def test_a_web_page_on_which_nothing_is_seen_counts_as_empty() -> None:
    head = "<html><head><title>A</title><script>let text;</script></head>"
    pages: dict[str, str | bytes] = {
        "empty.html": f"{head}<body><div> </div></body></html>",
        "text.html": f"{head}<body><main>words</main></body></html>",
        "picture.html": f"{head}<body><img src='a.png' alt='a'></body></html>",
    }
    changes: Counter[str] = Counter()
    assert [(row.post_id, row.title, bool(row.body)) for row in read(zipped(pages), changes=changes)] == [
        ("empty", "A", False),
        ("text", "A", True),
        ("picture", "A", True),
    ]
    assert changes == {"documents without text, which assessors see empty (the first: empty.html)": 1}
