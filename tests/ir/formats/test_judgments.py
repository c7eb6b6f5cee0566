from collections.abc import Sequence
from io import BytesIO

import pytest

from assess.ir.common.problems import BadInput
from assess.ir.common.rows import JudgmentRow
from assess.ir.formats.judgments import read_judgments

HEADER = "assessor\titem\tgrade\n"


def read(text: str, labels: Sequence[str] = ()) -> list[JudgmentRow]:
    return read_judgments(BytesIO(text.encode()), "j.tsv", labels)


def test_a_judgment_is_a_grade_or_an_outcome() -> None:
    assert read(HEADER + "ann\t77\t3\nann\tA.1/78\tdo_not_know\n") == [
        JudgmentRow("ann", "", "", "77", 3),  # without a slash there is no topic
        JudgmentRow("ann", "A.1", "", "A.1/78", None, "do_not_know"),
    ]


def test_labels_stand_for_grades_in_their_order_and_others_are_refused() -> None:
    rows = read(HEADER + "ann\tx\tbad\nann\ty\tgood\nann\tz\tdo_not_know\n", ["bad", "fair", "good"])
    assert [(row.grade, row.outcome) for row in rows] == [(0, ""), (2, ""), (None, "do_not_know")]
    with pytest.raises(BadInput, match=r"j\.tsv:2: the grade must be bad, good or one of .*, found '1'"):
        read(HEADER + "ann\tx\t1\n", ["bad", "good"])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("ann\tx", "expected 3 fields (assessor, item, grade), found 2"),
        ("\tx\t1", "the assessor is empty"),
        ("ann\t\t1", "the item is empty"),
        ("ann\ty\t4", "the grade must be 0 to 3 or one of system_failure, do_not_know, not_matching, found '4'"),
        ("ann\ty\t", "the grade must be 0 to 3 or one of system_failure, do_not_know, not_matching, found ''"),
        ("ann\tx\t3", "ann has already judged x, in line 2: keep one of them"),
    ],
)
def test_a_bad_line_is_refused_with_its_number_and_reason(line: str, reason: str) -> None:
    with pytest.raises(BadInput) as caught:
        read(f"{HEADER}ann\tx\t1\nbob\tx\t1\n{line}\n")
    assert str(caught.value) == f"j.tsv:4: {reason}"


@pytest.mark.parametrize(
    ("column", "text"), [("status", "Rejected"), ("was_cancelled", "True"), ("Reject", "bad work")]
)
def test_what_was_rejected_has_to_be_left_out(column: str, text: str) -> None:
    with pytest.raises(BadInput, match=r"j\.tsv:3: was rejected: leave it out"):
        read(f"reviewer\titem\tgrade\t{column}\nann\tx\t1\t\nbob\tx\t1\t{text}\n")


@pytest.mark.parametrize("cells", ["High\t", "do_not_know\t", "3\tnot_matching", "\tno word"])
def test_an_export_has_whole_numbers_as_grades_and_outcomes_in_their_column_only(cells: str) -> None:
    text = f"topic\tunit\tdocument\tassessor\tround\tgrade\toutcome\nA.1\tx\tx\tann\tmain\t{cells}\n"
    found = cells.replace("\t", " ").strip()
    with pytest.raises(BadInput, match=f"must be a whole number, or empty beside an outcome, found '{found}'"):
        read(text)


def test_the_header_is_needed() -> None:
    with pytest.raises(BadInput, match="expected a header such as assessor item grade, found ann x 1"):
        read("ann x 1\n")
