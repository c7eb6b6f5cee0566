"""What is no run, and what is wrong with a run: the line, the true reason and the remedy."""

import re
import time
from io import BytesIO

import pytest

from assess.ir.common.problems import BadInput
from assess.ir.formats.run_columns import RunFormat
from assess.ir.formats.runs import read_run


def refused(text: str, run_format: RunFormat | None = None) -> str:
    with pytest.raises(BadInput) as caught:
        read_run(BytesIO(text.encode()), "x.tsv", run_format)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "run_format", "reason"),
    [
        ("A.1 x 77 1 9 team\nA.2 x 77 1 8 team\n", None, "can be read as task2 or trec; put a line above that names"),
        (
            "A.1\t1\t2\t3\tsources\t5\n",
            None,
            "task2 or task3; put a line above that names the columns (task1: topic document",
        ),
        ("A.1\t77\t0.75\t1\tt\nA.1\t78\t0.5\t2\tt\n", None, "rank must be a whole number, found '0.75'"),
        ("topic doc_id docid rank score run\nA.1 7 8 1 2 t\n", None, "x.tsv:1: the columns doc_id and docid could"),
        ("topic document rank run note x\nA.1 7 8 1 2 t\n", None, "x.tsv:1: has no column for the score (such as"),
        (
            "topic passage rank score run x\nA.1 7 8 1 2 t\n",
            None,
            "document (such as docno or doc_id); its columns are topic, passage, rank, score, run, x: rename the right",
        ),
        ("A.1\t77\t1\t0.75\tteam\nA.1 78 2 0.5 team\n", None, "x.tsv:2: expected 5 fields"),
        ('A.1\t1\t1\tt\ts\t"one\nA.2\t1\t1\tt\ts\ttwo"\n', None, "ends in line 2, after other rows"),
        ('{"A.1": {"11": 9.5}}', None, "this is JSON; save it as a table"),
        ("PAR1\0\1", None, "this is Parquet; save it as a table"),
        ("%PDF-1.4\n1 0 obj\n", None, "this is a PDF"),
        ("hello", None, "has one column; separate fields by tabs, spaces, commas or semicolons"),
        ("<!DOCTYPE html>\n<html><body>Sign in", None, "this is a web page"),
        ("A.1;11;1;9,5;t\n", None, "the score must be a finite number, found '9,5': write 9.5"),
        ('A.1,"11,1,9.5,t\n', None, "x.tsv:1: a quote that begins a field does not end it"),
        ("A.1 Q0 11 1 9,5 t\n", None, "the score must be a finite number, found '9,5': write 9.5"),
        ("A.1 Q0 11 1 9,5\n", None, "without the name of the run"),
        ("A.1 Q0 11 9.5 t\nA.1 Q0 12 8 t\n", None, "a TREC run without ranks (topic Q0 document score run)"),
        ("\nA.1\t7\t1\t0.5\n", None, "x.tsv:2: found 4 columns, but a run has one of"),
        ("A.1 7 9\n", None, "task1: topic document rank score run; task2:"),
        ("A.1\t7\t3\n", None, "qrels (topic, document, grade)"),
        ("A.1 0 7 2\n", None, "qrels (topic, 0, document, grade)"),
        ("B.1\t9\t\t1\t1\tt\n", "task2", "x.tsv:1: the post"),
        ("A.1\t1\t1\tt\ts\tone\nA.2\t1\t1\tt\ts\tone\nA.1\t1\t1\tt\ts\ttwo\n", None, "x.tsv:3: a second answer to A.1"),
        (f"A.1\t1\t1\tt\ts\t{'ß' * 1201}\n", None, "1,201 characters, at most 1,200 "),
        ("A.1\t1\t1\tt\ts\t \n", None, "x.tsv:1: the answer"),
        ('A.1\t1\t1\tt\ts\t"one\ntwo"\nA.2\tx\t1\tt\ts\tthree\n', "task3", "x.tsv:3: the rank must be"),
        (f"A.1 Q0 {'x' * 201} 1 9.5 t\n", None, "the document has 201 characters, at most 200"),
        (f"A.1\ty\t{'9' * 20}\t1\tt\n", None, "the rank"),  # does not fit into 64 bits
        ("\n \n", None, "x.tsv: the file is empty"),
    ],
)
def test_another_file_is_refused_with_its_reason(text: str, run_format: RunFormat | None, reason: str) -> None:
    assert reason in refused(text, run_format)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("A.1\t7\t1\t0.5", r"\(topic, document, rank, score, run\), found 4"),
        ("A.1\t7\t1\t0.5\tt\tx", r"\(topic, document, rank, score, run\), found 6"),
        ("A.1\t7\t1\tnan\tt", "score .* 'nan'"),
        ("A.1\t7\t1\t-inf\tt", "score .* '-inf'"),
        ("A.1\t7\t1\t1_0\tt", "score .* '1_0'"),
        ("A.1\t7\t1\thigh\tt", "score .* 'high'"),
        ("A.1\t7\t1.5\t1\tt", "rank .* '1.5'"),
        ("A.1\t7\t\t1\tt", "rank .* ''"),
        ("\t7\t1\t1\tt", "topic is empty"),
        ("A.1\t \t1\t1\tt", "document is empty"),
        ("A.1\t7\0\t1\t1\tt", "contains a NUL"),
        ("A.1\t7\r7\t1\t1\tt", "the document contains a control character"),
    ],
)
def test_a_bad_line_is_refused_with_its_number_and_reason(line: str, reason: str) -> None:
    assert re.match(rf"x\.tsv:2: .*{reason}", refused(f"A.1\t1\t1\t1\tt\n{line}\n", "task1"))


