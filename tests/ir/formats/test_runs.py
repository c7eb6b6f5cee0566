from collections.abc import Callable
from io import BytesIO
from typing import Any

import polars.testing
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.ir.common.problems import BadInput
from assess.ir.common.rows import RunLine
from assess.ir.formats.run_columns import RunFormat
from assess.ir.formats.runs import RunFile, read_columns, read_lines, read_run, run_names, written_id
from tests.ir.formats.test_refused_runs import refused


def read(text: str, run_format: RunFormat | None = None) -> RunFile:
    return read_run(BytesIO(text.encode()), "x.tsv", run_format)


def as_run_lines(file: RunFile) -> list[RunLine]:
    return list(map(RunLine._make, file.lines.iter_rows()))


def notes(text: str, run_format: RunFormat | None = None) -> list[str]:
    return [str(note) for note in read(text, run_format).notes]


@pytest.mark.parametrize("constant", ["Q1", "1", "xxx", "iter", "ITER0", "Q0"])
def test_trec_may_have_any_constant_in_its_second_column(constant: str) -> None:
    file = read(f"A.1 {constant} 77 1 9 team\nA.1 {constant} 78 2 8 team\n")
    assert (file.format, [line.doc_id for line in as_run_lines(file)], file.notes) == ("trec", ["77", "78"], [])


@pytest.mark.parametrize(
    ("text", "run_format"),
    [
        ("B.1\t5\t77\t1\t9\tteam\nB.1\t6\t77\t2\t8\tteam\n", "task2"),  # formulas of one post
        ("A.1 5 77 1 9 team\nA.2 5 77 1 8 team\n", "task2"),
        ("B.1\t1\t7\t1\t9\tteam\nB.1\t22\t7\t2\t8\tteam\n", "task2"),  # formula 1, not rank 1 of Task 3
        ("A.1 7 11 1 9.5\nA.1 8 12 2 8.5\n", "task1"),
        ("topic\tscore\tformula_id\tpost_id\trun\nB.1\t0.5\t9\t77\tt\n", "task2"),
        (f"A.1\t1\t1\tt\ts\t{'ß' * 1200}\n", "task3"),
    ],
)
def test_files_that_could_be_taken_for_others_have_the_right_format(text: str, run_format: RunFormat) -> None:
    assert read(text).format == run_format


TWO = [("A.1", "77", 1, 0.75, "team"), ("A.1", "78", 2, 0.5, "team")]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("A.1,77,1,0.75,team\nA.1,78,2,0.5,team\n", "commas were read as tabs"),
        ('"A.1", "77", 1, 0.75, "team"\n"A.1","78",2,0.5,team\n', "commas were read as tabs"),
        ('"A.1"\t"77"\t1\t0.75\t"team"\n"A.1"\t"78"\t2\t0.5\t"team"\n', ""),
        ("topic\tdoc\trank\tscore\trun\nA.1\t77\t1\t0.75\tteam\nA.1\t78\t2\t0.5\tteam\n", ""),
        ("Topic_ID,Post_Id,Rank,Score,Run\nA.1,77,1,0.75,team\nA.1,78,2,0.5,team\n", "commas were read"),
        ("score;run;document;qid;rank\n0.75;team;77;A.1;1\n0.5;team;78;A.1;2\n", "semicolons were read"),
        ("A.1\t77\t1.0\t0.75\tteam\nA.1\t78\t2.0\t0.5\tteam\n", "ranks such as 1.0 were read as whole numbers"),
        ("A.1\t77\t1\t0.75\tteam\rA.1\t78\t2\t0.5\tteam\r", ""),
        ("\ufeffA.1\t77\t1\t0.75\tteam\n\ufeffA.1\t78\t2\t0.5\tteam\n", "x.tsv:2: invisible characters"),
        ("A.1\t77\u00a0\t1\t0.75\tteam\nA.1\t\u200b78\t2\t0.5\tteam\n", "x.tsv:1: invisible characters"),
        (
            "# a\nA.1\t77\t1\t0.75\tteam\n\ufeff # b\nA.1\t78\t2\t0.5\tteam\n",
            "x.tsv:1: 2 comment lines (#) were skipped",
        ),
        ("A.1\t77\t1\t0.75\tteam\n#A.1\t79\t1\t0.6\tteam\nA.1\t78\t2\t0.5\tteam\n", "x.tsv:2: 1 comment lines (#)"),
        ("<SYSDESC>BM25\nand more</SYSDESC>\nA.1 77 1 0.75 team\nA.1 78 2 0.5 team\n", "x.tsv:1: 2 lines of a system"),
    ],
)
def test_what_people_make_of_a_run_is_read_and_noted(text: str, note: str) -> None:
    file = read(text)
    rows = [(line.topic_id, line.doc_id, line.rank, line.score, line.tag) for line in as_run_lines(file)]
    assert (file.format, rows) == ("task1", TWO)
    assert note in " ".join(str(each) for each in file.notes)
    assert len(file.notes) <= 2


