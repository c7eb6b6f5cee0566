"""Collections of documents: JSON lines, TREC's SGML and XML, tables, and archives of text and HTML files.

They are read one document at a time, in constant memory. Defects are collected and raised as ``BadInput`` after the
last document, so keep nothing until the end is reached. The caller checks for repeated ids."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from html import unescape
from typing import Any, BinaryIO, NamedTuple

from assess.ir.collection.html import canonical
from assess.ir.common.problems import Problems, refuse
from assess.ir.common.rows import LONGEST_TEXT, NEVER, PostRow, wrong_id
from assess.ir.formats import markup
from assess.ir.formats.columns import is_header, normal
from assess.ir.formats.packed import ZIP, first_bytes, is_packed_alone, iter_files, unpacked
from assess.ir.formats.table import fields_in
from assess.ir.formats.text import blocks, json_objects, lines

IDS = ("docno", "doc_id", "docid", "document_id", "id", "_id")
TEXTS = ("text", "default_text", "contents", "content", "body", "passage", "segments")
TITLES = ("title", "headline")
LANGUAGES = ("language", "lang")
USUAL = (IDS, TEXTS, TITLES, ["url"], LANGUAGES)
"""The names of keys, columns and elements, the best first."""
KNOWN = {name for names in USUAL for name in names}
ALWAYS_READ = KNOWN - {*TEXTS} | {"segments"}
NO_TEXT = ("dochdr",)
"""Elements of TREC that belong to no text: what a server sent with a web page."""
PLAIN, HTML = (".txt", ".text", ".md", ""), (".html", ".htm", ".xhtml")
"""The suffixes of the files in an archive that are documents."""
LONGEST_URL, LONGEST_LANGUAGE = 2000, 20
MOST_NOTES = 50
HEAD = 10_000
"""Characters within which a web page has its title and language."""
MOST_FILES, MOST_BYTES = 200_000, 20_000_000_000
"""Of an archive."""
URL = re.compile(r"https?://\S+", re.IGNORECASE)
LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
TREC_DOCUMENT = re.compile(r"<(doc|document)((?:\s[^<>]*)?)>(.*?)</\1\s*>", re.DOTALL | re.IGNORECASE)
TREC_END = re.compile(r"</(?:doc|document)\s*>", re.IGNORECASE)
TREC_START = re.compile(r"<(?:doc|document)[\s>]", re.IGNORECASE)
HTML_TITLE = re.compile(r"<title[^<>]*>(.*?)</title", re.DOTALL | re.IGNORECASE)
WORDS_IN_HTML = re.compile(r"<(?:p|h[1-6]|li|td|div|span|a|b|pre)\b[^<>]*>\s*[^<\s]", re.IGNORECASE)
"""What a page that is not empty mostly has near its beginning."""
HTML_LANGUAGE = re.compile(r"""<html[^<>]*?\slang=["']?([\w-]+)""", re.IGNORECASE)
CHARSET = re.compile(rb"""<meta[^<>]{1,200}charset=["']?([\w-]+)""", re.IGNORECASE)


class RawDocument(NamedTuple):
    """A document as found, in a line of the file or a file of an archive. Title and text are HTML, not sanitized."""

    line: int
    file: str
    doc_id: str
    title: str
    body: str
    url: str = ""
    language: str = ""

    @property
    def where(self) -> str:
        return self.file or f"line {self.line}"

    @property
    def prefix(self) -> str:
        return f"{self.file}: " if self.file else ""


class Reading(NamedTuple):
    """The file that is being read, with what is wrong with it and what was left out. ``key``: names of keys
    or columns with commas between them, in the order of `USUAL`; an empty one stands for the usual ones."""

    source: BinaryIO
    name: str
    key: str
    problems: Problems
    changes: Counter[str]

    @property
    def names(self) -> list[Sequence[str]]:
        """Of id, text, title, address and language."""
        named = [*map(normal, self.key.split(",")), *[""] * len(USUAL)]
        return [[name] if name else usual for name, usual in zip(named, USUAL, strict=False)]

    def left_out(self, what: str) -> None:
        if what in self.changes or len(self.changes) < MOST_NOTES:
            self.changes[what] += 1


def iter_documents(source: BinaryIO, name: str, changes: Counter[str], key: str) -> Iterator[PostRow]:
    """The documents of a file, perhaps packed, as posts that are threads of their own; plain text becomes paragraphs.
    ``key``: as in `Reading`; of the usual names, the first that is there counts. ``changes`` counts what was left out.
    Raises ``BadInput`` for what is no document of the format, or has no id or a too long text."""
    reading = Reading(source, name, key, Problems(name), changes)
    count, empty, first_empty = 0, 0, ""
    for document in raw_documents(reading):
        count += 1
        if row := as_row(document, reading):
            if not row.body:
                empty, first_empty = empty + 1, first_empty or document.where
            yield row
    reading.problems.check()
    if not count:
        raise refuse(name, "holds no document; choose a file of JSON lines, TREC, a table or an archive of pages")
    if empty:
        reading.changes[f"documents without text, which assessors see empty (the first: {first_empty})"] = empty


