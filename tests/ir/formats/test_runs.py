from io import BytesIO

import polars.testing
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.ir.common.problems import BadInput
from assess.ir.common.rows import RunLine
from assess.ir.formats.runs import read_columns, read_lines, read_run, run_names, written_id
from tests.real import data_file


def read(text, run_format=None):
    return read_run(BytesIO(text.encode()), "x.tsv", run_format)


def as_run_lines(found):
    return list(map(RunLine._make, found.lines.iter_rows()))


def refused(text, run_format=None):
    with pytest.raises(BadInput) as caught:
        read(text, run_format)
    return str(caught.value)


def notes(text, run_format=None):
    return [str(note) for note in read(text, run_format).notes]


def test_task_1_has_five_columns():
    found = read("A.1\t77\t1\t0.5\tteam\n")
    assert (found.format, found.tag, found.notes) == ("task1", "team", [])
    assert as_run_lines(found) == [RunLine("A.1", "77", 1, 0.5, "team")]


def test_task_2_has_a_formula_and_its_post():
    found = read("B.1\t10159237\t1075828\t1\t0.075\tteam\n")
    assert (found.format, as_run_lines(found)) == ("task2", [RunLine("B.1", "10159237", 1, 0.075, "team", "1075828")])


def test_trec_has_q0_in_its_second_column():
    found = read("A.1 Q0 77 1 0.5 team\n")
    assert (found.format, as_run_lines(found)) == ("trec", [RunLine("A.1", "77", 1, 0.5, "team")])


def test_trec_may_have_a_0_in_its_second_column():
    assert read("A.1\t0\t77\t1\t0.5\tteam\n").format == "trec"


def test_task_3_has_one_answer_with_a_unit_made_of_its_text():
    found = read('A.301\t1\t0.9\tteam\tsource 1; 2\tBy "parts":  $x=1$\n')
    unit = written_id("A.301", 'By "parts": $x=1$')
    assert found.format == "task3"
    assert as_run_lines(found) == [RunLine("A.301", unit, 1, 0.9, "team", text='By "parts":  $x=1$')]


def test_the_same_answer_of_two_teams_is_one_unit_for_a_topic_white_space_apart():
    assert written_id("A.1", " x  = 1\u00a0") == written_id("A.1", "x = 1")
    assert len({written_id("A.1", "x"), written_id("A.2", "x"), written_id("A.1", "X")}) == 3
    assert written_id("A.1", "x") == "d_ce03936822"


def test_a_formula_with_id_1_does_not_make_a_task_2_run_one_of_task_3():
    assert read("B.1\t1\t7\t1\t9\tteam\nB.1\t22\t7\t2\t8\tteam\n").format == "task2"


def test_a_format_that_cannot_be_told_must_be_named():
    line = "A.1\t1\t2\t3\tsources\t5\n"  # formula 1 in post 2, or rank 1 with score 2
    assert "cannot be told from the 6 columns; name the format (task1: topic document rank score run;" in refused(line)
    assert as_run_lines(read(line, "task3"))[0].text == "5"


def test_a_file_with_other_columns_is_refused_with_those_of_the_formats():
    expected = (
        "x.tsv:2: found 4 columns, but a run has one of these formats: task1: topic document rank score run; task2:"
    )
    assert refused("\nA.1\t7\t1\t0.5\n").startswith(expected)
    assert refused("A.1 7 9\n").startswith("x.tsv:1: found 3 columns, but")


@pytest.mark.parametrize(
    ("line", "columns"), [("A.1\t7\t3\n", "topic, document"), ("A.1 0 7 2\n", "topic, 0, document")]
)
def test_qrels_are_told_from_a_run(line, columns):
    assert refused(line).startswith(f"x.tsv:1: this looks like qrels ({columns}, grade); choose a run")


def test_a_damaged_file_of_the_lab_is_told_to_be_qrels():
    text = data_file("malformed/2020_qrels_task1_rm.tsv").read_text()
    assert refused(text).startswith("x.tsv:1: this looks like qrels (topic, document, grade)")


def test_bom_crlf_spaces_a_missing_final_newline_and_empty_lines_are_read():
    text = "\ufeffA.1 77 1 0.5 team\r\n\r\nA.1\t78\t2\t0.25\tteam"
    assert [line.doc_id for line in as_run_lines(read(text))] == ["77", "78"]
    assert as_run_lines(read(text))[0].topic_id == "A.1"
    assert notes(text) == ["x.tsv:1: a byte order mark was skipped", "x.tsv:1: spaces were read as tabs"]


