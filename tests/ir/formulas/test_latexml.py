import pytest

from assess.ir.formulas import latexml
from assess.ir.formulas.visual_ids import key

installed = pytest.mark.skipif(not latexml.is_installed(), reason="LaTeXML is not installed (Debian: latexml)")


@installed
def test_a_batch_gives_the_mathml_of_each_formula_in_its_place():
    formulas = [r"\frac{a}{b}", r"x \nosuchcommand", r"{", r"\input{/etc/hostname}", r"x\ne y"]
    found = latexml.presentation(formulas)
    assert [key("", one) for one in (found[0], found[4])] == [key(formulas[0]), key(formulas[4])]
    assert found[2:4] == ["", ""]  # An open brace, a command that reads files
    assert key(formulas[1], found[1]) == r"x\nosuchcommand"


@installed
def test_a_batch_that_takes_too_long_gives_nothing():
    assert latexml.presentation(["x", "y"], seconds=0) == ["", ""]


@pytest.mark.parametrize("tex", ["a}{b", "{", r"\input x", "$x$", r"\)", "a % b", "a\\"])
def test_what_could_leave_its_formula_is_not_handed_over(tex):
    assert latexml.presentation([tex]) == [""]
