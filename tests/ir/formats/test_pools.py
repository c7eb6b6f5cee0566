from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.ir.common.problems import BadInput
from assess.ir.common.rows import PoolLine
from assess.ir.formats.pools import read_pool, write_pool

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