def test_bad_lines_are_reported_together_and_nothing_is_read() -> None:
    text = "A.1\t1\t1\t1\tt\n" + "A.1\t2\tx\ty\tt\n" * 15
    problems = refused(text).splitlines()
    assert re.match(r"x\.tsv:2: .*rank .* 'x'", problems[0])
    assert re.match(r"x\.tsv:2: .*score .* 'y'", problems[1])
    assert [problem.split("(")[-1] for problem in problems] == ["15 times: lines 2, 3, 4, …)"] * 2


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('<?xml version="1.0"?>\n<Topics>\n' + "<Topic/>\n" * 30, 'XML: <?xml version="1.0"?>'),
        ("A.1\t0\t77\t3\n" * 30, "qrels"),
        ("A.1 Q0 77 3\n", "qrels"),
        ("id\tpost_id\tthread_id\ttype\tvisual_id\tformula\n1\t2\t1\tanswer\t7\tx\n", "formula index"),
    ],
)
@pytest.mark.parametrize("run_format", [None, "task1"])
def test_another_kind_of_file_is_one_problem_and_named(text: str, kind: str, run_format: RunFormat | None) -> None:
    [problem] = refused(text, run_format).splitlines()
    assert problem.startswith("x.tsv:1: ")
    assert kind in problem


def test_what_shows_only_in_later_lines_or_other_formats_is_refused_with_the_true_reason() -> None:
    problems = refused("A.1\t0\t77\t3\n" + "A.1\t0\t77\tteam\n" * 24, "task1").splitlines()
    assert "(topic, document, rank, score, run), found 4 (25 times" in problems[0]
    assert len(problems) == 1
    lines = [f"A.1 Q0 {place} {place} {200 - place} t" for place in range(150)]
    lines[120] = lines[120].replace("Q0", "Q1")
    assert refused("\n".join(lines)).startswith("x.tsv:121: the second column is Q0 in the first lines, but Q1 here")
    with pytest.raises(BadInput, match=r"has this format: trec: topic Q0 document rank score run$"):
        read_run(BytesIO(b"A.1 7 9\n"), "x.tsv", None, {"trec"})


def test_a_line_of_many_tabs_is_refused_at_once() -> None:
    begin = time.process_time()
    with pytest.raises(BadInput, match="found 300006"):
        read_run(BytesIO(b"B.1\t110\t11\t1\t" + b"\t" * 300_000 + b"9\trun\n" + b"B.1\t111\t11\t2\t8\trun\n" * 2), "r")
    assert time.process_time() - begin < 5  # by columns it took twenty
