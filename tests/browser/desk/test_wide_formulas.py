"""Where a formula is wider than its pane: a shadow at the edge beyond which it goes on, on the screen itself."""

from base64 import b64encode
from itertools import product
from typing import Literal

import pytest
from playwright.sync_api import Locator, Page

from assess.models import Assignment
from tests import cast
from tests.browser.desk.desk import open_place, write
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


SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def shadows(blank: Page, box: Locator) -> list[bool]:
    """Measured in a blank page, because that of the box may have no scripts."""
    return blank.evaluate(DARKER, b64encode(box.screenshot()).decode())


@pytest.mark.parametrize(("widths", "javascript"), [((1280, 400), True), ((400,), False)])
def test_a_formula_that_goes_on_beyond_its_box_has_a_shadow_there(
    new_page: NewPage, sign_in: SignIn, formulas: Assignment, widths: tuple[int, ...], javascript: bool
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
    for width, scheme in product(widths, SCHEMES):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        assert [shadows(blank, box) for box in boxes.all()] == [[False, False], [False, True], [False, True]]
        if javascript:
            boxes.nth(1).evaluate("box => box.scrollLeft = box.scrollWidth")
            assert shadows(blank, boxes.nth(1)) == [True, False]
            boxes.nth(1).evaluate("box => box.scrollLeft = 0")


def test_code_and_tables_that_go_on_beyond_their_box_have_a_shadow_there(
    new_page: NewPage, sign_in: SignIn, answers: Assignment
) -> None:
    code = f"<pre><code>{'code ' * 60}</code></pre>"
    write(answers, topic=f"<p>See</p>{code}<table><tr>{'<td>cell</td>' * 60}</tr></table><pre><code>short</code></pre>")
    page = new_page(viewport={"width": 400, "height": 800})
    sign_in(page, answers.assessor)
    open_place(page, answers, 1)
    blank = new_page()
    boxes = page.locator(".topic .post :is(pre, table)")
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        assert [shadows(blank, box) for box in boxes.all()] == [[False, True], [False, True], [False, False]]
    boxes.first.evaluate("box => box.scrollLeft = box.scrollWidth")
    assert shadows(blank, boxes.first) == [True, False]


def test_quotations_have_the_colour_of_the_text(new_page: NewPage, sign_in: SignIn, answers: Assignment) -> None:
    write(answers, topic="<p>They say:</p><blockquote><p>Let x.</p></blockquote>")
    page = new_page()
    sign_in(page, answers.assessor)
    open_place(page, answers, 1)
    colours = page.locator(".topic .post p").evaluate_all("all => all.map(text => getComputedStyle(text).color)")
    assert [len(colours), len(set(colours))] == [2, 1]
