from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from assess.ir.collection.html import canonical, canonical_inline, formulas, plain_text
from assess.ir.common.problems import BadInput
from assess.ir.common.rows import LONGEST_ID, LONGEST_TEXT, TopicRow
from assess.ir.formats.posts import iter_posts
from assess.ir.formats.topics import different_latex, read_topics
from tests.real import data_file

FORMULA = '&lt;span class="math-container" id="q_2"&gt;$x$&lt;/span&gt;'
TOPIC = f"""
   <Topic number="B.1">
      <Latex>x</Latex>
      <Tags>calculus,real-analysis</Tags>
      <Question>&lt;p&gt;What is\r\n{FORMULA}?&lt;/p&gt;</Question>
      <Title>About x</Title>
      <Formula_Id>q_2</Formula_Id>
   </Topic>"""


def read(topics: str) -> list[TopicRow]:
    return read_topics(BytesIO(f'<?xml version="1.0"?>\r\n<Topics>{topics}</Topics>'.encode()), "topics.xml")


def refused(topics: str) -> str:
    with pytest.raises(BadInput) as error:
        read(topics)
    return str(error.value)


def test_parts_are_found_by_name_and_unescaped() -> None:
    assert read(TOPIC) == [
        TopicRow(
            topic_id="B.1",
            title="About x",
            body='<p>What is\n<span class="math-container" id="q_2">$x$</span>?</p>',
            tags=("calculus", "real-analysis"),
            formula_id="q_2",
            latex="x",
        )
    ]


def test_unescaped_html_is_read_too_and_tags_and_formula_are_optional() -> None:
    (topic,) = read('<Topic number="A.1"><Title>1 &lt; 2</Title><Question>a &amp; b<p>c</p>d</Question></Topic>')
    assert topic == TopicRow("A.1", "1 < 2", "a &amp; b<p>c</p>d")
    tags = "<Tags>&lt;limits&gt;&lt;c++&gt;</Tags>"
    (topic,) = read(f'<Topic number="A.1"><Title>t</Title><Question>q</Question>{tags}</Topic>')
    assert topic.tags == ("limits", "c++")


def test_all_defects_are_reported_with_their_lines() -> None:
    topics = '\n<Topic number="A.1"><Title>t</Title></Topic>\n<Topic><Title/><Question>q</Question></Topic>'
    assert refused(topics).splitlines() == [
        "topics.xml:3: topic A.1 has no <Question>; add it",
        'topics.xml:4: topic ? has no number="…"; add it',
        "topics.xml:4: topic ? has no <Title>; add it",
    ]


TOO_LONG = f"at most {LONGEST_ID} are allowed"
CHARACTERS = "use letters, digits, dots and hyphens"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("B.1", "B.1" + LONGEST_ID * "0", TOO_LONG),
        ("q_2", "q_2" + LONGEST_ID * "0", TOO_LONG),
        ("About x", "x" * (LONGEST_TEXT + 1), "shorten it"),
        *((("B.1", number, CHARACTERS)) for number in ("A/1", "A 1", "A&#10;1", "A\\1")),
        ("<Formula_Id>q_2", "<Formula_Id>q_3", "Formula_Id q_3"),  # which no formula has
        (TOPIC, TOPIC + TOPIC, "topic B.1 appears 2 times"),
    ],
)
def test_what_cannot_be_stored_or_found_is_refused(old: str, new: str, reason: str) -> None:
    assert reason in refused(TOPIC.replace(old, new))


def of(text: str | bytes) -> list[TopicRow]:
    return read_topics(BytesIO(text.encode() if isinstance(text, str) else text), "topics")


SGML = """
<top>
<num> Number: 301
<title> Topic: International &amp; Organized Crime

<desc> Description:
Identify the topic: organizations that take part in x < 3.

<narr> Narrative:
A relevant document must

name them.
</top>
<top lang="en"><num>302</num><query>Polio</query><desc></desc><con>a<con>b</top>"""


def test_topics_of_trec_need_not_be_closed() -> None:
    first, second = of(SGML)
    assert (first.topic_id, first.title, first.body) == ("301", "International &amp; Organized Crime", "")
    assert first.fields == {
        "description": "<p>Identify the topic: organizations that take part in x &lt; 3.</p>",
        "narrative": "<p>A relevant document must</p>\n<p>name them.</p>",
    }
    assert (second.topic_id, second.title) == ("302", "Polio")
    assert second.fields == {"lang": "en", "con": "<p>a</p><p>b</p>"}


@pytest.mark.parametrize(
    "text",
    [
        '<topics><topic number="q-1"><query>a &lt; b</query><description>d</description></topic></topics>',
        "<topics><topic><num>q-1</num><title>a &lt; b</title><desc><![CDATA[d]]></desc></topic></topics>",
        '{"qid": "q-1", "query": "a < b", "description": "d"}',
        '{"id": "q-1", "original_query": {"query_id": "q-1", "title": "a < b", "description": "d"}}',
        "qid\tquery\tdescription\nq-1\ta < b\td\n",
    ],
)
def test_a_topic_is_the_same_in_all_formats(text: str) -> None:
    assert of(text) == [TopicRow("q-1", "a &lt; b", "", fields={"description": "<p>d</p>"})]


