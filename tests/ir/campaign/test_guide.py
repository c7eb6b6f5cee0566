"""The version of the words beside an item."""

from dataclasses import replace

from assess.ir.campaign.guide import guide_version, rulings_known, words_version
from assess.ir.campaign.presets import PRESETS


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