def repeated_documents(source: BinaryIO, name: str, ids: Collection[str], key: str) -> Problems:
    """Where the documents with these ids are repeated."""
    problems, firsts = Problems(name), dict[str, RawDocument]()
    for document in raw_documents(Reading(source, name, key, Problems(name), Counter())):
        if document.doc_id in ids and (first := firsts.setdefault(document.doc_id, document)) is not document:
            reason = f"document {document.doc_id} is in {first.where}, too: keep one"
            problems.add(document.line, document.prefix + reason)
    return problems


def raw_documents(reading: Reading) -> Iterator[RawDocument]:
    """The documents in whatever format the first bytes show."""
    source, name = reading.source, reading.name
    if first_bytes(source) == ZIP and not is_packed_alone(source, name, (*PLAIN, *HTML)):
        return of_archive(reading)
    source = unpacked(source, name)
    reading = reading._replace(source=source)
    if first_bytes(source, 262)[257:] == b"ustar":
        raise refuse(name, "is a tar archive; make a zip archive of its files")
    start = first_bytes(source, 4096).removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if start == b"[":
        raise refuse(name, "is a JSON array; write each document as an object on a line of its own", 1)
    return {b"{": of_json_lines, b"<": of_trec}.get(start, of_table)(reading)


def as_row(document: RawDocument, reading: Reading) -> PostRow | None:
    """The document in the columns of posts; None, with a problem, if it is refused."""
    if reason := wrong_document(document):
        reading.problems.add(document.line, document.prefix + reason)
        return None
    url, language, title = document.url.strip(), document.language.strip(), document.title
    if not title and (found := HTML_TITLE.search(document.body, 0, HEAD)):
        title = markup.marked_title(found[1])
    if not language and (found := HTML_LANGUAGE.search(document.body, 0, HEAD)):
        language = found[1]
    if url and (not URL.fullmatch(url) or len(url) > LONGEST_URL):
        reading.left_out("addresses that are not of http or https, or too long, left out")
        url = ""
    if language and (not LANGUAGE.fullmatch(language) or len(language) > LONGEST_LANGUAGE):
        reading.left_out("languages that are no code such as en or pt-BR left out")
        language = ""
    body, doc_id = document.body, document.doc_id
    if not WORDS_IN_HTML.search(body) and not canonical(body).strip():
        body = ""
    if NEVER.search(title) or NEVER.search(body):
        reading.left_out("documents without their characters that no text can hold (NUL, half surrogates)")
        title, body = NEVER.sub("", title), NEVER.sub("", body)
    return PostRow(doc_id, "document", doc_id, title, body, url=url, language=language)


def wrong_document(document: RawDocument) -> str:
    if not document.doc_id:
        return f"the document has no id ({', '.join(IDS)}): add it, or name its key"
    if reason := wrong_id(document.doc_id):
        return f"the id {reason}"
    if (size := max(len(document.title), len(document.body))) > LONGEST_TEXT:
        reason = f"has {size:,} characters, at most {LONGEST_TEXT:,} are allowed"
        return f"document {document.doc_id} {reason}: shorten it, or leave it out"
    return ""


def of_json_lines(reading: Reading) -> Iterator[RawDocument]:
    remedy = ": write each document as an object on a line of its own"
    for line, record in json_objects(lines(reading.source, reading.name), reading.problems, remedy):
        yield of_fields(line, {normal(key): value for key, value in record.items()}, reading)


def of_table(reading: Reading) -> Iterator[RawDocument]:
    """With the names of the columns in the first line, or with id and text, or id, title and text."""
    columns: list[str] = []
    for line, text in lines(reading.source, reading.name):
        row = fields_in(text, "\t")
        if not columns:
            if is_header(row, KNOWN.union(*reading.names)):
                columns = list(map(normal, row))
                continue
            if len(row) not in (2, 3):
                reason = f"expected id and text, or id, title and text, separated by tabs, found {len(row)} columns"
                raise refuse(reading.name, f"{reason}: name the columns in a first line", line)
            columns, reading = ["id", *["title"] * (len(row) == 3), "text"], reading._replace(key="")
        if len(row) != len(columns):
            reading.problems.add(line, f"expected {len(columns)} columns ({', '.join(columns)}), found {len(row)}")
        else:
            yield of_fields(line, dict(zip(columns, row, strict=True)), reading)


def of_fields(line: int, fields: Mapping[str, Any], reading: Reading) -> RawDocument:
    """A document from the values of keys or columns."""
    found = [first_of(fields, names) for names in reading.names]
    names = [name for name, _ in found]
    for name, value in fields.items():
        if name not in names and name not in ALWAYS_READ and value not in ("", None):
            reading.left_out(f"values of “{name[:40]}” left out")
    doc_id, text, title, url, language = (text_of(value) for _, value in found)
    body = markup.plain_or_html(text)
    return RawDocument(line, "", doc_id.strip(), markup.plain_title(title), body, url, language)


