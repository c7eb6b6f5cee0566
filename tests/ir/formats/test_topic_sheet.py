"""Topic sheets."""

import io

import pytest

from assess.ir.common.problems import BadInput
from assess.ir.formats.topic_sheet import SheetRow, column_of, read_topic_sheet
from tests.real import data_file


def read(text: str) -> list[SheetRow]:
    return read_topic_sheet(io.BytesIO(text.encode()), "sheet.csv")


def test_columns_are_known_by_their_names_and_others_keep_their_heads() -> None:
    rows = read("Topic,Assessor Id,Category,,#Answers\nA.1,2,Proof,x,353\n\nA.2,5,,,\n")
    assert rows == [
        SheetRow("A.1", "Proof", "", "", {"Assessor Id": "2", "#Answers": "353"}),
        SheetRow("A.2", "", "", "", {"Assessor Id": "5", "#Answers": ""}),
    ]
    tabbed = read("\ufeffcategory\ttopic\tDIFFICULTY\r\nProof\tA.1\tLow\r\n\tA.2\t\r\n")
    assert tabbed == [SheetRow("A.1", "Proof", "Low", ""), SheetRow("A.2", "", "", "")]
    assert column_of(rows, "assessor id", "sheet.csv") == {"A.1": "2", "A.2": "5"}
    assert column_of(rows, "Category", "sheet.csv") == {"A.1": "Proof", "A.2": ""}
    with pytest.raises(BadInput, match="no column Mood: choose from category, difficulty, dependency, Assessor Id"):
        column_of(rows, "Mood", "sheet.csv")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("A.1,2,Low\n", 1, "header"),
        ("Topic,Assessor\nA.1,2\n", 1, "header"),
        ("Topic,Category\nA.1\n", 2, r"expected 2 fields \(Topic, Category\), found 1"),
        ("Topic,Category\nA.1,Proof\nA.1,Proof\n", 3, "twice"),
        ("Topic,Category\n,Proof\n", 2, "no topic"),
        (f"Topic,Category\nA.1,{'x' * 61}\n", 2, "60 characters"),
        ("Topic,Category\n", 0, "no topic"),
    ],
)
def test_another_file_is_refused_with_line_and_reason(text: str, line: int, reason: str) -> None:
    with pytest.raises(BadInput, match=reason) as refusal:
        read(text)
    assert refusal.value.problems[0].line == line


def test_the_sheet_of_arqmath_2() -> None:
    with data_file("topic-info/Task1_ARQMath2_Topic_Information.csv").open("rb") as source:
        rows = read_topic_sheet(source, "sheet.csv")
    assert rows[0][:4] == ("A.201", "Proof", "Low", "Text")
    assert rows[0].more["HM"] == "5"
    assert len(rows) == 71
    assert {row.dependency for row in rows} == {"Text", "Formula", "Both"}
