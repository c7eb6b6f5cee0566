"""Judgments made elsewhere, as labs, crowds and programs write them."""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.ir.common.problems import BadInput
from assess.ir.common.rows import SourceRow
from assess.ir.formats.source_files import Meanings, SourceFile, read_source
from assess.ir.formats.source_records import Columns
from tests.real import data_file

TURKLE = (
    "HITId,HITTypeId,Title,CreationTime,MaxAssignments,AssignmentDurationInSeconds,AssignmentId,WorkerId,AcceptTime,"
    "SubmitTime,WorkTimeInSeconds,Input.{item},Input.html,Input.{topic},Answer.{grade},Answer.comment,Turkle.Username\n"
)


LABS = Meanings(
    {3: "High", 2: "Medium", 1: "Low", 0: "Not relevant"},
    {"system_failure": "System failure", "do_not_know": "Do not know", "not_matching": "Not matching"},
)


def read(text: str, columns: Columns | None = None, meanings: Meanings = LABS) -> SourceFile:
    return read_source(BytesIO(text.encode()), "file.txt", columns or Columns(), None, meanings)


def refusal(text: str, columns: Columns | None = None, meanings: Meanings = LABS) -> str:
    with pytest.raises(BadInput) as caught:
        read(text, columns, meanings)
    return str(caught.value)


def turkle(*rows: tuple[str, ...], topic: str = "topic_id", item: str = "answer_id", grade: str = "relevance") -> str:
    """A batch whose tasks show HTML of several lines, as the labs' did."""
    target = io.StringIO()
    target.write(TURKLE.format(topic=topic, item=item, grade=grade))
    for document, of_topic, label, comment, worker in rows:
        cells = [*"1234567", "9", *"bcd", document, "<p>a,\n<b>b</b></p>", of_topic, label, comment, worker]
        csv.writer(target).writerow(cells)
    return target.getvalue()


def test_the_results_of_a_turkle_batch_are_recognized() -> None:
    labels = ["High", "Medium", "Low", "Not Relevant", "System failure", "Do not know"]
    rows = [(str(number), "A.301", label, "", "ada") for number, label in enumerate(labels)]
    file = read(turkle(*rows))
    assert file.format == "table"
    outcomes = [(None, "system_failure"), (None, "do_not_know")]
    assert [(row.grade, row.outcome) for row in file.rows] == [(3, ""), (2, ""), (1, ""), (0, ""), *outcomes]
    assert {(row.topic_id, row.labeller) for row in file.rows} == {("A.301", "ada")}


def test_unusual_columns_of_a_turkle_batch_are_named() -> None:
    text = turkle(("11", "A.1", "Low", "why", "ada"), topic="q", item="candidate", grade="choice")
    assert "file.txt:1: has no column for the topic" in refusal(text)
    assert "Input.q" in refusal(text)
    columns = Columns("Input.q", "Input.candidate", "Answer.choice", "WorkerId", "")
    assert read(text, columns=columns).rows == [SourceRow("A.1", "11", 1, "", "9", "why")]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("USER,TOPIC,DOCID,JUDGMENT\nada,A.1,11,2\nemmy,A.1,11,1\n", [("11", 2, "ada"), ("11", 1, "emmy")]),
        ("topic;document;grade;rater\nA.1;11;3;x\nA.1;11;0;y\n", [("11", 3, "x"), ("11", 0, "y")]),
        ("qid,query,docid,document,label,completed_by\nA.1,sum,11,Use induction.,3,7\n", [("11", 3, "7")]),
        ('annotator,docid,id,relevance,topic\n1,11,5,"{""choices"":[""High""]}",A.1\n', [("11", 3, "1")]),
        ('topic,docid,rating\nA.1,11,"[""2""]"\nA.1,12,"{""rating"": 1}"\n', [("11", 2, ""), ("12", 1, "")]),
        ('{"query":{"text":"x","qid":"A.1"},"doc":{"id":11},"judgment":2,"model":"m"}', [("11", 2, "m")]),
        (
            '{"query-id":"A.1","corpus-id":"11","score":3}\n{"Topic":"A.1","Doc":"12","Grade":1}',
            [("11", 3, ""), ("12", 1, "")],
        ),
    ],
)
def test_ids_grades_and_judges_of_other_tools_are_found(text: str, rows: list[tuple[str, int, str]]) -> None:
    assert [(row.item_id, row.grade, row.labeller) for row in read(text).rows] == rows
    assert {row.topic_id for row in read(text).rows} == {"A.1"}


