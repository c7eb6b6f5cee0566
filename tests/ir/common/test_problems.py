"""Problems of files are grouped and listed in little time, whatever a file holds."""

from time import process_time

import pytest

from assess.ir.common.problems import BadInput, Problems


@pytest.mark.parametrize("cell", ["x" * 200_000, "'" * 200_000, '"' * 200_001, "1" * 200_000, "'a" * 100_000])
def test_a_reason_that_quotes_a_long_cell_takes_no_time(cell: str) -> None:
    start, problems = process_time(), Problems("x")
    for line in range(100):
        problems.add(line, f"the rank must be a whole number, found {cell!r}")
    with pytest.raises(BadInput) as caught:
        problems.check()
    assert process_time() - start < 2  # the square of 200,000 takes minutes
    assert len(str(caught.value)) < 2_000


def test_what_is_not_listed_is_counted_line_by_line() -> None:
    problems = Problems("x")
    for line in range(1, 22):
        problems.add(line, f"{'abcdefg'[(line - 1) // 3]} is wrong")
    for line in range(22, 1_022):
        problems.add(line, "h is wrong")
    with pytest.raises(BadInput) as caught:
        problems.check()
    assert str(caught.value).endswith("… and 1,001 more problems")
    assert BadInput(caught.value.problems * 2, 5).more == 25
