"""A formula that is a little too wide for its pane shrinks by up to a fifth."""

import pytest
from playwright.sync_api import Page

from assess.models import Assignment
from tests.browser.desk.desk import Reader, open_place, write
from tests.cast import math
from tests.pages import NewPage, SignIn

SIZE = """(formula) => {
    const around = parseFloat(getComputedStyle(formula.parentElement).fontSize);
    return [parseFloat(getComputedStyle(formula).fontSize) / around, formula.scrollWidth <= formula.clientWidth + 1];
}"""


def shares(page: Page) -> list[tuple[float, bool]]:
    boxes = page.locator(".topic div.post .math-container[data-display=block]")
    return [tuple(box.evaluate(SIZE)) for box in boxes.all()]


def test_it_shrinks_as_far_as_needed_and_not_below_four_fifths(
    new_page: NewPage, sign_in: SignIn, answers: Assignment
) -> None:
    formulas = [math(f"q_{n}", "+".join(["abcdefg"] * n)).replace(">", ' data-display="block">', 1) for n in (3, 60)]
    wide = math("q_2", "+".join(["abcdefg"] * 9)).replace(">", ' data-display="block">', 1)
    write(answers, topic=f"<p>Long</p>{formulas[0]}{wide}{formulas[1]}")
    page = new_page()
    sign_in(page, answers.assessor)
    open_place(page, answers, 1)
    page.wait_for_selector("html[data-typeset]", state="attached")
    (small, fits_small), _, (large, fits_large) = shares(page)
    assert (small, fits_small) == (1, True)
    assert large == pytest.approx(0.8)
    assert not fits_large
    for percent in range(48, 65):  # somewhere it is a little too wide
        page.evaluate("percent => document.documentElement.style.setProperty('--split', `${percent}%`)", percent)
        page.wait_for_timeout(200)
        share, fits = shares(page)[1]
        if 0.8 < share < 1:
            assert fits
            break
    else:
        raise AssertionError("it never shrank in between")


BEYOND = """formulas => formulas.filter((formula) => {
    const line = formula.closest(".wide") ?? formula;
    return line.getBoundingClientRect().right > formula.closest("p").getBoundingClientRect().right + 1;
}).length"""


def test_one_that_shrank_in_a_line_does_not_go_beyond_it(reader: Reader, answers: Assignment) -> None:
    lengths = (math(f"q_{n}", "+".join(["x"] * n)) for n in range(12, 40))
    write(answers, topic="".join(f"<p>A {formula}</p>" for formula in lengths))
    formulas = reader().locator(".topic div.post .math-container")
    assert formulas.count() == 28
    assert formulas.evaluate_all("all => all.filter((formula) => formula.style.fontSize).length") > 3
    assert formulas.evaluate_all(BEYOND) == 0
