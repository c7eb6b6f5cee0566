import re
from collections.abc import Callable
from io import BytesIO
from typing import BinaryIO

import pytest

from assess.ir.common.problems import BadInput
from assess.ir.common.rows import RunLine
from assess.ir.formats.roles import read_answers, read_roles


def test_each_line_has_a_run_and_its_role() -> None:
    text = b"a primary\nb\talternate\r\nc none"
    assert read_roles(BytesIO(text), "r.txt") == {"a": "primary", "b": "alternate", "c": "none"}


@pytest.mark.parametrize(
    ("reader", "text", "reason"),
    [
        (read_roles, "a primary\nb\n", r"r.txt:2: .*\(run, role\), found 1"),
        (read_roles, "a primary\nb main\n", "r.txt:2: .*primary, alternate, none, 1, 2, 3, 4 or 5, found 'main'"),
        (read_roles, "a primary\na alternate\n", "r.txt:2: a is already in line 1: keep one"),
        (read_answers, "a A.1 d_1\na A.1 d_2\n", "r.txt:2: a A.1 is already in line 1"),
        (read_answers, "a A.1\n", r"r.txt:1: .*\(run, topic, answer\), found 2"),
        (read_answers, "a\t\td_1\n", "r.txt:1: run and topic must not be empty"),
        (read_answers, "a\tA.1\t\n", "r.txt:1: the answer must not be empty"),
    ],
)
def test_a_bad_line_is_refused(reader: Callable[[BinaryIO, str], object], text: str, reason: str) -> None:
    with pytest.raises(BadInput) as caught:
        reader(BytesIO(text.encode()), "r.txt")
    assert re.match(reason, str(caught.value))


def test_answers_are_grouped_by_run_and_columns_below_a_header_come_in_any_order() -> None:
    text = b"a\tA.1\td_1\nb\tA.1\td_1\na\tA.2\td_2\n"
    assert read_answers(BytesIO(text), "r.txt") == {
        "a": [RunLine("A.1", "d_1", 1, 0.0, "a"), RunLine("A.2", "d_2", 1, 0.0, "a")],
        "b": [RunLine("A.1", "d_1", 1, 0.0, "b")],
    }
    assert read_roles(BytesIO(b"role\trun\nprimary\ta\n"), "r.txt") == {"a": "primary"}
