"""Exported judgments, of which every text survives and no cell is run by a spreadsheet; and judgment files."""

import csv
import io
import json
from collections.abc import Sequence
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.ir.common.problems import BadInput
from assess.ir.common.rows import JudgmentRow, Qrel
from assess.ir.formats.judgments import JUDGMENT, ExportFormat, read_judgments, training_triples, write_export
from assess.ir.formats.table import RUN_BY_SPREADSHEETS

texts = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=20)
texts |= st.sampled_from(["=1+1", "'=1", "\tx", "a\tb", "a\nb\r\nc", '"', "a,b;c", "-", "@x", "+1", "''"])
judgments = st.tuples(
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
    texts,
)


def written(rows: list[tuple[Any, ...]], file_format: ExportFormat) -> str:
    return "".join(write_export(rows, JUDGMENT, file_format))


@given(rows=st.lists(judgments, min_size=1, max_size=4))
def test_every_text_survives(rows: list[tuple[Any, ...]]) -> None:
    assert [tuple(json.loads(line).values()) for line in written(rows, "jsonl").split("\n")[:-1]] == rows
    _, *lines = csv.reader(io.StringIO(written(rows, "csv"), newline=""))
    meant = [[cell.removeprefix("'") for cell in line] for line in lines]
    assert meant == [["" if cell is None else str(cell) for cell in row] for row in rows]


@given(row=judgments)
def test_no_cell_is_a_formula_and_none_shifts_the_columns(row: tuple[Any, ...]) -> None:
    header, cells = csv.reader(io.StringIO(written([row], "csv"), newline=""))
    assert (len(header), len(cells)) == (len(JUDGMENT), len(JUDGMENT))
    del cells[JUDGMENT.index("grade")]  # a number, which may be negative
    assert not any(cell.startswith(tuple(sign for sign in RUN_BY_SPREADSHEETS if sign != "'")) for cell in cells)


def test_high_and_medium_are_to_be_predicted_as_1_and_low_as_a_half() -> None:
    qrels = [Qrel("A.1", str(grade), grade) for grade in (3, 2, 1, 0)]
    assert [target for *_, target in training_triples([Qrel("1", "a", 4), Qrel("1", "b", -2)], level=1)] == [1, 0]
    assert list(training_triples(qrels)) == [("A.1", "3", 1), ("A.1", "2", 1), ("A.1", "1", 0.5), ("A.1", "0", 0)]


HEADER = "assessor\titem\tgrade\n"


def read(text: str, labels: Sequence[str] = ()) -> list[JudgmentRow]:
    return read_judgments(BytesIO(text.encode()), "j.tsv", labels)


def test_a_judgment_is_a_grade_or_an_outcome() -> None:
    assert read(HEADER + "ann\t77\t3\nann\tA.1/78\tdo_not_know\n") == [
        JudgmentRow("ann", "", "", "77", 3),  # without a slash there is no topic
        JudgmentRow("ann", "A.1", "", "A.1/78", None, "do_not_know"),
    ]


def test_labels_stand_for_grades_in_their_order_and_others_are_refused() -> None:
    rows = read(HEADER + "ann\tx\tbad\nann\ty\tgood\nann\tz\tdo_not_know\n", ["bad", "fair", "good"])
    assert [(row.grade, row.outcome) for row in rows] == [(0, ""), (2, ""), (None, "do_not_know")]
    with pytest.raises(BadInput, match=r"j\.tsv:2: the grade must be bad, good or one of .*, found '1'"):
        read(HEADER + "ann\tx\t1\n", ["bad", "good"])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("ann\tx", "expected 3 fields (assessor, item, grade), found 2"),
        ("\tx\t1", "the assessor is empty"),
        ("ann\t\t1", "the item is empty"),
        ("ann\ty\t4", "the grade must be 0 to 3 or one of system_failure, do_not_know, not_matching, found '4'"),
        ("ann\ty\t", "the grade must be 0 to 3 or one of system_failure, do_not_know, not_matching, found ''"),
        ("ann\tx\t3", "ann has already judged x, in line 2: keep one of them"),
    ],
)
def test_a_bad_line_is_refused_with_its_number_and_reason(line: str, reason: str) -> None:
    with pytest.raises(BadInput) as caught:
        read(f"{HEADER}ann\tx\t1\nbob\tx\t1\n{line}\n")
    assert str(caught.value) == f"j.tsv:4: {reason}"


@pytest.mark.parametrize(
    ("column", "text"), [("status", "Rejected"), ("was_cancelled", "True"), ("Reject", "bad work")]
)
def test_what_was_rejected_has_to_be_left_out(column: str, text: str) -> None:
    with pytest.raises(BadInput, match=r"j\.tsv:3: was rejected: leave it out"):
        read(f"reviewer\titem\tgrade\t{column}\nann\tx\t1\t\nbob\tx\t1\t{text}\n")


@pytest.mark.parametrize("cells", ["High\t", "do_not_know\t", "3\tnot_matching", "\tno word"])
def test_an_export_has_whole_numbers_as_grades_and_outcomes_in_their_column_only(cells: str) -> None:
    text = f"topic\tunit\tdocument\tassessor\tround\tgrade\toutcome\nA.1\tx\tx\tann\tmain\t{cells}\n"
    found = cells.replace("\t", " ").strip()
    with pytest.raises(BadInput, match=f"must be a whole number, or empty beside an outcome, found '{found}'"):
        read(text)
    assert read(text.replace("main", "adjudication")) == []  # no opinion of its own


def test_the_header_is_needed() -> None:
    with pytest.raises(BadInput, match="expected a header such as assessor item grade, found ann x 1"):
        read("ann x 1\n")
