import re
from xml.etree.ElementTree import tostring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.ir.collection.html import canonical, display
from assess.ir.collection.mathml import converted, mathml
from assess.ir.collection.spacing import spaced
from assess.ir.formulas.visual_ids import key

THIN = '<mspace width="0.167em" />'
APPLICATION = "\u2061"
APPLIED = f"<mo>{APPLICATION}</mo>"
NO_SPACE = ' lspace="0em" rspace="0em"'


def line(tex: str) -> str:
    """The text of a formula, with _ for a thin space and @ for the function application character."""
    return re.sub(r"<[^>]*>", "", mathml(tex, False).replace(THIN, "_").replace(APPLIED, "@"))


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        (r"\sin x", "sin@_x"),
        (r"\cos\theta", "cos@_θ"),
        (r"\log\frac{1}{n}", "log@_1n"),
        (r"\operatorname{foo} x", "foo@_x"),
        (r"\operatorname{E} X", "E@_X"),
        (r"\ln{x}", "ln@_x"),
        (r"\max S", "max@_S"),
        (r"\sin^2 x", "sin2@_x"),
        (r"\sin'x", "sin′@_x"),
        (r"\log_2 n", "log2@_n"),
        (r"\lim_{n\to\infty} a_n", "limn→∞@_an"),
        (r"\log\partial", "log@_∂"),
        (r"\sqrt{\ln x}", "ln@_x"),
        (r"\begin{matrix}\sin x&\cos y\end{matrix}", "sin@_xcos@_y"),
        (r"\color{red}{\sin x}", "sin@_x"),
        # before a name
        (r"2\sin x", "2_sin@_x"),
        (r"\sin x\cos x", "sin@_x_cos@_x"),
        (r"\log\log n", "log@_log@_n"),
        (r"(n)^2\log n", "(n)2_log@_n"),
        (r"\left(n\right)\log n", "(n)_log@_n"),
        (r"n!\log n", "n!_log@_n"),
        # no space at brackets, operators and ends
        (r"\ln(x)", "ln@(x)"),
        (r"\sin\left(x\right)", "sin@(x)"),
        (r"\Pr[A]", "Pr@[A]"),
        (r"\sup\{a\}", "sup@{a}"),
        (r"\exp\lfloor a\rfloor", "exp@⌊a⌋"),
        (r"(\sin)", "(sin)"),
        (r"-\sin + \cos", "−sin+cos"),
        (r"\max", "max"),
        (r"\log|x|", "log|x|"),
        # the author's own space is added
        (r"\sin\,x", "sin@__x"),
        (r"x\ \sin", "x\xa0_sin"),
        # not functions
        (r"a\bmod n", "amodn"),
        (r"\mathrm{sin}x", "sinx"),
        (r"\text{if }x", "if\xa0x"),
        (r"\sum_n a_n", "∑nan"),
        ("abc", "abc"),
    ],
)
def test_names_of_functions_have_the_space_of_tex(tex: str, expected: str) -> None:
    assert line(tex) == expected


@pytest.mark.parametrize("name", [r"\lim", r"\max", r"\det", r"\operatorname*{argmax}"])
def test_limits_go_below_a_name_in_displayed_formulas(name: str) -> None:
    base = rf'<munder><mo(?=[^>]* movablelimits="true")[^>]*{NO_SPACE}[^>]*>\w+</mo>'
    pattern = rf"{base}<mrow><mi>n</mi></mrow></munder>{APPLIED}{THIN}<mi>x</mi>"
    assert re.search(pattern, mathml(f"{name}_{{n}} x", True))


@pytest.mark.parametrize("tex", [r"\log_2 n", r"\operatorname{rank}_n x"])
def test_other_names_keep_their_scripts(tex: str) -> None:
    assert "<msub>" in mathml(tex, True)


@pytest.mark.parametrize("tex", [r"\infty", r"\emptyset", "|", r"\|"])
def test_characters_that_tex_sets_like_letters_lose_the_wide_space_too(tex: str) -> None:
    assert re.search(rf"<mo[^>]*{NO_SPACE}>.</mo>", mathml(tex, False))


HEIGHT = '<mspace width="0em" height="0.6em" />'


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        (r"\sqrt n", rf"<msqrt>(<mrow>)?<mi>n</mi>(</mrow>)?{HEIGHT}</msqrt>"),
        (
            r"\sqrt[3]{n}",
            rf"<mroot><mrow>(<mrow>)?<mi>n</mi>(</mrow>)?{HEIGHT}</mrow>(<mrow>)?<mn>3</mn>(</mrow>)?</mroot>",
        ),
        (r"\sqrt{\sqrt n}", rf"{HEIGHT}</msqrt>(</mrow>)?{HEIGHT}</msqrt>"),
    ],
)
def test_the_contents_of_a_root_are_as_tall_as_a_digit(tex: str, expected: str) -> None:
    assert re.search(expected, mathml(tex, False))


NAMES = (r"\sin", r"\lim_n", r"\log_2", r"\frac{\ln x}{y}", r"\sqrt{\max n}", r"\sqrt[3]x", r"\infty")
PARTS = st.sampled_from([*NAMES, "x", "2", "(", ")", "+", "!", r"\,", "{", "}", "^2"])


@given(st.lists(PARTS, max_size=8).map(" ".join))
def test_only_space_is_added_and_visual_ids_do_not_change(tex: str) -> None:
    math = converted(tex, False)
    if math is None:
        return
    bare = list(math.itertext())
    shown = tostring(spaced(math), "unicode")
    assert [text for text in math.itertext() if text != APPLICATION] == bare
    assert key(tex) == key("", shown)


def test_readers_get_the_space() -> None:
    shown = display(canonical(r'<p><span class="math-container">$\sin x$</span></p>'))
    assert f"<mi>sin</mi>{APPLIED}{THIN}<mi>x</mi>" in shown
