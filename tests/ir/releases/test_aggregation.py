import pytest

from assess.ir.common.rows import JudgmentRow, MeanScore, Qrel, SourceRow
from assess.ir.releases.aggregation import binarise, combine_labellers, official_rows, qrels_by_document, qrels_by_unit
from assess.ir.releases.differences import Move, changed_lines, moves

JUDGMENTS = [
    JudgmentRow("ann", "B.1", "v1", "f1", 1),
    JudgmentRow("ann", "B.1", "v1", "f2", 3),
    JudgmentRow("ann", "B.1", "v1", "f3", None, "not_matching"),
    JudgmentRow("ann", "B.1", "v1", "f6", 2),
    JudgmentRow("ann", "B.1", "v2", "f4", 0),
    JudgmentRow("ann", "B.1", "v3", "f5", None, "do_not_know"),  # nothing graded: v3 stays unjudged
    JudgmentRow("bob", "B.2", "v1", "f1", 2),
]


def test_instances_and_labellers_become_one_grade_and_outcomes_none() -> None:
    assert qrels_by_unit(JUDGMENTS) == [Qrel("B.1", "v1", 3), Qrel("B.1", "v2", 0), Qrel("B.2", "v1", 2)]
    grades = {"f1": 1, "f2": 3, "f4": 0, "f6": 2}
    assert qrels_by_document(JUDGMENTS[:-1]) == [Qrel("B.1", formula, grade) for formula, grade in grades.items()]
    qrels = [Qrel("A.1", str(grade), grade) for grade in range(4)]
    assert [qrel.grade for qrel in binarise(qrels)] == [0, 0, 1, 1]
    assert [qrel.grade for qrel in binarise(qrels, level=1)] == [0, 1, 1, 1]

    def row(item: str, grade: int | None, labeller: str) -> SourceRow:
        return SourceRow("A.1", item, grade, "" if grade is not None else "do_not_know", labeller, "why")

    rows = [row("b", 3, "x"), row("a", 1, "x"), row("b", 0, "y"), row("b", None, "z"), row("c", None, "x")]
    rows += [row("a", 3, "y"), row("a", 0, "z")]
    assert combine_labellers(rows) == [
        SourceRow("A.1", "a", 1),  # 0 1 3
        SourceRow("A.1", "b", 0),  # 0 3: the lower one
        SourceRow("A.1", "c", None, "do_not_know"),
    ]


@pytest.mark.parametrize(
    ("decisions", "highest", "first"),
    [([0, 0, 3], "0", "0"), ([1, 0, 3], "3", "1"), (["spam", 1], "1", "1"), (["spam", "junk"], "spam", "spam")],
)
def test_what_most_decided_counts_else_the_rule(decisions: list[int | str], highest: str, first: str) -> None:
    rows = [
        JudgmentRow(f"r{n}", "1", "d", "d", *((each, "") if isinstance(each, int) else (None, each)))
        for n, each in enumerate(decisions)
    ]
    assert [official_rows(rows, rule)[0].decision for rule in ("highest", "first")] == [highest, first]


def test_lines_that_differ_are_listed_and_places_are_among_the_runs_of_both() -> None:
    first = [Qrel("B.2", "a", 1), Qrel("B.1", "a", 0), Qrel("B.1", "b", 2), Qrel("B.1", "c", 3)]
    second = [Qrel("B.1", "b", 3), Qrel("B.1", "c", 3), Qrel("B.1", "d", 0), Qrel("B.2", "a", 1)]
    assert [line[1:] for line in changed_lines(first, second)] == [
        ("B.1", "a", 0, None),
        ("B.1", "b", 2, 3),
        ("B.1", "d", None, 0),
    ]
    assert changed_lines(first, first) == []
    means = [MeanScore("a", "AP", 0.5, 9), MeanScore("b", "AP", 0.4, 9), MeanScore("late", "AP", 0.9, 9)]
    others = [MeanScore("a", "AP", 0.2, 9), MeanScore("b", "AP", 0.3, 9)]
    assert moves(means, others) == [
        Move("b", "AP", 0.4, 0.3, 2, 1),
        Move("a", "AP", 0.5, 0.2, 1, 2),
        Move("late", "AP", 0.9, None, None, None),
    ]
