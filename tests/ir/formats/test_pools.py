"""Pool files, roles of runs, and answers of Task 3."""

import re
from collections.abc import Callable
from io import BytesIO
from typing import BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.ir.common.problems import BadInput
from assess.ir.common.rows import PoolLine, RunLine
from assess.ir.formats.pools import read_answers, read_pool, read_roles, write_pool

HEADER = "topic\tunit\tdoc\tvotes\truns\n"


def read(text: str) -> list[PoolLine]:
    return read_pool(BytesIO(text.encode()), "p.tsv")


ids = st.text("abc123._", min_size=1, max_size=4)
pool_lines = st.builds(
    PoolLine, ids, ids, ids, st.floats(0, 100).map(lambda votes: round(votes, 12)), st.integers(0, 99)
)


@given(st.lists(pool_lines, unique_by=lambda line: (line.topic_id, line.doc_id), min_size=1))
def test_the_round_trip_is_exact(lines: list[PoolLine]) -> None:
    assert read(write_pool(lines)) == lines
    assert write_pool(read(write_pool(lines))) == write_pool(lines)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("B.1\tv1\tf1\t1", r"\(topic, unit, doc, votes, runs\), found 4"),
        ("B.1\t\tf1\t1\t1", "unit is empty"),
        ("B.1\tv1\tf\0\t1\t1", "contains a NUL"),
        ("B.1\tv1\tf1\tmany\t1", "votes .* 'many'"),
        ("B.1\tv1\tf1\t-0.5\t1", "votes .* '-0.5'"),
        ("B.1\tv1\tf1\t1\t1.5", "runs .* '1.5'"),
        ("B.1\tv2\tf9\t1\t1", "B.1 f9 is already in line 2: keep one"),
    ],
)
def test_a_bad_line_is_refused_with_its_number_and_reason(line: str, reason: str) -> None:
    with pytest.raises(BadInput, match=rf"p\.tsv:4: .*{reason}"):
        read(f"{HEADER}B.1\tv1\tf9\t1\t1\nB.2\tv1\tf9\t1\t1\n{line}\n")
    with pytest.raises(
        BadInput, match=r"p\.tsv:1: .* header topic doc unit votes runs, found A.1 0 77 2: name them so"
    ):
        read("A.1\t0\t77\t2\n")


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
        (read_answers, "a\tA.1\t\n", "r.txt:1: the answer is empty"),
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
