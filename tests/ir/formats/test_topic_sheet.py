"""Topic sheets."""

import io

import pytest

from assess.ir.common.problems import BadInput
from assess.ir.formats.topic_sheet import Sheet, column_of, read_topic_sheet
from tests.real import data_file


def read(text: str) -> Sheet:
    return read_topic_sheet(io.BytesIO(text.encode()), "sheet.csv")


def test_columns_are_known_by_their_names_and_others_keep_their_heads() -> None:
    sheet = read("Topic,Assessor Id,Category,,#Answers\nA.1,2,Proof,x,353\n\nA.2,5,,,\n")
    nothing = {"category": "", "difficulty": "", "dependency": ""}
    assert sheet == {
        "A.1": nothing | {"category": "Proof", "Assessor Id": "2", "#Answers": "353"},
        "A.2": nothing | {"Assessor Id": "5", "#Answers": ""},
    }
    tabbed = read("\ufeffcategory\ttopic\tDIFFICULTY\r\nProof\tA.1\tLow\r\n\tA.2\t\r\n")
    assert tabbed == {"A.1": nothing | {"category": "Proof", "difficulty": "Low"}, "A.2": nothing}
    assert column_of(sheet, "assessor id", "sheet.csv") == {"A.1": "2", "A.2": "5"}
    assert column_of(sheet, "Category", "sheet.csv") == {"A.1": "Proof", "A.2": ""}
    with pytest.raises(BadInput, match="no column Mood: choose from category, difficulty, dependency, Assessor Id"):
        column_of(sheet, "Mood", "sheet.csv")


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
        sheet = read_topic_sheet(source, "sheet.csv")
    assert list(sheet["A.201"].values())[:3] == ["Proof", "Low", "Text"]
    assert sheet["A.201"]["HM"] == "5"
    assert len(sheet) == 71
    assert {noted["dependency"] for noted in sheet.values()} == {"Text", "Formula", "Both"}
