from assess.ir.common.rows import MeanScore, Qrel
from assess.ir.releases.differences import Move, changed_lines, moves


def test_units_in_only_one_set_and_with_different_grades_are_listed() -> None:
    first = [Qrel("B.2", "a", 1), Qrel("B.1", "a", 0), Qrel("B.1", "b", 2), Qrel("B.1", "c", 3)]
    second = [Qrel("B.1", "b", 3), Qrel("B.1", "c", 3), Qrel("B.1", "d", 0), Qrel("B.2", "a", 1)]
    assert [line[1:] for line in changed_lines(first, second)] == [
        ("B.1", "a", 0, None),
        ("B.1", "b", 2, 3),
        ("B.1", "d", None, 0),
    ]
    assert changed_lines(first, first) == []


def test_places_are_those_among_the_runs_that_both_have() -> None:
    first = [MeanScore("a", "AP", 0.5, 9), MeanScore("b", "AP", 0.4, 9), MeanScore("late", "AP", 0.9, 9)]
    second = [MeanScore("a", "AP", 0.2, 9), MeanScore("b", "AP", 0.3, 9)]
    assert moves(first, second) == [
        Move("b", "AP", 0.4, 0.3, 2, 1),
        Move("a", "AP", 0.5, 0.2, 1, 2),
        Move("late", "AP", 0.9, None, None, None),
    ]
