"""Lines of text files."""

import csv
from io import BytesIO

import pytest

from assess.ir.common.problems import BadInput
from assess.ir.formats import text
from assess.ir.formats.table import read_table, write_table


def read(content: bytes) -> list[tuple[int, str]]:
    return list(text.lines(BytesIO(content), "run.tsv"))


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ("\ufeffa\tb \r\n\r\n \t\nü\n", [(1, "a\tb "), (4, "ü")]),
        ("a\nb", [(1, "a"), (2, "b")]),
        ("", []),
        *((f"a{character}b\n", [(1, f"a{character}b")]) for character in ("\u2028", "\x85", "\x0c", "\x1c")),
    ],
)
def test_only_newlines_end_lines_which_keep_their_numbers(content: str, lines: list[tuple[int, str]]) -> None:
    assert read(content.encode()) == lines


def test_text_that_is_not_utf8_is_refused_with_its_position() -> None:
    with pytest.raises(BadInput, match=r"run\.tsv:2: byte 3 of the line is not UTF-8; save it as UTF-8"):
        read("a\nabé\n".encode("latin-1"))


def test_a_line_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "MAX_LINE_BYTES", 5)
    assert read(b"1234\n") == [(1, "1234")]
    with pytest.raises(BadInput, match=r"run\.tsv:2: line of more than 5 bytes"):
        read(b"1234\n123456")


def test_a_table_for_people_is_harmless_in_a_spreadsheet() -> None:
    rows = [("a", "b"), ("=1+1", None), (-0.5, 3), ("x\ty\n", "@z"), (" =1", -3)]
    assert write_table(rows) == "a\tb\n'=1+1\t\n-0.5000\t3\nx y\t'@z\n'=1\t-3\n"


def test_a_long_cell_is_read_the_same_whatever_was_read_before() -> None:
    csv.field_size_limit(131_072)
    long = "x" * 131_073
    assert list(read_table(BytesIO(f"a,{long}\nb,y\n".encode()), "x").rows()) == [(1, ["a", long]), (2, ["b", "y"])]