def test_a_table_without_header_has_ids_and_queries() -> None:
    assert of('7\twhat is "x"?\n8\ty & z\n') == [TopicRow("7", 'what is "x"?', ""), TopicRow("8", "y &amp; z", "")]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "topics: the file is empty"),
        (b"\xff\xfe\xff", "topics: the file is empty"),
        ("A.1\t0\t77\t3\n", "topics:1: expected 2 fields (qid, query), found 4: separate them by tabs"),
        ("<Topics>\n<Topic>\n</Topics>", "topics:3: not well-formed XML"),
        ("<Topics></Topics>", "topics: holds no topic"),
        (
            '<!DOCTYPE T SYSTEM "file:///etc/passwd"><Topics/>',
            "topics:1: declares a document type; remove the <!DOCTYPE",
        ),
        ('{"qid": "1"}', "topics:1: topic 1 has no title or query"),
        ('{"query": "x"}\nx', "topics:1: topic ? has no id"),
        ('{"qid": "1", "query": "x"}\nx', "topics:2: is no JSON object"),
        ('{"qid": "a b", "query": "x"}', "topics:1: topic a b: the id contains a space"),
        (
            f'{{"qid": "1", "query": "x", "{"k" * 61}": "y"}}',
            "topics:1: topic 1: the name kkkkkkkkkkkkkkkkkkkk… has more",
        ),
        ("1\tx\n1\ty\n", "topics: topic 1 appears 2 times"),
        ("<top>\n<num>1</num>\n</top>\n<top><title>x</title></top>", "topics:1: topic 1 has no title"),
        ("<posts><row/></posts>", "topics:1: starts with <posts>; a file of topics"),
    ],
)
def test_a_file_without_topics_is_refused(content: str | bytes, reason: str) -> None:
    with pytest.raises(BadInput) as error:
        of(content)
    assert str(error.value).startswith(reason)


@pytest.mark.parametrize(
    ("path", "count", "first", "title", "fields"),
    [
        ("vaswani/query-text.trec", 93, "1", "MEASUREMENT OF DIELECTRIC CONSTANT", set()),
        ("passages/topics.tsv", 43, "19335", "anthropological definition of environment", set()),
        ("passages/topics.jsonl", 43, "19335", "anthropological definition", {"description", "narrative"}),
        ("spot-check/topics.xml", 3, "3", "split ergo keyboard", {"description", "narrative"}),
        ("spot-check/queries.jsonl", 3, "3", "split ergo keyboard", {"description", "narrative"}),
        ("web-course/topics.xml", 24, "51", "rust web frameworks",
         {"description", "narrative", "relevant_docnos", "irrelevant_docnos"}),
    ],
)  # fmt: skip
def test_the_topics_of_other_labs_are_read_whole(
    path: str, count: int, first: str, title: str, fields: set[str]
) -> None:
    with data_file(f"labs/{path}").open("rb") as source:
        topics = read_topics(source, path)
    assert len(topics) == count
    assert (topics[0].topic_id, topics[0].title[: len(title)]) == (first, title)
    assert {name for topic in topics for name in topic.fields} == fields


@pytest.mark.parametrize(
    ("path", "count", "prefix", "different"),
    [
        ("topics.arqmath-2020-task1-origin.xml", 98, "A.", []),
        ("topics.arqmath-2021-task1-origin.xml", 100, "A.", []),
        ("topics.arqmath-2020-task2-origin.xml", 85, "B.", []),
        ("topics.arqmath-2021-task2-origin.xml", 100, "B.", ["B.231", "B.271"]),
        ("2021_topics_task1.xml", 100, "A.", []),
    ],
)
def test_the_labs_topics_are_read_whole_and_other_latex_than_in_the_text_is_told(
    path: str, count: int, prefix: str, different: list[str]
) -> None:
    with data_file(f"topics/{path}").open("rb") as source:
        topics = read_topics(source, path)
    assert len(topics) == count
    for topic in topics:
        title, body = canonical_inline(topic.title), canonical(topic.body)
        assert topic.topic_id.startswith(prefix)
        assert plain_text(title) and plain_text(body) and topic.tags  # noqa: PT018
        if prefix == "B.":
            assert topic.latex
            assert topic.formula_id in dict(formulas(title + body))
    notes = [note for topic in topics if (note := different_latex(topic))]
    assert [note.partition(":")[0] for note in notes] == different
    if notes:
        assert notes[0] == r"B.231: its <Latex> is \aleph_0, but its formula q_267 in the text is $א_0$"


@pytest.mark.parametrize("read", [read_topics, lambda source, name: list(iter_posts(source, name))])
def test_a_file_in_another_encoding_is_refused_also_if_it_has_a_name(
    read: Callable[[BinaryIO, str], Any], tmp_path: Path
) -> None:
    """lxml raises another error for a file of the disk than for one in memory."""
    path = tmp_path / "x.xml"
    for root in ("Topics", "posts"):
        path.write_bytes(f'<?xml version="1.0"?>\n<{root}><row Title="caf\xe9"/></{root}>'.encode("latin-1"))
        with (
            path.open("rb") as source,
            pytest.raises(BadInput, match=r"x\.xml:2: not well-formed XML: .*encoding|not UTF-8"),
        ):
            read(source, "x.xml")
