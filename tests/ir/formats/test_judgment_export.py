"""Exported judgments: every text survives, no cell is run by a spreadsheet, and what is damaged is refused."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.ir.common.problems import BadInput
from assess.ir.common.rows import Qrel
from assess.ir.formats.judgment_export import (
    EXPORT_FORMATS,
    ExportedJudgment,
    ExportFormat,
    read_export,
    training_triples,
    write_export,
)
from assess.ir.formats.table import RUN_BY_SPREADSHEETS

FIELDS = ExportedJudgment._fields
texts = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=20)
texts |= st.sampled_from(["=1+1", "'=1", "\tx", "a\tb", "a\nb\r\nc", '"', "a,b;c", "-", "@x", "+1", "''"])
judgments = st.builds(
    ExportedJudgment,
    *[texts.filter(bool)] * 3,
    st.sampled_from(["post", "formula", "written"]),
    texts,
    st.sampled_from(["main", "dual"]),
    st.sampled_from([-2, 0, 1, 2, 3, 10]),
    st.just(""),
    st.just(1.5),
    *[st.just("2026-01-01T00:00:00.000+00:00")] * 2,
    texts,
    texts,
)


def written(rows: list[ExportedJudgment], file_format: ExportFormat) -> str:
    return "".join(write_export(rows, FIELDS, file_format))


@pytest.mark.parametrize("file_format", EXPORT_FORMATS)
@given(rows=st.lists(judgments, min_size=1, max_size=4))
def test_what_is_written_is_read_again(file_format: ExportFormat, rows: list[ExportedJudgment]) -> None:
    read = read_export(io.BytesIO(written(rows, file_format).encode()), "judgments")
    assert [row._replace(active_seconds=1.5) for row in read] == rows


@given(row=judgments)
def test_no_cell_is_a_formula_and_none_shifts_the_columns(row: ExportedJudgment) -> None:
    header, cells = csv.reader(io.StringIO(written([row], "csv"), newline=""))
    assert (len(header), len(cells)) == (len(FIELDS), len(FIELDS))
    del cells[FIELDS.index("grade")]  # a number, which may be negative
    assert not any(cell.startswith(tuple(sign for sign in RUN_BY_SPREADSHEETS if sign != "'")) for cell in cells)


GOOD = ExportedJudgment("A.1", "11", "11", "post", "ann", "main", 3, "", 1.5, "t", "t", "g", "")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("assessor\titem\tgrade\n", "judgments:1: is no export"),
        (written([GOOD], "csv").replace(",3,", ",3.5,"), "judgments:2: expected the fields"),
        (written([GOOD], "csv").replace(",3,", ",,"), "judgments:2: expected the fields"),
        (written([GOOD], "csv").replace(",3,,", ",3,do_not_know,"), "judgments:2: expected the fields"),
        (written([GOOD], "csv").replace(",3,,", ",,not one word,"), "judgments:2: expected the fields"),
        (written([GOOD], "jsonl") + "{broken\n", "judgments:2: expected the fields"),
        (written([GOOD], "csv") + "A.1,11\n", "judgments:3: expected the fields"),
        ("\ufeff\udcff", "judgments:1: byte 1 of the line is not UTF-8"),
    ],
)
def test_damaged_exports_are_refused_with_the_line(text: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        read_export(io.BytesIO(text.encode(errors="surrogateescape")), "judgments")


def test_high_and_medium_are_to_be_predicted_as_1_and_low_as_a_half() -> None:
    qrels = [Qrel("A.1", str(grade), grade) for grade in (3, 2, 1, 0)]
    assert [row.target for row in training_triples([Qrel("1", "a", 4), Qrel("1", "b", -2)], level=1)] == [1, 0]
    assert list(training_triples(qrels)) == [("A.1", "3", 1), ("A.1", "2", 1), ("A.1", "1", 0.5), ("A.1", "0", 0)]


def test_a_field_beyond_the_usual_limit_of_csv_is_read_and_quotes_that_stay_open_are_refused() -> None:
    header = ",".join(ExportedJudgment._fields)
    for text, reason in (("a" * 200_000, "x:2: expected the fields"), ('"a', r"x:2: cannot be read as a table")):
        with pytest.raises(BadInput, match=reason):
            read_export(io.BytesIO(f"{header}\n{text}\n".encode()), "x")