@pytest.mark.parametrize(
    "text",
    [
        "WorkerId,AssignmentStatus,Input.topic,Input.docid,Answer.relevance\nw,Approved,A.1,11,3\nv,Rejected,A.1,11,0\n",
        "topic,docid,label,answer\nA.1,11,3,accept\nA.1,11,0,ignore\n",
        '{"topic":"A.1","docid":"11","label":3,"answer":"accept"}\n{"topic":"A.1","docid":"11","label":0,"answer":"reject"}',
        '{"topic":"A.1","docid":"11","label":3,"status":"x"}\n{"topic":"A.1","docid":"11","label":0,"status":"rejected"}',
        "topic,docid,label,worker,status\nA.1,11,3,w,accepted\nA.1,11,0,v,Rejected\n",
        "topic,docid,label,worker,rejected\nA.1,11,3,w,0\nA.1,11,0,v,1\n",
        "topic,docid,label,completed_by,was_cancelled\nA.1,11,3,1,False\nA.1,11,0,2,True\n",
        "WorkerId,Input.topic,Input.docid,Answer.relevance,Approve,Reject\nw,A.1,11,3,x,\nv,A.1,11,0,,x\n",
        "WorkerId,AssignmentStatus,Input.topic,Input.docid,Answer.relevance,Reject\n"
        'w,Submitted,A.1,11,3,\nv,Submitted,A.1,11,0,"at random"\n',
    ],
)
def test_what_was_rejected_never_counts(text: str) -> None:
    file = read(text)
    assert [(row.item_id, row.grade) for row in file.rows] == [("11", 3)]
    assert "1 that were rejected or ignored are left out" in str(file.notes[-1])


def test_a_repeated_judgment_counts_once_and_is_noted() -> None:
    file = read("topic,document,grade\nA.1,11,1\nA.1,11,Low\n")
    assert file.rows == [SourceRow("A.1", "11", 1)]
    assert [str(note) for note in file.notes] == ["file.txt:3: 1 repeated lines with the same grade"]


