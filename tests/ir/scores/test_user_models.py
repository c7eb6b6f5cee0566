"""RBP by hand; ERR equals gdeval's, which takes numbers for topics and prints five decimals."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import ERR, gdeval

from assess.ir.common.rows import Qrel, RunLine
from assess.ir.runs.ranking import as_lines, order
from assess.ir.scores import measures

GRADES = {"1": {"a": 3, "b": 0, "c": 4, "d": 1}, "2": {"a": 2, "e": -2}}


def score(grades: dict[str, dict[str, int]], run: dict[str, list[str]], *names: str, **options: Any) -> Any:
    lines = [RunLine(topic, unit, 0, -float(at)) for topic, units in run.items() for at, unit in enumerate(units)]
    qrels = [Qrel(topic, unit, grade) for topic, units in grades.items() for unit, grade in units.items()]
    rows = measures.score("run", order(as_lines(lines)), qrels, names=names, **options)
    return {(row.topic_id, row.measure): row.value for row in rows}


def test_a_relevant_unit_at_rank_i_adds_a_fifth_of_its_chance_and_err_is_for_grades_up_to_4() -> None:
    values = score(GRADES, {"1": ["c", "x", "a"], "3": ["a"]}, "RBP", level=3)
    assert values == {("1", "RBP"): pytest.approx(0.2 * (1 + 0.8**2))}
    with pytest.raises(ValueError, match="ERR is for grades up to 4, found 5"):
        score({"1": {"a": 5}}, {"1": ["a"]}, "ERR@10")
    assert score({"1": {"a": 5}}, {"1": ["a"]}, "RBP") == {("1", "RBP"): pytest.approx(0.2)}


@settings(max_examples=10)
@given(st.permutations("abcdefgh"), st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-2, 4), min_size=1))
def test_err_equals_gdevals(ranking: list[str], grades: dict[str, int]) -> None:
    grades["z"] = 1  # it leaves out a topic without any relevant unit
    (expected,) = gdeval.iter_calc([ERR @ 5], {"1": grades}, {"1": {unit: 9.0 - at for at, unit in enumerate(ranking)}})
    assert score({"1": grades}, {"1": ranking}, "ERR@5") == {("1", "ERR@5"): pytest.approx(expected.value, abs=6e-6)}