def test_ranks_that_run_against_the_scores_are_told_and_constant_ones_set_no_order() -> None:
    against = "A.1 Q0 7 1 0.1 t\nA.1 Q0 8 2 0.2 t\nA.2 Q0 7 1 0.5 t\n"
    assert any("the ranks run against the scores" in note for note in notes(against))
    assert not any("run against" in note for note in notes(against + "A.2 Q0 8 2 0.4 t\n"))
    constant = read("A.2 Q0 7 1 0.1 t\nA.1 Q0 7 0 0.1 t\nA.1 Q0 8 0 0.2 t\n")
    assert constant.ranking("score", "x")["doc_id"].to_list() == ["8", "7", "7"]
    with pytest.raises(BadInput, match=r"x: all ranks of A\.1 are the same, so they set no order: order by score"):
        constant.ranking("rank", "x")


@pytest.mark.parametrize("second", ["Q0", "0", "1", "iter"])
def test_a_trec_run_without_its_name_has_two_readings(second: str) -> None:
    text = f"A.1 {second} 11 1 9.5\nA.1 {second} 12 2 8.5\n"
    assert f"without the name of the run (topic {second} document rank score), or a run of Task 1" in refused(text)
    both = read(f"topic Q0 document rank score\n{text}"), read(f"topic document rank score run\n{text}")
    assert [sorted(set(file.lines["doc_id"])) for file in both] == [["11", "12"], [second]]
    assert read(text, "task1").tag == "9.5"


def test_an_answer_in_csv_quotes_has_the_id_of_one_without() -> None:
    text = 'A.1\t1\t1\tt\ts\t"We call a set ""open"".\n\nIt has two lines."\nA.2\t1\t1\tt\ts\tno quotes\n'
    first, second = as_run_lines(read(text))
    assert (first.text, second.text) == ('We call a set "open".\n\nIt has two lines.', "no quotes")
    assert first.doc_id == written_id("A.1", 'We call a set "open". It has two lines.')
    middle = 'topic\tanswer\trank\tscore\trun\tsources\nA.1\t"Say\n""x""\nthen"\t1\t1\tt\ts\nA.2\t"a\t1\t1\tt\ts\n'
    assert [line.text for line in as_run_lines(read(middle))] == ['Say\n"x"\nthen', '"a']
    for literal in ('"Open" is "closed"', '"A quote that never closes', 'a "word"'):
        assert as_run_lines(read(f"A.1\t1\t1\tt\ts\t{literal}\n"))[0].text == literal


@pytest.mark.parametrize(
    ("text", "run_format", "line"),
    [
        ("A.1 xxx 77 1 9 team\n", "trec", RunLine("A.1", "77", 1, 9, "team")),
        ("A.1\t1\t2\t3\tsources\t5\n", "task3", RunLine("A.1", written_id("A.1", "5"), 1, 2, "3", text="5")),
        ("A.1\t77\t1\t2\tt\nA.1\t78\t2\t1\tt\n", None, RunLine("A.1", "77", 1, 2, "t")),  # scores are no ranks
        ("A.1 Q0 a,b,c 1 2.5 t\n", None, RunLine("A.1", "a,b,c", 1, 2.5, "t")),
        (f"NTCIR12-MathWiki-1 1 {'x' * 200} 1 9.5 t\n", "trec", RunLine("NTCIR12-MathWiki-1", "x" * 200, 1, 9.5, "t")),
        ('A.1\t"77\t1\t0.5\t"my" run\n', None, RunLine("A.1", '"77', 1, 0.5, '"my" run')),
        ("topic\tscore\tformula_id\tpost_id\trun\nB.1\t0.5\t9\t77\tt\n", None, RunLine("B.1", "9", 0, 0.5, "t", "77")),
        ("qid,docid,docno,rank,score,query\nA.1,0,11,0,9.5,sum of x\n", None, RunLine("A.1", "11", 0, 9.5)),
        (
            'A.301\t1\t0.9\tteam\tsource 1; 2\tBy "parts":  $x=1$\n',
            "task3",
            RunLine("A.301", written_id("A.301", 'By "parts": $x=1$'), 1, 0.9, "team", text='By "parts":  $x=1$'),
        ),
        ("topic\trank\tscore\trun\tsources\tanswer\nA.1\t1\t1\tt\ts\tBy parts.\n", None,
         RunLine("A.1", written_id("A.1", "By parts."), 1, 1, "t", text="By parts.")),
    ],
)  # fmt: skip
def test_a_line_is_read_as_it_is_meant(text: str, run_format: RunFormat | None, line: RunLine) -> None:
    assert as_run_lines(read(text, run_format))[0] == line


def test_the_id_of_an_answer_depends_on_topic_and_text_but_not_on_white_space() -> None:
    assert written_id("A.1", " x  = 1\u00a0") == written_id("A.1", "x = 1")
    assert len({written_id("A.1", "x"), written_id("A.2", "x"), written_id("A.1", "X")}) == 3
    assert written_id("A.1", "x") == "d_ce03936822"


