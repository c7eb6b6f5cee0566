"""The topics of a lab: ``<Topics><Topic number="A.1"><Title/><Question/><Tags/></Topic></Topics>``,
for formula search also ``<Formula_Id/>`` and ``<Latex/>``. Or those of others: TREC's SGML and XML, tables, JSON lines,
which have a title and any further fields, but no body."""

import html
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, cast

from lxml import etree

from assess.ir.common.problems import Problems, refuse
from assess.ir.common.rows import LONGEST_TEXT, NEVER, TopicRow, wrong_id
from assess.ir.formats import markup
from assess.ir.formats.columns import normal
from assess.ir.formats.packed import unpacked
from assess.ir.formats.table import read_table
from assess.ir.formats.text import decoded_text, json_objects, raw_lines
from assess.ir.formats.xml import XmlSource, line_of, refuse_doctype, split_tags, xml_errors

IDS = ("qid", "query_id", "queryid", "topic_id", "topicid", "number", "num", "id", "_id")
TITLES = ("title", "query", "text")
"""The names of keys, columns and elements, the best first."""
LONG_NAMES = {"desc": "description", "narr": "narrative"}
NESTED = "original_query"
BLANKS = b"\xff\xfe\xef\xbb\xbf\0 \t\r\n"
LABS_ROOT = re.compile(rb"(?:(?><\?[^>]*>|<!--.*?-->)\s*+)*+<(?:Topics\b|!DOCTYPE)", re.DOTALL)
TREC_TOPIC = re.compile(r"<(top|topic)((?:\s[^<>]*)?)>(.*?)(?:</\1\s*>|(?=<\1[\s>])|\Z)", re.DOTALL | re.IGNORECASE)
LABEL = re.compile(r"\A\s*(?:Number|Topic|Description|Narrative)\s*:", re.IGNORECASE)
"""What TREC's fields begin with."""
LONGEST_FIELD_NAME = 60


def read_topics(source: BinaryIO, name: str) -> list[TopicRow]:
    """All topics in the file's order. Their texts are HTML, not sanitized. Raises ``BadInput`` for a file in none of
    the formats, a topic without number or title, a number used twice; and of the labs' XML for a topic without question
    and a ``Formula_Id`` that is not in its topic."""
    data = unpacked(source, name).read()
    problems, start = Problems(name), data.lstrip(BLANKS)
    if not start:
        raise refuse(name, "the file is empty")
    if LABS_ROOT.match(start.replace(b"\0", b"")[:2000]):
        root = _root(io.BytesIO(data), name)
        topics = [_topic(element, problems) for element in root.iterchildren("Topic")]
    else:
        read = {b"<": _of_trec, b"{": _of_json_lines}.get(start[:1], _of_table)
        topics = [_row(line, fields, problems) for line, fields in read(io.BytesIO(data), name, problems)]
    for topic_id, count in Counter(topic.topic_id for topic in topics).items():
        if topic_id and count > 1:
            problems.add(0, f"topic {topic_id} appears {count} times; give each topic its own number")
    problems.check()
    if not topics:
        raise refuse(name, "holds no topic; is this the right file?")
    return topics


Fields = dict[str, str]
"""The texts of a topic by the names that they have in the file, as HTML; its id and its title as they stand."""


def _of_trec(source: BinaryIO, name: str, problems: Problems) -> Iterator[tuple[int, Fields]]:
    """Of ``<top>`` or ``<topic>`` elements, whose fields may have no end."""
    text = markup.without_sections(decoded_text(source, name))
    if not TREC_TOPIC.search(text):
        first = markup.OPEN.search(text)
        what = f"starts with <{first[1]}>" if first else "has no element"
        raise refuse(name, f"{what}; a file of topics in XML or SGML has <Topics>, <topic …> or <top>: choose it", 1)
    end, line = 0, 1
    for match in TREC_TOPIC.finditer(text):
        line, end = line + text.count("\n", end, match.start()), match.start()
        fields = {name: markup.plain_title(value) for name, value in markup.attributes_of(match[2]).items()}
        for each in markup.elements(match[3]):
            key, content = LONG_NAMES.get(each.name, each.name), LABEL.sub("", each.content, count=1).strip()
            is_short = key in IDS or key in TITLES
            value = markup.marked_title(content) if is_short else markup.marked_html(content)
            fields[key] = value if is_short else f"{fields.get(key, '')}{value}"
        yield line, fields


def _of_json_lines(source: BinaryIO, name: str, problems: Problems) -> Iterator[tuple[int, Fields]]:
    """Of an object on each line; what the object ``original_query`` in it has is added."""
    remedy = ": write each topic as an object on a line of its own"
    for line, record in json_objects(raw_lines(source, name), problems, remedy):
        inner = record.pop(NESTED, None)
        yield line, _texts((inner if isinstance(inner, dict) else {}) | record)


def _of_table(source: BinaryIO, name: str, problems: Problems) -> Iterator[tuple[int, Fields]]:
    """With the names of the columns in the first line, or with id and query."""
    table = read_table(source, name, {*IDS, *TITLES, *LONG_NAMES.values()})
    for line, row in table.rows():
        columns = table.header or ["qid", "query"]
        if len(row) == len(columns):
            yield line, _texts(dict(zip(columns, row, strict=True)))
        else:
            expected = f"expected {len(columns)} fields ({', '.join(columns)}), found {len(row)}"
            problems.add(line, f"{expected}: separate them by tabs, and name them in a first line if there are more")


