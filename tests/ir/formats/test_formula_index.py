"""The formula index in its versions and their ways of quoting."""

from collections import Counter
from io import BytesIO

import pytest

from assess.ir.common.problems import BadInput
from assess.ir.common.rows import FormulaRow
from tests.ir.formats.readers import iter_formulas
from tests.real import data_file

V1 = "id\tpost_id\tthread_id\ttype\tformula"
V2 = "id\tpost_id\tthread_id\ttype\tvisual_id\tformula"
V3 = "id\tpost_id\tthread_id\ttype\tcomment_id\told_visual_id\tvisual_id\tissue\tformula"


def read(*lines: str, end: str = "\n") -> list[FormulaRow]:
    return list(iter_formulas(BytesIO((end.join(lines) + end).encode()), "formulas.tsv"))


def latex(*fields: str) -> list[str]:
    """The LaTeX read from a V1 file with these last fields."""
    return [row.latex for row in read(V1, *(f"{n}\t2\t3\tanswer\t{field}" for n, field in enumerate(fields)))]


def test_columns_are_identified_by_name_in_each_version() -> None:
    assert read(V1, "1\t2\t3\tanswer\tx") == [FormulaRow("1", "2", "3", "answer", "", "x")]
    assert read(V2, "1\t2\t3\ttitle\t9\tx", end="\r\n") == [FormulaRow("1", "2", "3", "title", "9", "x")]
    assert read(V3, "1\t2\t3\tcomment\t4\t8\t9\ts\tx") == [FormulaRow("1", "2", "3", "comment", "9", "x", "4", "s")]
    other_order = read("formula\ttype\tid\tthread_id\tpost_id", "x\ttitle\t1\t3\t2")
    assert other_order == [FormulaRow("1", "2", "3", "title", "", "x")]
    for column in ("slt", "opt"):
        (row,) = read(f"id\tpost_id\tthread_id\ttype\t{column}", 'q_1\tA.1\t3\ttitle\t"<math a=""b""/>"')
        assert (row.post_id, row.latex) == ("A.1", '<math a="b"/>')


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ('"P=""x"""', 'P="x"'),  # quoted as CSV
        ('"""set"""', '"set"'),
        ('"a\tb"', "a\tb"),
        ('"x" = y', '"x" = y'),  # LaTeX that begins with a quote
        ('"x', '"x'),
        ('x"', 'x"'),
        ('""', ""),
        (r'\text{"a"}', r'\text{"a"}'),
    ],
)
def test_a_leading_quote_counts_only_if_its_closing_quote_ends_the_field(field: str, expected: str) -> None:
    assert latex(field, "y") == [expected, "y"]
    assert latex("y", field) == ["y", expected]


def test_a_quoted_formula_may_contain_line_breaks_and_lines_may_be_blank() -> None:
    assert latex('"a\n\nb"', "c", '"d\ne"') == ["a\n\nb", "c", "d\ne"]
    assert latex('"a', '"b', 'c"') == ['"a', '"b', 'c"']  # quotes that are never closed
    content = f"\ufeff{V1}\n\n1\t2\t3\tanswer\tx".encode()
    assert [row.latex for row in iter_formulas(BytesIO(content), "f.tsv")] == ["x"]


def test_defects_are_reported_after_the_last_row() -> None:
    lines = [
        "1\t2",
        "\t2\t3\tanswer\tx",
        "5\t2\t3\tanswer\ty",
        f"6\t{201 * '2'}\t3\tanswer\ty",
        "7\t2\x01\t3\tanswer\ty",
    ]
    rows = iter_formulas(BytesIO("\n".join([V1, *lines]).encode()), "f.tsv")
    assert [next(rows).formula_id for _ in range(3)] == ["5", "6", "7"]
    with pytest.raises(BadInput) as error:
        next(rows)
    assert str(error.value).splitlines() == [
        "f.tsv:2: expected 5 fields (id, post_id, thread_id, type, formula), found 2",
        "f.tsv:3: the formula has no id; add one",
        "f.tsv:5: an id has more than 200 characters",
        "f.tsv:6: an id contains a control character",
    ]


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("", "lacks .*type"),
        ("1\t2\t3\tanswer\tx", "lacks .*type"),
        ("id\tpost_id\tformula", "lacks .*type"),
        ("id\ttopic_id\tthread_id\ttype\tformula", "lacks post_id; .*, not of the topics’"),
        ("id" + "\t" * 300000, "has 300,001 columns"),
    ],
)
def test_a_header_without_the_required_columns_is_refused(header: str, reason: str) -> None:
    with pytest.raises(BadInput, match=rf"f\.tsv:1: the header {reason}"):
        next(iter_formulas(BytesIO(header.encode()), "f.tsv"))


@pytest.mark.parametrize(
    ("path", "count", "kinds"),
    [
        ("formula-index/formulas.v3.tsv", 48389, {"answer": 26692, "question": 11542, "comment": 8977, "title": 1178}),
        ("formula-index/1_test_latex.tsv", 1000, {"answer": 587, "question": 222, "comment": 167, "title": 24}),
        ("topic-formulas/2020_formulas_latex.tsv", 1008, {"question": 906, "title": 102}),
        ("topic-formulas/2020_formulas_slt.tsv", 1007, {"question": 905, "title": 102}),
        ("topic-formulas/2020_formulas_opt.tsv", 1007, {"question": 905, "title": 102}),
        ("topic-formulas/2021_formulas_latex.tsv", 843, {"question": 763, "title": 80}),
        ("topic-formulas/2021_formulas_slt.tsv", 843, {"question": 763, "title": 80}),
    ],
)
def test_the_labs_indexes_are_read_completely(path: str, count: int, kinds: dict[str, int]) -> None:
    text = data_file(path).read_bytes().replace(b"topic_id", b"post_id", 1)
    rows = list(iter_formulas(BytesIO(text), path))
    assert len({row.formula_id for row in rows}) == len(rows) == count
    assert Counter(row.kind for row in rows) == kinds
    assert all(row.kind != "comment" or row.comment_id or "v3" not in path for row in rows)
