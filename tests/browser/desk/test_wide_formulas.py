"""A formula wider than its pane shrinks by up to a fifth, and has a shadow at the edge beyond which it goes on."""

from base64 import b64encode

import pytest
from playwright.sync_api import Locator, Page

from assess.models import Assignment
from tests import cast
from tests.browser.desk.desk import open_place, write
from tests.cast import math
from tests.pages import NewPage, SignIn

LONG = "+".join(f"a_{{{n}}}x^{{{n}}}" for n in range(10, 60))
DARKER = """async (png) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height);
    const paper = canvas.getContext("2d");
    paper.drawImage(image, 0, 0);
    const light = (x) => paper.getImageData(x, 2, 1, 1).data.slice(0, 3).reduce((sum, one) => sum + one) / 3;
    const middle = light(Math.round(image.width / 2));
    return [2, image.width - 3].map((x) => Math.abs(light(x) - middle) > 40);
}"""
"""Whether the left and the right edge differ from the middle, in a row above all letters."""


def shadows(blank: Page, box: Locator) -> list[bool]:
    """Measured in a blank page, because that of the box may have no scripts."""
    return blank.evaluate(DARKER, b64encode(box.screenshot()).decode())


@pytest.mark.parametrize("javascript", [True, False])
def test_a_formula_that_goes_on_beyond_its_box_has_a_shadow_there(
    new_page: NewPage, sign_in: SignIn, formulas: Assignment, javascript: bool
) -> None:
    short, long, marked = (
        cast.math(id, tex) for id, tex in (("q_3", "x"), ("q_4", LONG), (formulas.topic.formula_id, LONG))
    )
    blocks = [formula.replace(">", ' data-display="block">', 1) for formula in (short, long, marked)]
    write(formulas, topic=f"<p>In a line</p>{''.join(blocks)}")
    page = new_page(**({} if javascript else {"java_script_enabled": False}))
    sign_in(page, formulas.assessor)
    open_place(page, formulas, 1)
    if javascript:
        page.wait_for_selector("html[data-typeset]", state="attached")
    blank = new_page()
    boxes = page.locator(".topic div.post .math-container[data-display=block]")
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == 400
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert [shadows(blank, box) for box in boxes.all()] == [[False, False], [False, True], [False, True]]
        if javascript:
            assert boxes.nth(1).evaluate("box => box.tabIndex") == 0  # keys can scroll it
            boxes.nth(1).evaluate("box => box.scrollLeft = box.scrollWidth")
            assert shadows(blank, boxes.nth(1)) == [True, False]
            boxes.nth(1).evaluate("box => box.scrollLeft = 0")


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
