import pytest

from assess.ir.common.rows import JudgmentRow, Qrel, SourceRow
from assess.ir.releases.aggregation import binarise, combine_labellers, official_rows, qrels_by_document, qrels_by_unit

JUDGMENTS = [
    JudgmentRow("ann", "B.1", "v1", "f1", 1),
    JudgmentRow("ann", "B.1", "v1", "f2", 3),
    JudgmentRow("ann", "B.1", "v1", "f3", None, "not_matching"),
    JudgmentRow("ann", "B.1", "v1", "f6", 2),
    JudgmentRow("ann", "B.1", "v2", "f4", 0),
    JudgmentRow("ann", "B.1", "v3", "f5", None, "do_not_know"),  # nothing graded: v3 stays unjudged
    JudgmentRow("bob", "B.2", "v1", "f1", 2),
]


def test_a_unit_has_the_maximum_grade_of_its_instances_and_an_outcome_is_not_in_the_qrels() -> None:
    assert qrels_by_unit(JUDGMENTS) == [Qrel("B.1", "v1", 3), Qrel("B.1", "v2", 0), Qrel("B.2", "v1", 2)]
    grades = {"f1": 1, "f2": 3, "f4": 0, "f6": 2}
    assert qrels_by_document(JUDGMENTS[:-1]) == [Qrel("B.1", formula, grade) for formula, grade in grades.items()]


def test_high_and_medium_are_relevant_by_default() -> None:
    qrels = [Qrel("A.1", str(grade), grade) for grade in range(4)]
    assert [qrel.grade for qrel in binarise(qrels)] == [0, 0, 1, 1]
    assert [qrel.grade for qrel in binarise(qrels, level=1)] == [0, 1, 1, 1]


def test_labellers_of_an_item_are_combine_labellers_by_the_lower_median() -> None:
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
