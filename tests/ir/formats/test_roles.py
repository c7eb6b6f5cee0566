import re
from collections.abc import Callable
from io import BytesIO
from typing import BinaryIO

import pytest

from assess.ir.common.problems import BadInput
from assess.ir.common.rows import RunLine
from assess.ir.formats.roles import read_answers, read_roles


def refused(reader: Callable[[BinaryIO, str], object], text: str) -> str:
    with pytest.raises(BadInput) as caught:
        reader(BytesIO(text.encode()), "r.txt")
    return str(caught.value)


def test_each_line_has_a_run_and_its_role() -> None:
    text = b"a primary\nb\talternate\r\nc none"
    assert read_roles(BytesIO(text), "r.txt") == {"a": "primary", "b": "alternate", "c": "none"}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("b", r"\(run, role\), found 1"),
        ("b main", "primary, alternate, none, 1, 2, 3, 4 or 5, found 'main'"),
        ("a alternate", "a is already in line 1: keep one"),
    ],
)
def test_a_bad_role_is_refused(line: str, reason: str) -> None:
    assert re.match(f"r.txt:2: .*{reason}", refused(read_roles, f"a primary\n{line}\n"))


def test_answers_are_grouped_by_run() -> None:
    text = b"a\tA.1\td_1\nb\tA.1\td_1\na\tA.2\td_2\n"
    assert read_answers(BytesIO(text), "r.txt") == {
        "a": [RunLine("A.1", "d_1", 1, 0.0, "a"), RunLine("A.2", "d_2", 1, 0.0, "a")],
        "b": [RunLine("A.1", "d_1", 1, 0.0, "b")],
    }


def test_columns_below_a_header_come_in_any_order() -> None:
    assert read_roles(BytesIO(b"role\trun\nprimary\ta\n"), "r.txt") == {"a": "primary"}


def test_bad_answers_are_refused() -> None:
    assert re.match("r.txt:2: a A.1 is already in line 1", refused(read_answers, "a A.1 d_1\na A.1 d_2\n"))
    assert "(run, topic, answer), found 2" in refused(read_answers, "a A.1\n")
    assert refused(read_answers, "a\t\td_1\n").startswith("r.txt:1: ")
