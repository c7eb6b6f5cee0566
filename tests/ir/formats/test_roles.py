from io import BytesIO

import pytest

from assess.ir.common.problems import BadInput
from assess.ir.common.rows import RunLine
from assess.ir.formats.roles import read_answers, read_roles


def refused(reader, text):
    with pytest.raises(BadInput) as caught:
        reader(BytesIO(text.encode()), "r.txt")
    return str(caught.value)


def test_a_role_stands_after_its_run():
    text = b"a primary\nb\talternate\r\nc none"
    assert read_roles(BytesIO(text), "r.txt") == {"a": "primary", "b": "alternate", "c": "none"}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("b", "expected 2 fields (run, role), found 1"),
        ("b main", "the role must be primary, alternate or none, found 'main'"),
        ("a alternate", "a has a role already: keep one"),
    ],
)
def test_a_bad_role_is_refused(line, reason):
    assert refused(read_roles, f"a primary\n{line}\n") == f"r.txt:2: {reason}"


def test_answers_are_grouped_by_run():
    text = b"a\tA.1\td_1\nb\tA.1\td_1\na\tA.2\td_2\n"
    assert read_answers(BytesIO(text), "r.txt") == {
        "a": [RunLine("A.1", "d_1", 1, 0.0, "a"), RunLine("A.2", "d_2", 1, 0.0, "a")],
        "b": [RunLine("A.1", "d_1", 1, 0.0, "b")],
    }


def test_bad_answers_are_refused():
    assert refused(read_answers, "a A.1 d_1\na A.1 d_2\n") == "r.txt:2: a has already answered A.1: keep one answer"
    assert refused(read_answers, "a A.1\n") == "r.txt:1: expected 3 fields (run, topic, answer), found 2"
    assert refused(read_answers, "a\t\td_1\n") == "r.txt:1: run, topic and answer must not be empty"
