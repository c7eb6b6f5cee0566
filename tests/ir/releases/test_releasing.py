"""What the options of a release do to its lines, and which topics it leaves out."""

from collections.abc import Iterable
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.ir.campaign.presets import PRESETS
from assess.ir.common.rows import OUTCOMES, JudgmentRow
from assess.ir.releases.aggregation import Derived, derive_lines
from assess.ir.releases.release_options import ReleaseOptions

ANSWERS = [
    JudgmentRow("ann", "A.1", "11", "11", 3),
    JudgmentRow("ann", "A.1", "12", "12", None, "do_not_know"),
    JudgmentRow("ann", "A.1", "d_1", "d_1", None, "system_failure"),  # a written answer
    JudgmentRow("ann", "A.2", "11", "11", 2),
    JudgmentRow("ann", "A.2", "21", "21", 2),
    JudgmentRow("ann", "A.3", "21", "21", 1),
]
FORMULAS = [
    JudgmentRow("ann", "B.1", "v1", "f1", 0),
    JudgmentRow("ann", "B.1", "v1", "f2", 1),
    JudgmentRow("ann", "B.1", "v1", "f3", 0),
    JudgmentRow("ann", "B.1", "v1", "f4", 3),
    JudgmentRow("ann", "B.1", "v2", "f5", None, "not_matching"),
]
WRITTEN = {"d_1"}


def released(rows: Iterable[JudgmentRow], task: Any = "answers", chosen: Any = (), **options: Any) -> Derived:
    rules = PRESETS["arqmath3-task2" if task == "formulas" else "arqmath3-task1"]
    return derive_lines(rows, ReleaseOptions(**options), rules, {}, WRITTEN, dict(chosen))


def units(rows: Iterable[JudgmentRow], unit: str, task: Any = "answers", **options: Any) -> dict[str, int]:
    return {line.unit_id: line.grade for line in released(rows, task, **options).files.get(unit, [])}


@pytest.mark.parametrize(
    ("options", "posts", "answers"),
    [
        ({}, {"11": 3}, {"d_1": 0}),
        ({"outcomes_as_zero": ("do_not_know",)}, {"11": 3, "12": 0}, {"d_1": 0}),
        ({"outcomes_as_zero": ("system_failure",)}, {"11": 3}, {"d_1": 0}),
        ({"written_outcomes_as_zero": ("do_not_know",)}, {"11": 3}, {}),
    ],
)
def test_each_outcome_is_unjudged_or_0(options: dict[str, Any], posts: dict[str, int], answers: dict[str, int]) -> None:
    rows = ANSWERS[:3]
    assert (units(rows, "post", **options), units(rows, "written", **options)) == (posts, answers)


@pytest.mark.parametrize(("aggregation", "grade"), [("max", 3), ("mean", 1), ("min", 0)])
def test_a_formula_gets_its_grade_from_its_graded_instances(aggregation: Any, grade: int) -> None:
    assert units(FORMULAS, "visual", "formulas", aggregation=aggregation) == {"v1": grade}
    assert units(FORMULAS, "instance", "formulas", aggregation=aggregation) == {"f1": 0, "f2": 1, "f3": 0, "f4": 3}


def test_the_mean_is_rounded_half_up() -> None:
    for rows, mean in ((FORMULAS[2:4], 2), (FORMULAS[:2], 1)):  # 0 and 3, 0 and 1
        assert units(rows, "visual", "formulas", aggregation="mean") == {"v1": mean}


@pytest.mark.parametrize(
    ("kinds", "topics"),
    [
        (("test", "additional"), {"A.1", "A.2"}),
        (("test",), {"A.2"}),
        (("additional", "removed"), {"A.1", "A.3"}),
        (("test", "additional", "removed"), {"A.1", "A.2", "A.3"}),
    ],
)
def test_a_release_has_the_topics_of_the_chosen_kinds_in_all_files(kinds: tuple[str, ...], topics: set[str]) -> None:
    # A.1 has one relevant answer, A.2 two, A.3 none
    made = released(ANSWERS, chosen={"A.1": "additional"}, topics=kinds, min_relevant=2)
    assert made.kinds == {"A.1": "additional", "A.2": "test", "A.3": "removed"}
    assert {line.topic_id for line in made.files["post"]} == topics
    assert {line.topic_id for line in made.files["written"]} == topics & {"A.1"}
    assert set(made.left_out(ReleaseOptions(topics=kinds))) == {"A.1", "A.2", "A.3"} - topics


def pair(document: str, *grades: int | None) -> list[JudgmentRow]:
    return [
        JudgmentRow(name, "N.1", document, document, grade, "" if grade is not None else "do_not_know")
        for name, grade in zip(("ann", "bob", "cem"), grades, strict=False)
    ]


def test_two_assessors_give_0_to_4_and_a_third_is_refused() -> None:
    """Relevant 2, partially relevant 1: NTCIR-10 to 12."""
    pairs = {"a": (3, 2), "b": (3, 1), "c": (1, 1), "d": (2, 0), "e": (1, 0), "f": (0, 0), "g": (3,), "h": (3, None)}
    rows = [row for document, grades in pairs.items() for row in pair(document, *grades)]
    sums = {"a": 4, "b": 3, "c": 2, "d": 2, "e": 1, "f": 0}
    assert units(rows, "instance", "formulas", judges="two_assessors") == sums
    kinds = [released(rows, "formulas", judges="two_assessors", min_relevant=least).kinds["N.1"] for least in (2, 3)]
    assert kinds == ["test", "removed"]  # a and b are relevant
    with pytest.raises(ValueError, match="of ann, bob, cem: leave out all but two"):
        released(pair("a", 1, 2, 3), "formulas", judges="two_assessors")
    with pytest.raises(ValueError, match="two judgments of document a"):
        released(pair("a", 1, 2), "formulas")


ROWS = st.builds(
    lambda unit, instance, grade, outcome: (unit, instance, grade, "" if grade is not None else outcome),
    st.sampled_from("uvw"),
    st.integers(0, 5),
    st.none() | st.integers(0, 3),
    st.sampled_from(OUTCOMES),
)


@given(st.lists(ROWS, max_size=6, unique_by=lambda row: row[:2]))
def test_the_order_of_judgments_never_matters(drawn: list[tuple[str, int, int | None, str]]) -> None:
    rows = [JudgmentRow("ann", "B.1", unit, f"{unit}{at}", grade, outcome) for unit, at, grade, outcome in drawn]
    first = released(rows, "formulas", outcomes_as_zero=("do_not_know",), aggregation="mean")
    assert all(
        released(order, "formulas", outcomes_as_zero=("do_not_know",), aggregation="mean") == first
        for order in list(permutations(rows))[:: max(1, len(rows) * 5)]
    )


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"judges": "all"}, "judges"),
        ({"judges": "round"}, "round"),
        ({"round": 1}, "round"),
        ({"assessor": "ann"}, "assessor"),
        ({"topics": []}, "topics"),
        ({"topics": ["late"]}, "topics"),
        ({"min_relevant": -1}, "min_relevant"),
        ({"aggregation": "sum"}, "aggregation"),
        ({"level": 2}, "level"),
    ],
)
def test_wrong_options_are_refused_by_name(wrong: dict[str, Any], name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        ReleaseOptions.from_dict(wrong)


def test_options_survive_as_json() -> None:
    options = ReleaseOptions(judges="assessor", assessor="ann", excluded=("bob",), topics=("removed",), visual_ids=2)
    assert ReleaseOptions.from_dict(options.to_dict()) == options
    assert ReleaseOptions.from_dict({}) == ReleaseOptions()
