"""Lines of text files."""

from io import BytesIO

import pytest

from assess.ir.common.problems import BadInput
from assess.ir.formats import text
from assess.ir.formats.table import write_table


def read(content: bytes) -> list[tuple[int, str]]:
    return list(text.lines(BytesIO(content), "run.tsv"))


def test_lines_keep_their_numbers_without_bom_blank_lines_and_line_endings() -> None:
    assert read("\ufeffa\tb \r\n\r\n \t\nü\n".encode()) == [(1, "a\tb "), (4, "ü")]


def test_a_final_newline_may_be_missing() -> None:
    assert read(b"a\nb") == [(1, "a"), (2, "b")]
    assert read(b"") == []


@pytest.mark.parametrize("character", ["\u2028", "\x85", "\x0c", "\x1c"])
def test_only_a_newline_ends_a_line(character: str) -> None:
    assert read(f"a{character}b\n".encode()) == [(1, f"a{character}b")]


def test_text_that_is_not_utf8_is_refused_with_its_position() -> None:
    with pytest.raises(BadInput, match=r"run\.tsv:2: byte 3 of the line is not UTF-8; save it as UTF-8"):
        read("a\nabé\n".encode("latin-1"))


def test_a_line_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "MAX_LINE_BYTES", 5)
    assert read(b"1234\n") == [(1, "1234")]
    with pytest.raises(BadInput, match=r"run\.tsv:2: line of more than 5 bytes"):
        read(b"1234\n123456")


def test_a_table_for_people_is_harmless_in_a_spreadsheet() -> None:
    rows = [("a", "b"), ("=1+1", None), (-0.5, 3), ("x\ty\n", "@z")]
    assert write_table(rows) == "a\tb\n'=1+1\t\n-0.5000\t3\nx y\t'@z\n"
