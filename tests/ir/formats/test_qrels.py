from io import BytesIO

import pytest

from assess.ir.common.problems import BadInput
from assess.ir.common.rows import Qrel
from assess.ir.formats.qrels import QrelsFile, read_qrels, write_qrels
from assess.ir.formats.run_columns import RunFormat
from tests.real import data_file


def read(text: str, run_format: RunFormat | None = None) -> QrelsFile:
    return read_qrels(BytesIO(text.encode()), "q.txt", run_format)


def refused(text: str, run_format: RunFormat | None = None) -> str:
    with pytest.raises(BadInput) as caught:
        read(text, run_format)
    return str(caught.value)


def test_tabs_spaces_crlf_bom_and_float_grades_are_read() -> None:
    three = [Qrel("A.1", "77", 2), Qrel("A.1", "78", 1), Qrel("A.2", "77", 0)]
    spaced, tabbed = read("\ufeffA.1 0 77 2\r\nA.1 0 78 1.0\r\nA.2\t0\t77\t0"), read("A.1\t0\t77\t2\n")
    assert (spaced.qrels, tabbed.qrels) == (three, three[:1])
    assert list(map(str, spaced.notes)) == [
        "q.txt:1: a byte order mark was skipped",
        "q.txt:1: spaces were read as tabs",
    ]


RUNS = ["A.1\t77\t1\t2.5\tr", "B.1\tq_1\t77\t1\t2.5\tr", "A.1 Q0 77 1 2.5 r", "A.1\t1\t2.5\tr\tx\tan answer"]


@pytest.mark.parametrize(
    "text",
    [
        "query-id\tcorpus-id\tscore\nA.1\t11\t3\nA.1\t12\t0\n",
        "iteration,relevance,qid,docno\n0,3,A.1,11\n0,0,A.1,12\n",
        "topic docid document grade\nA.1 11 x 3\nA.1 12 y 0\n",
        "# by two\nA.1\t0\t11\t3\n# and\nA.1\t0\t12\t0\n",
        'topic;document;grade\nA.1;"11";3\nA.1;12;0\n',
        "topic document iteration grade label\nA.1 11 0 3 High\nA.1 12 0 0 Not\n",
    ],
)
def test_columns_are_taken_by_name(text: str) -> None:
    assert read(text).qrels == [Qrel("A.1", "11", 3), Qrel("A.1", "12", 0)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("201 1 d1 1\n201 2 d1 1\n", "q.txt:2: the second column is not the same in all lines: it can be a subtopic"),
        ("A.1\t11\t3\t0\nA.1\t12\t0\t0\n", "can be the columns of ir_datasets (topic document grade iteration)"),
        ("topic document judge grade\nA.1 11 x 3\nA.1 11 y 2\n", "has a column of judges"),
        ("topic document rank grade\nA.1 11 1 3\n", "this looks like a run (columns topic, document, rank, grade)"),
        (
            "topic document note\nA.1 11 x\n",
            "has no column for the grade (such as grade or relevance); its columns are",
        ),
        ("topic doc_id docid grade\nA.1 11 12 1\n", "the columns doc_id and docid could both be the document"),
        ('{"A.1": {"11": 3}}', "this is JSON"),
        ("A.1 0 11 3 w1\nA.1 0 11 1 w2\n", "can be qrels with a fifth column (w1), or a run without its name"),
        ("A.1 ada 11 3\nA.1 emmy 11 1\n", "or who judged (topic assessor document grade)"),
        *((line, "rank and score); choose qrels: topic, 0, unit, grade") for line in RUNS),
    ],
)
def test_columns_that_can_be_others_are_refused_with_both_readings(text: str, reason: str) -> None:
    assert reason in refused(text)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("A.1\t77\t2", "expected 4 fields (topic, 0, unit, grade), found 3"),
        ("\t0\t77\t2", "the topic is empty"),
        ("A.1\t0\t\t2", "the unit is empty"),
        ("A.1\t0\t78\t1.5", "the grade must be a whole number, found '1.5'"),
        ("A.1\t0\t78\tnan", "the grade must be a whole number, found 'nan'"),
        ("A.1\t0\t78\t4", "the grade must be 0 to 3, found 4; leave unjudged units out"),
        ("A.1\t0\t78\t-1", "the grade must be 0 to 3, found -1; leave unjudged units out"),
        ("A.1\t0\t77\t3", "77 has grade 3 in A.1, but 2 in line 1: keep one"),
    ],
)
def test_a_bad_line_is_refused_with_its_number_and_reason(line: str, reason: str) -> None:
    assert refused(f"A.1\t0\t77\t2\n{line}\n") == f"q.txt:2: {reason}"


def test_a_repeated_line_with_the_same_grade_is_noted_and_counts_once() -> None:
    file = read("A.1\t0\t77\t2\nA.1\t0\t77\t2.0\nA.2\t0\t77\t3\n")
    assert file.qrels == [Qrel("A.1", "77", 2), Qrel("A.2", "77", 3)]
    assert [str(note) for note in file.notes] == ["q.txt:2: 1 repeated lines with the same grade"]


def test_in_task_3_5_and_6_are_outcomes_with_grade_0() -> None:
    file = read("A.1\t0\td_1\t5\nA.1\t0\td_2\t6\nA.1\t0\td_3\t3\n", "task3")
    assert file.qrels == [Qrel("A.1", "d_1", 0), Qrel("A.1", "d_2", 0), Qrel("A.1", "d_3", 3)]
    assert file.outcomes == {("A.1", "d_1"): "system_failure", ("A.1", "d_2"): "do_not_know"}
    assert refused("A.1\t0\td_1\t4\n", "task3") == "q.txt:1: the grade must be 0 to 3, 5 or 6, found 4"


def test_trec_qrels_have_any_whole_grade_and_minus_one_is_unjudged_unless_there_is_a_lower_one() -> None:
    file = read("301 0 FT-1 7\n301 0 FT-2 -1\n301 0 FT-3 0\n", "trec")
    assert file.qrels == [Qrel("301", "FT-1", 7), Qrel("301", "FT-3", 0)]
    assert str(file.notes[-1]) == "q.txt: 1 units with a negative grade are unjudged"
    file = read("301\t0\tFT-1\t3\n301\t0\tFT-2\t-1\n301\t0\tFT-3\t-2\n", "trec")
    assert ([qrel.grade for qrel in file.qrels], file.notes) == ([3, -1, -2], [])


def test_qrels_are_written_sorted_in_the_format_of_the_labs() -> None:
    text = "A.1\t0\t77\t2\nA.1\t0\t9\t0\nA.2\t0\t1\t3\n"
    assert write_qrels(read(text).qrels[::-1]) == text


def test_a_map_of_topics_and_formulas_is_not_qrels() -> None:
    path = data_file("malformed/topics-formula_ids-qrels.V1.1.tsv")
    with path.open("rb") as source, pytest.raises(BadInput, match=r"column 3 topic ids \(B\.1\)") as caught:
        read_qrels(source, "map.tsv", "trec")
    assert str(caught.value).startswith("map.tsv: column 1 holds formula ids (q_4)")
