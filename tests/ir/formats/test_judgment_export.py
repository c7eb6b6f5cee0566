"""Exported judgments: every text survives, and no cell is run by a spreadsheet."""

import csv
import io
import json

from hypothesis import given
from hypothesis import strategies as st

from assess.ir.common.rows import Qrel
from assess.ir.formats.judgment_export import ExportedJudgment, ExportFormat, training_triples, write_export
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
    texts,
)


def written(rows: list[ExportedJudgment], file_format: ExportFormat) -> str:
    return "".join(write_export(rows, FIELDS, file_format))


@given(rows=st.lists(judgments, min_size=1, max_size=4))
def test_every_text_survives(rows: list[ExportedJudgment]) -> None:
    assert [ExportedJudgment(**json.loads(line)) for line in written(rows, "jsonl").split("\n")[:-1]] == rows
    _, *lines = csv.reader(io.StringIO(written(rows, "csv"), newline=""))
    meant = [[cell.removeprefix("'") for cell in line] for line in lines]
    assert meant == [["" if cell is None else str(cell) for cell in row] for row in rows]


@given(row=judgments)
def test_no_cell_is_a_formula_and_none_shifts_the_columns(row: ExportedJudgment) -> None:
    header, cells = csv.reader(io.StringIO(written([row], "csv"), newline=""))
    assert (len(header), len(cells)) == (len(FIELDS), len(FIELDS))
    del cells[FIELDS.index("grade")]  # a number, which may be negative
    assert not any(cell.startswith(tuple(sign for sign in RUN_BY_SPREADSHEETS if sign != "'")) for cell in cells)


def test_high_and_medium_are_to_be_predicted_as_1_and_low_as_a_half() -> None:
    qrels = [Qrel("A.1", str(grade), grade) for grade in (3, 2, 1, 0)]
    assert [row.target for row in training_triples([Qrel("1", "a", 4), Qrel("1", "b", -2)], level=1)] == [1, 0]
    assert list(training_triples(qrels)) == [("A.1", "3", 1), ("A.1", "2", 1), ("A.1", "1", 0.5), ("A.1", "0", 0)]
