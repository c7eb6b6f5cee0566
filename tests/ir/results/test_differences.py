from assess.ir.common.rows import Qrel
from assess.ir.results.differences import differences


def test_units_in_only_one_set_and_with_different_grades_are_listed() -> None:
    first = [Qrel("B.2", "a", 1), Qrel("B.1", "a", 0), Qrel("B.1", "b", 2), Qrel("B.1", "c", 3)]
    second = [Qrel("B.1", "b", 3), Qrel("B.1", "c", 3), Qrel("B.1", "d", 0), Qrel("B.2", "a", 1)]
    assert differences(first, second) == [("B.1", "a", 0, None), ("B.1", "b", 2, 3), ("B.1", "d", None, 0)]
    assert differences(first, first) == []
