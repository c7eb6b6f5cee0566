"""The topics of a lab: ``<Topics><Topic number="A.1"><Title/><Question/><Tags/></Topic></Topics>``,
for formula search also ``<Formula_Id/>`` and ``<Latex/>``."""

import html
import re
from collections import Counter
from typing import BinaryIO, cast

from lxml import etree

from assess.ir.common.ids import wrong_id
from assess.ir.common.problems import Problems, refuse
from assess.ir.common.rows import LONGEST_TEXT, TopicRow
from assess.ir.formats.packed import unpacked
from assess.ir.formats.xml import XmlSource, line_of, refuse_doctype, split_tags, xml_errors


def read_topics(source: BinaryIO, name: str) -> list[TopicRow]:
    """All topics in the file's order, found by element name. ``title`` and ``body`` are HTML, not sanitized.

    Raises ``BadInput`` for a file that is not such XML, a topic without number, title or question, a number
    used twice, and a ``Formula_Id`` that is not in its topic.
    """
    problems = Problems(name)
    topics = [_topic(element, problems) for element in _root(source, name).iterchildren("Topic")]
    for topic_id, count in Counter(topic.topic_id for topic in topics).items():
        if topic_id and count > 1:
            problems.add(0, f"topic {topic_id} appears {count} times; give each topic its own number")
    problems.check()
    if not topics:
        raise refuse(name, "no <Topic> inside <Topics>; is this the right file?")
    return topics


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
    for reason in _defects(row):
        problems.add(line_of(element), reason)
    return row


def _defects(row: TopicRow) -> list[str]:
    topic = f"topic {row.topic_id or '?'}"
    absent = {'number="…"': row.topic_id, "<Title>": row.title, "<Question>": row.body}
    reasons = [f"{topic} has no {part}; add it" for part, value in absent.items() if not value]
    if max(map(len, (row.title, row.body, row.latex))) > LONGEST_TEXT:
        reasons.append(f"{topic} has a text of more than {LONGEST_TEXT:,} characters; shorten it")
    if reason := wrong_number(row.topic_id):
        reasons.append(f"{topic}: the number {reason}")
    if reason := row.formula_id and wrong_id(row.formula_id):
        reasons.append(f"{topic}: the Formula_Id {reason}")
    if row.formula_id and not re.search(rf"""\bid=["']{re.escape(row.formula_id)}["']""", row.title + row.body):
        reasons.append(f"{topic}: no formula in its title or question has the Formula_Id {row.formula_id}; correct it")
    return reasons


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


def wrong_number(topic_id: str) -> str:
    """Why a topic cannot have this number; empty if it can, or if it has none, which is reported anyway."""
    if topic_id and re.search(r"[\s/\\]", topic_id):
        return "contains a space or a slash; use letters, digits, dots and hyphens"
    return topic_id and wrong_id(topic_id)


def _html(element: etree._Element | None) -> str:
    """The HTML inside an element, with tags escaped (as in the labs' files) or not."""
    if element is None:
        return ""
    if not len(element):
        return (element.text or "").strip()
    children = "".join(etree.tostring(child, encoding="unicode") for child in element)
    return (html.escape(element.text or "", quote=False) + children).strip()
