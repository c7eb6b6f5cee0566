"""Where a formula is wider than its pane: a shadow at the edge beyond which it goes on, on the screen itself."""

from base64 import b64encode

import pytest

from tests import cast
from tests.browser.judging.desk import open_place, write

# Nothing here depends on the database, so one engine does.
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

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


def shadows(page, box):
    picture = b64encode(box.screenshot()).decode()
    blank = page.context.new_page()
    found = blank.evaluate(DARKER, picture)
    blank.close()
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "javascript"), [(1280, True), (400, True), (400, False)])
def test_a_formula_that_goes_on_beyond_its_box_has_a_shadow_there(
    new_page, live_server, sign_in, formulas, width, javascript, scheme
):
    ada, mine = formulas
    short, long, marked = (
        cast.math(id, tex) for id, tex in (("q_3", "x"), ("q_4", LONG), (mine.topic.formula_id, LONG))
    )
    blocks = [one.replace(">", ' data-display="block">', 1) for one in (short, long, marked)]
    write(mine, topic=f"<p>In a line</p>{''.join(blocks)}")
    page = new_page(width=width, color_scheme=scheme, java_script_enabled=javascript)
    sign_in(page, ada)
    open_place(page, live_server, mine, 1)
    if javascript:
        page.wait_for_selector("html[data-typeset]", state="attached")
    boxes = page.locator(".topic div.post .math-container[data-display=block]")
    assert [shadows(page, box) for box in boxes.all()] == [[False, False], [False, True], [False, True]]
    if javascript:
        boxes.nth(1).evaluate("box => box.scrollLeft = box.scrollWidth")
        assert shadows(page, boxes.nth(1)) == [True, False]