@pytest.mark.parametrize(
    "text",
    [
        "query,docid,Anna B,Carl D\nA.1,11,3,2\nA.1,12,0,0\n",
        '{"query":"A.1","docid":11,"Anna B":3,"Carl D":2}\n{"query":"A.1","docid":12,"Anna B":0,"Carl D":0}',
    ],
)
def test_a_column_of_grades_can_be_named_and_several_of_them_are_no_grade(text: str) -> None:
    file = read(text, columns=Columns(grade="Anna B"))
    assert [(row.item_id, row.grade, row.labeller) for row in file.rows] == [("11", 3, ""), ("12", 0, "")]
    assert list(map(str, file.notes)) == ["file.txt: columns that were not read: carl_d"]
    assert "has no " in refusal(text, columns=Columns(grade="Carla"))
    assert "if several columns are judges, write a row for each judgment" in refusal(text)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (  # exported from here
            "topic\tunit\tdocument\tkind\tassessor\tround\tgrade\toutcome\tcomment\n"
            "A.1\tv1\t11\tpost\ta\tmain\t\tsystem_failure\t'=why\nA.1\tv1\t12\tpost\ta\tmain\t0\t\t\n",
            [SourceRow("A.1", "11", None, "system_failure", "a", "=why"), SourceRow("A.1", "12", 0, "", "a", "")],
        ),
        ('{"topic":7,"document":"12","grade":3.0}', [SourceRow("7", "12", 3)]),
        ("# exported\n# twice\ntopic,document,grade,assessor\nA.1,11,3,x\n", [SourceRow("A.1", "11", 3, "", "x")]),
        ('# exported\n{"Input.topic":"A.1","Input.docid":"11","Answer.relevance":3}\n', [SourceRow("A.1", "11", 3)]),
        ("topic,document,grade\nA.1,11,3\n,\n , , ,\n", [SourceRow("A.1", "11", 3)]),
        ("topic;document;grade\r\nA.1;11;2.0\r\n", [SourceRow("A.1", "11", 2)]),
        (",topic,document,grade\n7,A.1,11,3\n", [SourceRow("A.1", "11", 3)]),  # with the numbers of rows
        *(
            (f"topic,docid,relevance,{who}\nA.1,11,3,kurt\n", [SourceRow("A.1", "11", 3, "", "kurt")])
            for who in ("reviewer", "expert", "created_by", "_annotator_id", "_session_id")
        ),
    ],
)
def test_exports_of_other_tools_are_read(text: str, rows: list[SourceRow]) -> None:
    assert read(text).rows == rows


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "query,docid,Anna B,Carl D\nA.401,11,3,2\n",
            "has no column for the grade (such as grade or relevance); its columns are query, docid, Anna B, Carl D",
        ),
        (
            "#\ntopic,document,grade,rater,judge\nA.1,11,3,x,y\n",
            "file.txt:2: the columns rater and judge could both be",
        ),
        ('{"topic":"A.1","docid":"11","stars":3}', "has no grade under a usual name; its keys are topic, docid, stars"),
        ('{"topic":{"text":"x"},"docid":"11","grade":3}', "the topic is an object without an id; its keys are topic,"),
        ('{"topic":"A.1","docid":["11"],"grade":3}', "the document is an object without an id"),
        ('{"topic":"A.1","docid":1.5,"grade":3}', "the document 1.5 is no whole number: write ids in quotes"),
        ('{"topic":"A.1","grade":3,"answer":"accept"}', "the document is empty"),
        ('{"meta":{"topic":"A.1"},"accept":["3"],"answer":"accept"}', "no grade under a usual name; its keys are meta"),
        ("# of May\nq,d,g\nA.1,11,3\n", "file.txt:2: has no column for the topic"),
        ("q,d,g\nA.1,11,3\n", "its columns are q, d, g: name the right one"),
        ("WorkerId,Input.topic,Input.docid,Answer.rel.High,Answer.rel.Low\nw,A.1,11,true,true\n", "Answer.rel.Low: "),
        ('{"topic":"A.1\\u0000","docid":"11","grade":3}', "the topic contains a control character"),
        ('{"topic":"A.1","docid":"\\ud800","grade":3}', "the document contains a control character"),
        ('{"topic":"A.1","docid":"1","grade":3,"comment":"\\ud800"}', "the comment must be a text"),
        ('topic,docid,grade\nA.1,"11,3\n', "file.txt:2: a quote that begins a field does not end it"),
        ('topic,docid,grade\nA.1,"11"x,3\n', "file.txt:2: a quote that begins a field does not end it"),
        ("WorkerId,Input.topic,Input.doc1,Input.doc2,Answer.rel1\n7,B.1,f1,f2,1\n", "no column for the document"),
        ("topic,document,grade\nA.1,11,4\n", "file.txt:2: the grade must be 0 to 3, High"),
        ("topic,document,grade\nA.1,11,-1\n", "file.txt:2: the grade must be 0 to 3"),
        ("topic,document,grade\nA.1,11,maybe\n", "found 'maybe'"),
        ("topic,document,grade\n,11,1\n", "file.txt:2: the topic is empty"),
        ("topic,document,grade\nA.1,,1\n", "file.txt:2: the document is empty"),
        ("topic,document,grade\nA.1,11\n", "file.txt:2: expected 3 fields (topic, document, grade), found 2"),
        (
            "topic,document,grade\nA.1,11,1\nA.1,11,2\n",
            "file.txt:3: 11 in A.1 has another grade in line 2: if two people",
        ),
        ("topic,grade\nA.1,1\n", "file.txt:1: has no column for the document (such as docno or doc_id)"),
        ("topic,document,grade\n", "file.txt: holds no judgment"),
        ('{"topic": "A.1", "document": "11", "grade": true}\n', "found 'true'"),
        ('{"topic": "A.1", "document": ["11"], "grade": 1}\n{"topic"\n', "file.txt:2: is no JSON object"),
        ('[{"topic": "A.1"}]', "file.txt:1: is a JSON array; write one object a line"),
        ("A.1\t0\t11\t4\n", "file.txt:1: the grade must be 0 to 3, found 4"),
        ("", "file.txt: the file is empty"),
    ],
)
def test_a_bad_file_is_refused_with_line_reason_and_remedy(text: str, reason: str) -> None:
    assert reason in refusal(text)


names = st.text(
    st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zs", "Zl", "Zp"], exclude_characters="#"),
    min_size=1,
    max_size=8,
)
judgments = st.builds(SourceRow, names, names, st.integers(0, 3), st.just(""), names, st.text("ab \n,\"'=", max_size=9))


@given(st.lists(judgments, min_size=1, max_size=8, unique_by=lambda row: (row[0], row[1], row[4])))
def test_json_lines_and_csv_say_the_same(rows: list[SourceRow]) -> None:
    fields = ("topic", "document", "grade", "assessor", "comment")
    cells = [(row[0], row[1], row[2], row[4], row[5].strip()) for row in rows]
    target = io.StringIO()
    csv.writer(target).writerows([fields, *cells])
    lines = "\n".join(json.dumps(dict(zip(fields, row, strict=True))) for row in cells)
    expected = [row._replace(comment=row.comment.strip()) for row in rows]
    assert read(lines).rows == expected
    if not any(cell.startswith("'") for row in cells for cell in map(str, row)):  # of spreadsheets
        assert read(target.getvalue()).rows == expected


