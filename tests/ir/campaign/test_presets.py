from dataclasses import replace

import pytest

from assess.ir.campaign.presets import PRESETS, changes_from_preset, read_lab, stored_protocol, write_lab
from assess.ir.campaign.protocol import Protocol, guide_version, rulings_known, words_version
from assess.ir.common.problems import BadInput

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


def test_presets_have_the_depths_rules_and_versions_of_the_labs() -> None:
    by_depth = [p for p in PRESETS.values() if p.pool_rule == "depth" and p.task != "documents"]
    assert {p.preset: (p.primary_depth, p.alternate_depth) for p in by_depth} == DEPTHS
    assert {p.preset: p.pool_size for p in PRESETS.values() if p.pool_rule != "depth"} == SIZES
    assert all(PRESETS[name].preset == name for name in PRESETS)
    assert {p.edition for p in PRESETS.values() if p.unit == "document"} == {"NTCIR-10", "NTCIR-11", "NTCIR-12"}
    assert [name for name, p in PRESETS.items() if p.instance_rule == "most_runs"] == ["arqmath1-task2"]
    assert [name for name, p in PRESETS.items() if p.written] == ["arqmath3-task1"]
    of_formulas = {name for name, rules in PRESETS.items() if "not_matching" in rules.names}
    assert of_formulas == {name for name, rules in PRESETS.items() if rules.task == "formulas"}
    sums = {name: rules.values for name, rules in PRESETS.items() if rules.official_grade == "sum"}
    assert sums == {name: (2, 1, 0) for name in PRESETS if name.startswith("ntcir")}
    versions = ["1217d721b0", "8327d3a1cf", "1217d721b0", "8b9cb1518d", "255b9fe0dc", "8b9cb1518d"]
    assert [words_version(PRESETS[f"arqmath{edition}-task{task}"]) for edition in "123" for task in "12"] == versions


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


@pytest.mark.parametrize("name", PRESETS)
def test_every_lab_has_defined_grades_outcomes_and_a_question(name: str) -> None:
    rules = PRESETS[name]
    assert rules.question.endswith("?")
    assert rules.values[-1] == 0
    assert rules.level in rules.values
    assert rules.commented == {"system_failure", "do_not_know"}
    assert stored_protocol(rules.to_dict()) == rules
    assert read_lab(write_lab(rules), "lab.toml") == (rules, {})
    assert not changes_from_preset(rules)


@pytest.mark.parametrize("task", ["answers", "formulas"])
def test_a_protocol_of_0_1_0_has_the_four_grades_it_was_judged_by(task: str) -> None:
    old = {"preset": "ntcir12-text", "edition": "NTCIR-12", "task": task, "primary_depth": 20, "alternate_depth": 20}
    rules = stored_protocol(old)
    assert (rules.values, rules.assessors, rules.official_grade) == ((3, 2, 1, 0), 1, "highest")
    assert rules.names["do_not_know"] == "Do not know"


SPAM = """
task = "documents"
level = 1
question = "Is the page useful?"

[words]
document = "web page"

[[grades]]
value = 2
name = "Key"

[[grades]]
value = 1
name = "Useful"

[[grades]]
value = 0
name = "Useless"

[[grades]]
value = -2
name = "Spam"
"""


def test_a_lab_of_ones_own_is_read_and_one_like_another_has_not_its_edition() -> None:
    rules, rest = read_lab(SPAM + '\n[campaign]\nname = "Web"\n', "web.toml")
    assert (rules.values, rules.names["-2"], rules.words.units) == ((2, 1, 0, -2), "Spam", "web pages")
    assert [rules.step(value) for value in rules.values] == [10, 5, 0, -10]
    assert (rules.relevant_label, rules.least_positive, rest) == ("relevant", 1, {"name": "Web"})
    assert read_lab(SPAM.replace('task = "documents"', ""), "web.toml")[0] == rules
    rules, _ = read_lab('like = "arqmath3-task1"\nprimary_depth = 7\n', "lab.toml")
    assert (rules.preset, rules.edition, rules.primary_depth) == ("arqmath3-task1", "", 7)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("level = 1", "level = 3", "level: choose 2 or 1, found 3"),
        ("value = -2", "value = 3", "the highest first, found 2, 1, 0, 3"),
        ("value = -2", "value = 'spam'", r"grades\[4\]: value must be a whole number, found 'spam'"),
        ('name = "Spam"', 'nane = "Spam"', r"grades\[4\]: no such key nane"),
        ('name = "Spam"', "", r"grades\[4\]: name is missing"),
        ("task =", "like = 'trec'\ntask =", "like: no such preset 'trec'; choose arqmath1-task1"),
        ("[words]", "[[outcomes]]\nword = 'dead'\nname = 'Dead'\nqrels = -2\n[words]", "qrels of dead is 0 or left"),
        ("document =", "thing =", "words: no such key thing; the keys are document"),
        ("level = 1", "level == 1", "lab.toml: is not TOML: .*line 3"),
        ("level = 1", "colour = 1", "colour: no such field"),
    ],
)
def test_a_bad_file_of_a_lab_is_refused_with_its_key(old: str, new: str, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        read_lab(SPAM.replace(old, new), "lab.toml")


def test_the_version_of_words_names_them_and_how_many_rulings_there_were() -> None:
    rules = PRESETS["arqmath2-task1"]
    assert words_version(replace(rules, guidelines=(*rules.guidelines, "Be kind."))) != words_version(rules)
    assert words_version(replace(rules, primary_depth=7)) == words_version(rules)  # no words
    assert guide_version("3fa9c1d20b", 12) == "3fa9c1d20b.12"
    assert len(guide_version("3fa9c1d20b", 10**9)) == 16
    assert rulings_known(guide_version("3fa9c1d20b", 12)) == 12
    assert rulings_known("") == 0  # from before there were rulings