def _texts(record: Mapping[str, Any]) -> Fields:
    """The values of a record that are texts or numbers, or lists of them."""
    fields = {}
    for key, value in record.items():
        parts = value if isinstance(value, list) else [value]
        text = "\n\n".join(str(part) for part in parts if isinstance(part, str | int | float))
        name = normal(key)
        is_short = name in IDS or name in TITLES
        fields[name] = markup.plain_title(text) if is_short else markup.plain_or_html(text)
    return fields


def _row(line: int, fields: Fields, problems: Problems) -> TopicRow:
    """A topic without body: the first of `IDS` is its id, the first of `TITLES` its title."""
    fields = {name: NEVER.sub("", text) for name, text in fields.items() if text.strip()}
    id_name, title_name = (next((name for name in names if name in fields), "") for names in (IDS, TITLES))
    topic_id, title = html.unescape(fields.pop(id_name, "")), fields.pop(title_name, "")
    same = (topic_id, html.unescape(title))
    others = {
        name: text for name, text in fields.items() if not (name in (*IDS, *TITLES) and html.unescape(text) in same)
    }
    row = TopicRow(topic_id, title, "", fields=others)
    note_defects(row, line, {"id": topic_id, "title or query": title}, problems)
    for name in others:
        if len(name) > LONGEST_FIELD_NAME:
            problems.add(line, f"topic {topic_id}: the name {name[:20]}… has more than {LONGEST_FIELD_NAME} characters")
    return row


def note_defects(row: TopicRow, line: int, needed: Mapping[str, str], problems: Problems) -> None:
    """``needed``: the values that must not be empty, by what the file calls them."""
    topic = f"topic {row.topic_id or '?'}"
    reasons = [f"{topic} has no {part}; add it" for part, value in needed.items() if not value]
    if max(map(len, (row.title, row.body, row.latex, *row.fields.values()))) > LONGEST_TEXT:
        reasons.append(f"{topic} has a text of more than {LONGEST_TEXT:,} characters; shorten it")
    if re.search(r"[\s/\\]", row.topic_id):
        reasons.append(f"{topic}: the id contains a space or a slash; use letters, digits, dots and hyphens")
    elif reason := row.topic_id and wrong_id(row.topic_id):
        reasons.append(f"{topic}: the id {reason}")
    if reason := row.formula_id and wrong_id(row.formula_id):
        reasons.append(f"{topic}: the Formula_Id {reason}")
    if row.formula_id and not re.search(rf"""\bid=["']{re.escape(row.formula_id)}["']""", row.title + row.body):
        reasons.append(f"{topic}: no formula in its title or question has the Formula_Id {row.formula_id}; correct it")
    for reason in reasons:
        problems.add(line, reason)


def _root(source: BinaryIO, name: str) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    with xml_errors(name):
        tree = etree.parse(cast(BinaryIO, XmlSource(unpacked(source, name), name)), parser)
    refuse_doctype(tree, name)
    root = tree.getroot()
    if root.tag != "Topics":
        raise refuse(name, f"starts with <{root.tag}>; a topics file starts with <Topics>", 1)
    return root


def _topic(element: etree._Element, problems: Problems) -> TopicRow:
    row = TopicRow(
        topic_id=(element.get("number") or "").strip(),
        title=_html(element.find("Title")),
        body=_html(element.find("Question")),
        tags=split_tags(element.findtext("Tags") or ""),
        formula_id=(element.findtext("Formula_Id") or "").strip(),
        latex=(element.findtext("Latex") or "").strip(),
    )
    needed = {'number="…"': row.topic_id, "<Title>": row.title, "<Question>": row.body}
    note_defects(row, line_of(element), needed, problems)
    return row


def different_latex(row: TopicRow) -> str:
    """What to tell of a topic whose ``Latex`` is another formula than the one in the text named by ``Formula_Id``;
    empty if they are the same, apart from spaces, delimiters and escapes."""
    formula = _in_text(row) if row.formula_id and row.latex else None
    if formula is None or "<math" in formula or _bare(formula) == _bare(row.latex):
        return ""
    shown = " ".join(html.unescape(formula).split())
    return f"{row.topic_id}: its <Latex> is {row.latex}, but its formula {row.formula_id} in the text is {shown}"


def _in_text(row: TopicRow) -> str | None:
    """What stands in the element of a topic's formula, None if its texts have none; in one pass."""
    text, named = row.title + row.body, re.compile(rf"""\bid=["']{re.escape(row.formula_id)}["']""")
    ends = (span.end() for span in re.finditer("<span([^<>]*)>", text) if named.search(span[1]))
    inside, end, _ = text[next(ends, len(text)) :].partition("</span>")
    return inside if end else None


def _bare(tex: str) -> str:
    return re.sub(r"\s+", "", html.unescape(html.unescape(tex))).strip("$")


def _html(element: etree._Element | None) -> str:
    """The HTML inside an element, with tags escaped (as in the labs' files) or not."""
    if element is None:
        return ""
    if not len(element):
        return (element.text or "").strip()
    children = "".join(etree.tostring(child, encoding="unicode") for child in element)
    return (html.escape(element.text or "", quote=False) + children).strip()