def test_ranks_with_gaps_and_from_zero_constant_and_negative_scores_and_any_order_of_topics_are_read():
    text = "A.2\tx\t0\t-1e3\tt\nA.1\ty\t7\t-1e3\tt\nA.2\tz\t3\t-1000.0\tt\n"
    found = read(text)
    assert [(line.topic_id, line.rank, line.score) for line in as_run_lines(found)] == [
        ("A.2", 0, -1000),
        ("A.1", 7, -1000),
        ("A.2", 3, -1000),
    ]
    assert found.notes == []


def test_double_quotes_are_part_of_a_field():
    assert as_run_lines(read('A.1\t"77\t1\t0.5\t"my" run\n')) == [RunLine("A.1", '"77', 1, 0.5, '"my" run')]


def test_repeated_documents_are_noted_and_kept_for_the_order_to_drop():
    text = "A.1\t7\t1\t3\tt\nA.1\t7\t2\t2\tt\nA.2\t7\t1\t1\tt\nA.1\t7\t3\t1\tt\n"
    assert notes(text) == ["x.tsv:2: 2 repeated documents: the first line of each in its topic counts"]
    assert len(read(text).lines) == 4


def test_more_than_a_thousand_documents_are_noted():
    lines = "".join(f"A.1\t{place}\t{place}\t1\tt\n" for place in range(1001))
    assert notes(lines) == ["x.tsv: A.1 has 1,001 documents: the first 1,000 count"]
    assert notes(lines.replace("A.1\t7\t", "A.1\t8\t")) == [
        "x.tsv:9: 1 repeated documents: the first line of each in its topic counts"
    ]


def test_several_run_names_are_noted_and_the_first_is_taken():
    text = "A.1\t7\t1\t3\tb\nA.1\t8\t2\t2\ta\n"
    assert read(text).tag == "b"
    assert notes(text) == ["x.tsv: 2 run names (a, b): the one of the first line is taken"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("A.1\t7\t1\t0.5", "expected 5 fields (topic, document, rank, score, run), found 4"),
        ("A.1\t7\t1\t0.5\tt\tx", "expected 5 fields (topic, document, rank, score, run), found 6"),
        ("A.1\t7\t1\tnan\tt", "the score must be a finite number, found 'nan'"),
        ("A.1\t7\t1\t-inf\tt", "the score must be a finite number, found '-inf'"),
        ("A.1\t7\t1\t1_0\tt", "the score must be a finite number, found '1_0'"),
        ("A.1\t7\t1\thigh\tt", "the score must be a finite number, found 'high'"),
        ("A.1\t7\t1.5\t1\tt", "the rank must be a whole number, found '1.5'"),
        ("A.1\t7\t\t1\tt", "the rank must be a whole number, found ''"),
        ("\t7\t1\t1\tt", "the topic is empty"),
        ("A.1\t \t1\t1\tt", "the document is empty"),
        ("A.1\t7\0\t1\t1\tt", "the document holds a NUL character"),
    ],
)
def test_a_bad_line_is_refused_with_its_number_and_reason(line, reason):
    assert refused(f"A.1\t1\t1\t1\tt\n{line}\n", "task1") == f"x.tsv:2: {reason}"


def test_bad_lines_are_told_together_and_nothing_is_kept():
    text = "A.1\t1\t1\t1\tt\n" + "A.1\t2\tx\ty\tt\n" * 15
    said = refused(text).splitlines()
    assert said[0] == "x.tsv:2: the rank must be a whole number, found 'x'"
    assert said[1] == "x.tsv:2: the score must be a finite number, found 'y'"
    assert (len(said), said[-1]) == (21, "… and 10 more problems")


def test_a_formula_needs_its_post():
    assert refused("B.1\t9\t\t1\t1\tt\n", "task2") == "x.tsv:1: the post is empty"


def test_a_second_written_answer_to_a_topic_is_refused():
    text = "A.1\t1\t1\tt\ts\tone\nA.2\t1\t1\tt\ts\tone\nA.1\t1\t1\tt\ts\ttwo\n"
    assert refused(text) == "x.tsv:3: a second answer to A.1 (the first is in line 1): keep one"