def test_bom_crlf_spaces_a_missing_final_newline_and_empty_lines_are_read() -> None:
    text = "\ufeffA.1 77 1 0.5 team\r\n\r\nA.1\t78\t2\t0.25\tteam"
    assert [line.doc_id for line in as_run_lines(read(text))] == ["77", "78"]
    assert as_run_lines(read(text))[0].topic_id == "A.1"
    assert [note.rsplit(" ", 3)[0] for note in notes(text)] == ["x.tsv:1: a byte order", "x.tsv:1: spaces were"]


def test_ranks_with_gaps_and_from_zero_constant_and_negative_scores_and_any_order_of_topics_are_read() -> None:
    file = read("A.2\tx\t0\t-1e3\tt\nA.1\ty\t7\t-1e3\tt\nA.2\tz\t3\t-1000.0\tt\n")
    lines = [(line.topic_id, line.rank, line.score) for line in as_run_lines(file)]
    assert (lines, file.notes) == ([("A.2", 0, -1000), ("A.1", 7, -1000), ("A.2", 3, -1000)], [])


def test_what_will_not_count_is_noted() -> None:
    text = "A.1\t7\t1\t3\tt\nA.1\t7\t2\t2\tt\nA.2\t7\t1\t1\tt\nA.1\t7\t3\t1\tt\n"
    assert [note.split(" ")[:3] for note in notes(text)] == [["x.tsv:2:", "2", "repeated"]]
    assert len(read(text).lines) == 4  # the order drops them
    lines = "".join(f"A.1\t{place}\t{place}\t1\tt\n" for place in range(1001))
    [note] = notes(lines)
    assert note.startswith("x.tsv: A.1 has 1,001")
    [note] = notes(lines.replace("A.1\t7\t", "A.1\t8\t"))
    assert note.startswith("x.tsv:9: 1 repeated")
    text = "A.1\t7\t1\t3\tb\nA.1\t8\t2\t2\ta\n"
    assert (read(text).tag, "2 run names (a, b)" in notes(text)[0]) == ("b", True)
    assert any("there are no ranks" in note for note in notes("topic doc score\nA.1 7 2.5\nA.1 8 1\n"))


def test_a_run_is_named_by_its_tag_or_by_its_file_if_tags_collide() -> None:
    assert run_names([("a", "x"), ("b", "y"), ("a", "z"), ("", "w")]) == ["x", "b", "z", "w"]
    with pytest.raises(BadInput, match="x: 2 runs"):
        run_names([("a", "x"), ("a", "x")])
    with pytest.raises(BadInput, match="b: 2 runs"):
        run_names([("a", "b"), ("a", "x"), ("b", "y")])


SIGNS = st.sampled_from(
    ["A.1", "7", "-3", "0.5", "1e3", "", " ", "x y", "nan", "1_0", "+2", "é", "\u00a0", '"', "\r", "9" * 20, "y" * 41]
)
GOOD = st.tuples(
    st.sampled_from(["A.1", "A.2"]),
    st.sampled_from(["7", "8", "x"]),
    st.sampled_from(["0", "1", "-5"]),
    st.sampled_from(["1", "0.25", "-1e3", ".5", "1e-320", "0.1000000000000000055511151231257827"]),
    st.sampled_from(["t", "u"]),
).map(list)
ROWS = st.lists(GOOD, min_size=1, max_size=6) | st.lists(GOOD | st.lists(SIGNS, min_size=3, max_size=7), min_size=1)


def result(read: Callable[[], RunFile | None]) -> Any:
    """The run, or why it was refused."""
    try:
        return read()
    except BadInput as error:
        return str(error)


@given(ROWS, st.sampled_from(["\t", " "]), st.sampled_from(["\n", "\r\n", "\n\n"]))
def test_reading_by_columns_gives_same_as_reading_by_lines(rows: list[list[str]], separator: str, ending: str) -> None:
    data = "".join(separator.join(row) + ending for row in rows).encode()
    fast = result(lambda: read_columns(data, "x.tsv", "task1"))
    if fast is None:  # to be read by lines
        return
    slow = result(lambda: read_lines(BytesIO(data), "x.tsv", "task1"))
    if isinstance(fast, str):
        assert fast == slow
        return
    assert (fast.format, fast.tag, fast.notes) == (slow.format, slow.tag, slow.notes)
    polars.testing.assert_frame_equal(fast.lines, slow.lines, check_exact=True)


def test_a_clean_file_is_read_by_columns() -> None:
    assert read_columns(b"A.1\t7\t1\t0.5\tt\r\nA.1\t8\t2\t-1e3\tt", "x.tsv", None) is not None
    assert read_columns(b"A.1 Q0 7 1 0.5 t\n", "x.tsv", None) is not None
