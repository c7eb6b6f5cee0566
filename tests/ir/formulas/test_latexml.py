"""LaTeXML, if it is installed, and what it must not be given."""

import pytest

from assess.ir.formulas import latexml
from assess.ir.formulas.visual_ids import key

installed = pytest.mark.skipif(not latexml.is_installed(), reason="LaTeXML is not installed (Debian: latexml)")


@installed
def test_a_batch_returns_the_mathml_of_each_formula_in_order() -> None:
    formulas = [r"\frac{a}{b}", r"x \nosuchcommand", r"{", r"\input{/etc/hostname}", r"x\ne y"]
    mathml = latexml.presentation(formulas)
    assert (key("", mathml[0]), key("", mathml[4])) == (key(formulas[0]), key(formulas[4]))
    assert mathml[2:4] == ["", ""]  # an open brace, a command that reads files
    assert key(formulas[1], mathml[1]) == r"x\nosuchcommand"


@installed
def test_a_batch_that_takes_too_long_returns_nothing() -> None:
    assert latexml.presentation(["x", "y"], seconds=0) == ["", ""]


@pytest.mark.parametrize("tex", ["a}{b", "{", r"\input x", "$x$", r"\)", "a % b", "a\\"])
def test_latex_that_could_leave_its_formula_is_not_converted(tex: str) -> None:
    assert latexml.presentation([tex]) == [""]