def test_a_written_answer_has_at_most_1200_characters_and_is_not_empty():
    assert read(f"A.1\t1\t1\tt\ts\t{'ß' * 1200}\n").format == "task3"
    assert refused(f"A.1\t1\t1\tt\ts\t{'ß' * 1201}\n").endswith("has 1,201 characters, at most 1,200 are allowed")
    assert refused("A.1\t1\t1\tt\ts\t \n") == "x.tsv:1: the answer is empty"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('<?xml version="1.0"?>\n<Topics>\n' + "<Topic/>\n" * 30, 'x.tsv:1: this is XML: <?xml version="1.0"?> …'),
        ("A.1\t0\t77\t3\n" * 30, "x.tsv:1: this looks like qrels"),
        ("A.1 Q0 77 3\n", "x.tsv:1: this looks like qrels"),
        (
            "id\tpost_id\tthread_id\ttype\tvisual_id\tformula\n1\t2\t1\tanswer\t7\tx\n",
            "x.tsv:1: this looks like an index",
        ),
    ],
)
@pytest.mark.parametrize("run_format", [None, "task1"])
def test_another_kind_of_file_is_one_problem_that_says_what_it_is(text, reason, run_format):
    assert refused(text, run_format).startswith(reason)
    assert len(refused(text, run_format).splitlines()) == 1


def test_four_columns_of_which_one_is_no_grade_are_no_qrels():
    problems = refused("A.1\t0\t77\t3\n" + "A.1\t0\t77\tteam\n" * 24, "task1").splitlines()
    assert problems[0] == "x.tsv:1: expected 5 fields (topic, document, rank, score, run), found 4"
    assert len(problems) == 21  # the first twenty, and how many more


def test_an_empty_file_is_refused():
    assert refused("\n \n") == "x.tsv: the file is empty"


def test_a_run_is_named_by_its_tag_or_its_stem_where_tags_collide():
    assert run_names([("a", "x"), ("b", "y"), ("a", "z"), ("", "w")]) == ["x", "b", "z", "w"]
    with pytest.raises(BadInput, match="x: 2 runs have this name"):
        run_names([("a", "x"), ("a", "x")])
    with pytest.raises(BadInput, match="b: 2 runs have this name"):
        run_names([("a", "b"), ("a", "x"), ("b", "y")])


@pytest.mark.parametrize(
    ("path", "run_format", "tag", "count"),
    [
        ("runs/arqmath1-task1-ensembles/ensemble-task1.tsv", "task1", "Run_Ensemble_0", 98_000),
        ("runs/arqmath1-task1-ensembles/ensemble-task2.tsv", "task2", "Run_Ensemble_0", 85_000),
        ("runs/arqmath1-task1/psu-task1-auto-both-A.full.tsv", "trec", "mlt_base", 98_000),
        ("runs/arqmath1-task1/Linked_MSE.tsv", "trec", "MSE", 768),
    ],
)
def test_the_runs_of_the_lab_are_read_whole(path, run_format, tag, count):
    with data_file(path).open("rb") as source:
        found = read_run(source, path)
    assert (found.format, found.tag, len(found.lines), found.notes) == (run_format, tag, count, [])


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


def said(reader, *arguments):
    """The run, or why it was refused."""
    try:
        return reader(*arguments)
    except BadInput as error:
        return str(error)


@given(ROWS, st.sampled_from(["\t", " "]), st.sampled_from(["\n", "\r\n", "\n\n"]))
def test_reading_by_columns_gives_what_reading_line_by_line_gives(rows, separator, ending):
    """... or leaves the file to the other."""
    data = "".join(separator.join(row) + ending for row in rows).encode()
    found = said(read_columns, data, "x.tsv", "task1")
    if found is None:
        return
    slow = said(read_lines, BytesIO(data), "x.tsv", "task1")
    if isinstance(found, str):
        assert found == slow
        return
    assert (found.format, found.tag, found.notes) == (slow.format, slow.tag, slow.notes)
    polars.testing.assert_frame_equal(found.lines, slow.lines, check_exact=True)


def test_a_file_without_quirks_is_read_by_columns():
    assert read_columns(b"A.1\t7\t1\t0.5\tt\r\nA.1\t8\t2\t-1e3\tt", "x.tsv", None) is not None
    assert read_columns(b"A.1 Q0 7 1 0.5 t\n", "x.tsv", None) is not None


def test_an_id_is_at_most_forty_characters_long():
    assert "the document has 41 characters, at most 40 are allowed" in refused(f"A.1\t{'y' * 41}\t1\t1\tt\n")
    assert "the rank must be a whole number" in refused(f"A.1\ty\t{'9' * 20}\t1\tt\n")
