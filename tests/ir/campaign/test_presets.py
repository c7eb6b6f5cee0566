from dataclasses import replace

import pytest

from assess.ir.campaign.presets import PRESETS, Protocol, guide_version, rulings_known, words_version
from assess.ir.campaign.words import GRADES, OUTCOME_LABELS, QUESTIONS, outcomes
from assess.ir.common.rows import Task

DEPTHS = {
    "arqmath1-task1": (50, 20),
    "arqmath1-task2": (25, 10),
    "arqmath2-task1": (45, 15),
    "arqmath2-task2": (20, 10),
    "arqmath3-task1": (45, 20),
    "arqmath3-task2": (25, 15),
    "ntcir12-formula": (20, 20),
    "ntcir12-text": (20, 20),
}
SIZES = {"ntcir10-formula": 100, "ntcir10-text": 100, "ntcir11-main": 50}


def test_presets_have_the_depths_of_the_labs() -> None:
    by_depth = [p for p in PRESETS.values() if p.pool_rule == "depth"]
    assert {p.preset: (p.primary_depth, p.alternate_depth) for p in by_depth} == DEPTHS
    assert {p.preset: p.pool_size for p in PRESETS.values() if p.pool_rule != "depth"} == SIZES
    assert all(PRESETS[name].preset == name for name in PRESETS)


def test_ntcir_judged_each_formula_of_each_document_separately() -> None:
    assert {p.edition for p in PRESETS.values() if p.unit == "document"} == {"NTCIR-10", "NTCIR-11", "NTCIR-12"}


def test_only_arqmath_1_chose_instances_by_runs_and_only_arqmath_3_pooled_written_answers() -> None:
    assert [name for name, p in PRESETS.items() if p.instance_rule == "most_runs"] == ["arqmath1-task2"]
    assert [name for name, p in PRESETS.items() if p.written] == ["arqmath3-task1"]


def test_only_in_2020_an_identical_formula_is_always_high() -> None:
    texts = {name: p.guidelines[-1] for name, p in PRESETS.items() if p.task == "formulas" and p.unit == "visual"}
    assert "always" in texts["arqmath1-task2"]
    assert texts["arqmath2-task2"] == texts["arqmath3-task2"] != texts["arqmath1-task2"]


RULES = {
    "professor": "as a professor of mathematics would",
    "links": "not links that lead out of it",
    "any part": "If any part of what is shown is relevant, it is relevant.",
    "all parts": "relevant about every part is high",
    "context": "Judge the highlighted formula in the post around it, not the post.",
    "same is high": "identical to the query is always highly relevant",
    "same by context": "identical to the query may be less relevant, or not relevant, if its context differs",
    "looks different": "looks different may be relevant",
}
GUIDELINES = {
    "arqmath1-task1": {"professor", "links", "any part"},
    "arqmath2-task1": {"professor", "links", "any part"},
    "arqmath3-task1": {"professor", "links", "any part", "all parts"},
    "arqmath1-task2": {"professor", "links", "context", "same is high"},
    "arqmath2-task2": {"professor", "links", "context", "same by context", "looks different"},
    "arqmath3-task2": {"professor", "links", "context", "same by context", "looks different"},
}


@pytest.mark.parametrize("name", GUIDELINES)
def test_each_edition_has_its_own_guidelines(name: str) -> None:
    text = " ".join(PRESETS[name].guidelines)
    assert {rule for rule, words in RULES.items() if words in text} == GUIDELINES[name]


def test_the_grades_are_defined_in_the_words_of_the_labs() -> None:
    assert [grade.definition for grade in GRADES["answers"]] == [
        "Sufficient to answer the complete question on its own",
        "Provides some path towards the solution. This path might come from clarifying the question, or identifying "
        "steps towards a solution",
        "Provides information that could be useful for finding or interpreting an answer, or interpreting the question",
        "Provides no information pertinent to the question or its answers. A post that restates the question without "
        "providing any new information is considered non-relevant",
    ]
    assert [grade.definition for grade in GRADES["formulas"]] == [
        "Just as good as finding an exact match to the query formula would be",
        "Useful but not as good as the original formula would be",
        "There is some chance of finding something useful",
        "Not expected to be useful",
    ]
    assert GRADES["written"] == GRADES["answers"]


@pytest.mark.parametrize("name", PRESETS)
def test_a_protocol_survives_json(name: str) -> None:
    assert Protocol.from_dict(PRESETS[name].to_dict()) == PRESETS[name]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("preset", ""),
        ("edition", 3),
        ("task", "answer"),
        ("primary_depth", 0),
        ("alternate_depth", 1001),
        ("max_instances", "5"),
        ("instance_rule", "best"),
        ("pool_rule", "rank_by_rank"),
        ("unit", "post"),
        ("level", 4),
        ("min_relevant", True),
        ("written", 1),
        ("guidelines", "one text"),
        ("depth", 3),
    ],
)
def test_an_impossible_value_is_refused_with_the_name_of_its_field(field: str, value: object) -> None:
    data = PRESETS["arqmath2-task1"].to_dict() | {field: value}
    with pytest.raises(ValueError, match=f"^{field}: "):
        Protocol.from_dict(data)


def test_a_missing_required_field_is_named_others_have_defaults() -> None:
    data = PRESETS["arqmath2-task1"].to_dict()
    del data["level"]
    assert Protocol.from_dict(data).level == 2
    del data["task"]
    with pytest.raises(ValueError, match="task: missing"):
        Protocol.from_dict(data)


@pytest.mark.parametrize("task", ["answers", "formulas", "written"])
def test_every_task_has_four_defined_grades_and_a_question(task: Task) -> None:
    assert [grade.grade for grade in GRADES[task]] == [3, 2, 1, 0]
    assert [grade.name for grade in GRADES[task]] == ["High", "Medium", "Low", "Not relevant"]
    assert QUESTIONS[task].endswith("?")


def test_not_matching_is_an_outcome_for_formulas_only() -> None:
    assert outcomes("answers") == outcomes("written") == ("system_failure", "do_not_know")
    assert outcomes("formulas") == ("system_failure", "do_not_know", "not_matching") == tuple(OUTCOME_LABELS)


def test_other_words_have_another_version() -> None:
    rules = PRESETS["arqmath2-task1"]
    assert words_version(replace(rules, guidelines=(*rules.guidelines, "Be kind."))) != words_version(rules)
    assert words_version(replace(rules, primary_depth=7)) == words_version(rules)  # no words
    versions = {words_version(PRESETS[f"arqmath{edition}-task{task}"]) for edition in "123" for task in "12"}
    assert len(versions) == 4  # answers 1 = 2 != 3, formulas 1 != 2 = 3


def test_the_version_tells_how_many_rulings_there_were_and_always_fits() -> None:
    rules = PRESETS["arqmath2-task1"]
    assert guide_version(words_version(rules), 0) == f"{words_version(rules)}.0"
    assert guide_version("3fa9c1d20b", 12) == "3fa9c1d20b.12"
    assert len(guide_version("3fa9c1d20b", 10**9)) == 16


def test_a_version_says_how_many_rulings_it_knew() -> None:
    assert rulings_known(guide_version("3fa9c1d20b", 12)) == 12
    assert rulings_known("") == 0  # from before there were rulings