def test_grades_have_the_names_of_the_campaign_also_with_their_numbers() -> None:
    scale = Meanings({3: "Perfectly relevant", 2: "Highly relevant", 1: "Related", 0: "Not relevant"}, {"spam": "Junk"})
    texts = {
        **{"Highly Relevant (2)": 2, "Relevant (1)": 1, "perfectly-relevant": 3, "not_relevant": 0, "2.0": 2},
        **{"junk": None, "spam": None, "Do not know": None},
    }
    rows = read(json_lines(texts), meanings=scale).rows
    assert [row.grade for row in rows] == list(texts.values())
    assert [row.outcome for row in rows[-3:]] == ["spam", "spam", "do_not_know"]
    for wrong in ("High", "4", "Related (2)", "Related (7)"):
        expected = "0 to 3, Perfectly relevant, Highly relevant, Related, Not relevant or Junk"
        assert f"the grade must be {expected}, found '{wrong}'" in refusal(json_lines([wrong]), meanings=scale)


def json_lines(grades: Iterable[str]) -> str:
    return "".join(json.dumps({"topic": "1", "doc": f"d{n}", "grade": text}) + "\n" for n, text in enumerate(grades))


def found_in(text: str, meanings: Meanings) -> dict[str, int]:
    """The labels that a refused file is said to have."""
    with pytest.raises(BadInput) as caught:
        read(text, meanings=meanings)
    return dict(caught.value.found["labels"])


def test_labels_of_web_passages_are_read_and_none_is_guessed() -> None:
    lines = data_file("labs/passages/labels.tsv").read_text().splitlines(keepends=True)
    r6_and_r7 = ("agreement\tr6", "agreement\tr7")  # who gave many passages two labels in two lines
    text = "".join(line for line in lines if line.startswith(("round", "agreement")) and not line.startswith(r6_and_r7))
    scale = Meanings({3: "Perfectly relevant", 2: "Highly relevant", 1: "Related", 0: "Not relevant"}, {})
    both = "Not Relevant (0)|Relevant (1)"
    assert found_in(text, scale)[both] == 1
    file = read(text, meanings=scale._replace(labels={both: "-"}))
    assert Counter(row.labeller for row in file.rows) == {"r4": 187} | dict.fromkeys(
        ["r1", "r2", "r3", "r5", "r8"], 188
    )
    notes = [str(note).partition(": ")[2] for note in file.notes]
    assert notes.pop(0) == "columns that were not read: round"
    assert notes == [f"1 labelled {both!r} are left out", "754 without a grade are unjudged"]
    assert Counter(row.grade for row in file.rows) == {0: 498, 1: 256, 2: 247, 3: 126}
    assert "has another grade in line" in refusal("".join(lines), meanings=scale)
    main = read("".join(line for line in lines if line.startswith(("round", "main"))), meanings=scale)
    assert len(main.rows) == 9004


def test_grades_of_qrels_are_those_of_the_campaign_or_what_somebody_said_they_are() -> None:
    signed = Meanings({2: "Good", 1: "Fair", 0: "Bad", -2: "Spam"}, {})
    assert [row.grade for row in read("1 0 a 2\n1 0 b -2\n", meanings=signed).rows] == [2, -2]
    assert "the grade must be -2, 0, 1, 2, found 3" in refusal("1 0 a 3\n", meanings=signed)
    qrels = "1 0 a 4\n1 0 b 3\n1 0 c 3\n1 0 d -2\n1 0 e 0\n"
    scale = Meanings({2: "Good", 1: "Fair", 0: "Bad"}, {"spam": "Spam"}, {"4": "2", "3": "7"})
    assert found_in(qrels, scale) == {"4": 1, "3": 2, "-2": 1, "0": 1}
    rows = read(qrels, meanings=scale._replace(labels={"4": "2", "3": "1", "-2": "spam", "0": "-"})).rows
    assert [row[1:4] for row in rows] == [("a", 2, ""), ("b", 1, ""), ("c", 1, ""), ("d", None, "spam")]
    with pytest.raises(BadInput) as caught:
        read("1 0 a 4\n1 0 a 3\n", meanings=scale)
    assert not caught.value.found.get("labels")  # no meaning makes it readable


def test_a_column_of_texts_is_not_offered_as_labels() -> None:
    with pytest.raises(BadInput) as caught:
        read(json_lines(f"because of {number}" for number in range(60)))
    assert not caught.value.found.get("labels")
    assert read('{"topic": "1", "doc": "a", "label": []}\n{"topic": "1", "doc": "b", "label": ["3"]}').rows == [
        SourceRow("1", "b", 3)
    ]