def first_of(fields: Mapping[str, Any], names: Iterable[str]) -> tuple[str, Any]:
    return next(((name, fields[name]) for name in names if fields.get(name) not in (None, "", [])), ("", ""))


def text_of(value: Any) -> str:
    """The text of a value; of a list, such as segments, that of its parts as paragraphs."""
    if isinstance(value, list):
        return "\n\n".join(map(text_of, value))
    if isinstance(value, dict):
        return text_of(value.get("text"))
    return "" if value is None else str(value)


def of_trec(reading: Reading) -> Iterator[RawDocument]:
    """Of a file with any number of ``<DOC>`` elements. What stands between them is markup."""
    rest, line, limit = "", 1, 4 * LONGEST_TEXT
    for _, block in blocks(reading.source, reading.name):
        text, end = rest + block, 0
        last = max((match.end() for match in TREC_END.finditer(text)), default=0)  # a search beyond it would be long
        for match in TREC_DOCUMENT.finditer(text, 0, last):
            refuse_between(text[end : match.start()], line, reading)
            line += text.count("\n", end, match.start())
            if TREC_START.search(match[3]):
                reading.problems.add(line, f"this <{match[1]}> has no end before the next one: add </{match[1]}>")
            else:
                yield trec_document(line, match[2], markup.without_sections(match[3]), reading)
            line, end = line + text.count("\n", match.start(), match.end()), match.end()
        rest = text[end:]
        if len(rest) > limit:
            raise refuse(reading.name, f"no </DOC> in {limit:,} characters; is this the right file?", line)
    refuse_between(rest, line, reading)


def refuse_between(text: str, line: int, reading: Reading) -> None:
    """A problem if there is more than markup."""
    if start := TREC_START.search(text):
        line += text.count("\n", 0, start.start())
        reading.problems.add(line, "this document has no end: add </DOC>")
    elif words := re.sub(r"<[^<>]*>", "", markup.without_sections(text)).strip():
        reading.problems.add(line, f"text outside of a document: {words[:60]!r}; put it between <DOC> and </DOC>")


def trec_document(line: int, attributes: str, text: str, reading: Reading) -> RawDocument:
    """The text is what <TEXT> and the like hold; without them, all but id, title, address and language."""
    found = list(markup.elements(text))
    fields = {name: value for name, value in markup.attributes_of(attributes).items() if name in KNOWN}
    for each in found:
        if each.name in KNOWN and each.name not in TEXTS:
            fields.setdefault(each.name, each.content)
    parts = [each.content for each in found if each.name in TEXTS]
    if parts:
        for each in found:
            if each.name not in KNOWN and each.content.strip():
                reading.left_out(f"elements <{each.name[:40]}> beside the text left out")
    else:
        removed = [each for each in found if each.name in (*KNOWN, *NO_TEXT)]
        ends, starts = [0, *(each.end for each in removed)], [*(each.start for each in removed), len(text)]
        parts = ["".join(text[end:start] for end, start in zip(ends, starts, strict=True))]
    doc_id, title, url, language = (
        unescape(first_of(fields, names)[1]).strip() for names in (reading.names[0], *USUAL[2:])
    )
    body = markup.marked_html("\n\n".join(parts))
    return RawDocument(line, "", doc_id, markup.marked_title(title), body, url, language)


def of_archive(reading: Reading) -> Iterator[RawDocument]:
    """Of the text and HTML files of a zip archive; their ids are their paths without suffix."""
    for path, data in iter_files(reading.source, reading.name, 4 * LONGEST_TEXT, MOST_BYTES, MOST_FILES):
        folder, slash, file = path.replace("\\", "/").removeprefix("./").rpartition("/")
        stem, dot, suffix = file.rpartition(".") if "." in file else (file, "", "")
        doc_id, suffix = folder + slash + stem, dot + suffix.lower()
        if suffix not in (*PLAIN, *HTML):
            reading.left_out(f"files “{suffix[:20]}” left out")
        elif len(data) > 4 * LONGEST_TEXT:
            reading.problems.add(0, f"{path}: has more than {LONGEST_TEXT:,} characters: shorten it, or leave it out")
        elif TREC_START.match(data[:100].decode(errors="replace").lstrip()):
            reading.problems.add(0, f"{path}: holds documents of TREC: join such files, and pack them with gzip")
        elif (text := decoded_file(data)) is None:
            reading.problems.add(0, f"{path}: is not UTF-8 text; save it as UTF-8")
        else:
            yield RawDocument(0, path, doc_id, "", text if suffix in HTML else markup.paragraphs(text))


def decoded_file(data: bytes) -> str | None:
    """The text of a file: by its byte order mark, as it declares, or UTF-8; None if that fails."""
    declared = CHARSET.search(data[:2000])
    names = ["utf-16"] if data[:2] in (b"\xff\xfe", b"\xfe\xff") else [declared[1].decode()] if declared else []
    for name in (*names, "utf-8-sig"):
        try:
            return data.decode(name)
        except (UnicodeError, LookupError):
            continue
    return None
