"""Lines of text files."""

from io import BytesIO

import pytest

from assess.ir.common.problems import BadInput
from assess.ir.formats import text
from assess.ir.formats.table import write_table


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


def test_what_is_not_utf8_and_too_long_lines_are_refused_with_the_place(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match=r"run\.tsv:2: byte 3 of the line is not UTF-8; save it as UTF-8"):
        read("a\nabé\n".encode("latin-1"))
    monkeypatch.setattr(text, "MAX_LINE_BYTES", 5)
    assert read(b"1234\n") == [(1, "1234")]
    with pytest.raises(BadInput, match=r"run\.tsv:2: line of more than 5 bytes"):
        read(b"1234\n123456")


def test_a_table_for_people_is_harmless_in_a_spreadsheet() -> None:
    rows = [("a", "b"), ("=1+1", None), (-0.5, 3), ("x\ty\n", "@z"), (" =1", -3)]
    assert write_table(rows) == "a\tb\n'=1+1\t\n-0.5000\t3\nx y\t'@z\n'=1\t-3\n"
