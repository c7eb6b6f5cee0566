"""Formulas at the desk: their LaTeX, their symbols, the one to judge, those that cannot be rendered, and which are set
first."""

import re
from typing import Any

from playwright.sync_api import Page, expect

from assess.models import Assignment, Post
from tests import cast
from tests.browser.desk.desk import LIGHT, Reader, display, open_place, ready, turn_to, write
from tests.desk import place_of
from tests.pages import SignIn

ALIGNED = r"\begin{aligned} x &amp;= 1 \\ y &amp;= \sum_n n \end{aligned}"


def test_a_formula_is_reached_by_keyboard_or_mouse_and_shows_its_latex_to_copy(
    reader: Reader, answers: Assignment
) -> None:
    formulas = " ".join(cast.math("", tex) for tex in ("a", "b", "x^2 &lt; 3"))
    write(answers, topic=f"<p>{formulas}</p>", answer=f"<p>{formulas}</p>")
    page = reader()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    box, formula = page.locator("#formula"), page.locator(".item.current .math-container")
    expect(page.locator(".item.current .math-container[tabindex='0']")).to_have_count(1)  # one stop for each part
    formula.first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(box.locator("code")).to_have_text("b")
    page.keyboard.press("Escape")
    expect(formula.nth(1)).to_be_focused()
    formula.last.click()
    expect(box.locator("code")).to_have_text("x^2 < 3")
    page.keyboard.press("3")  # the box has the keys
    page.keyboard.press("Enter")
    expect(box.get_by_role("status")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == "x^2 < 3"
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    expect(page.locator("#judged")).to_have_text("0")


def lit(page: Page, root: str) -> list[Any]:
    """The letters below an element that are drawn in the colour of lit symbols, by their codes."""
    script = """root => [...document.querySelectorAll(`${root} g:is([data-mml-node=mi], [data-mml-node=mo])`)]
        .filter(g => parseFloat(getComputedStyle(g).strokeWidth) > 0).map(g => g.firstElementChild.dataset.c)"""
    return page.evaluate(script, root)


def test_the_symbols_of_a_formula_light_up_in_both_panes_until_escape(reader: Reader, answers: Assignment) -> None:
    write(answers, topic=f"<p>{cast.math('', 'x+2')}</p>")
    for unit in ("11", "12", "21"):
        write(answers, answer=f"<p>{cast.math('', chr(92) + 'mathbf{x} + x_1 = y')}</p>", unit=unit)
    page = reader()
    page.locator(".pane.topic div.post .math-container").click()
    page.get_by_role("button", name="Show where its symbols occur").click()
    assert lit(page, ".pane.topic div.post") == ["1D465"]
    assert lit(page, ".item.current") == ["1D465"]  # not the bold one
    turn_to(page, answers, "12")
    assert lit(page, ".item.current") == ["1D465"]
    expect(page.get_by_role("button", name="Stop highlighting symbols")).to_be_visible()
    page.keyboard.press("Escape")
    assert lit(page, ".desk") == []
    expect(page.get_by_role("button", name="Stop highlighting symbols")).to_be_hidden()


CONTRAST = (
    f"box => {{ const light = {LIGHT};"
    + """
    const inner = box.querySelector("svg g, math, code");
    const style = getComputedStyle(inner);
    const ink = light(inner.localName === "g" ? style.fill : style.color);
    const ground = getComputedStyle(box).backgroundColor;
    const [a, b] = [ink, light(ground)].sort();
    return [ground, (b + .05) / (a + .05), box.getBoundingClientRect().height >= inner.getBoundingClientRect().height];
}"""
)


def expect_to_be_seen(page: Page) -> None:
    page.wait_for_selector("html[data-typeset]", state="attached")
    expect(page.locator(".item.current .math-container.highlight")).to_have_count(3)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        yellow = "rgb(255, 233, 107)" if scheme == "light" else "rgb(236, 210, 76)"
        for formula in page.locator(":is(.topic, .item.current) .math-container.highlight").all():
            expect(formula.locator("mjx-container, math, code").first).to_be_attached()
            ground, contrast, is_whole = formula.evaluate(CONTRAST)
            assert ground == yellow
            assert contrast >= 4.5
            assert is_whole


def test_the_formula_to_judge_is_seen_whatever_it_is_and_whoever_sets_it(
    page: Page, sign_in: SignIn, formulas: Assignment, problems: list[str]
) -> None:
    write(formulas, topic=f"<p>{display('q_2', ALIGNED)}</p>")
    bodies = {"11": cast.math("110", "x+1"), "12": display("120", ALIGNED), "21": cast.math("210", r"\frac{a}{b")}
    for post, body in bodies.items():
        write(formulas, answer=f"<blockquote>{body}</blockquote>", unit=post)
    sign_in(page, formulas.assessor)
    open_place(page, formulas, place_of(formulas, "v1"))
    expect_to_be_seen(page)
    formula = page.locator(".topic .math-container.highlight")
    expect(formula.locator("mjx-container > svg")).to_be_visible()
    expect(formula.locator("mjx-assistive-mml math")).to_have_count(1)
    clip = formula.locator("mjx-assistive-mml").evaluate("element => getComputedStyle(element).clip")
    assert clip == "rect(1px, 1px, 1px, 1px)"  # heard, not seen
    assert problems == []
    page.route("**/startup.js", lambda route: route.fulfill(status=404))
    open_place(page, formulas, place_of(formulas, "v1"))
    expect_to_be_seen(page)
    assert page.locator("mjx-container").count() == 0  # MathML
    page.close()  # each item that comes asks for MathJax anew
    assert all("404" in problem for problem in problems)  # MathJax was not to be found
    problems.clear()


def test_formulas_that_cannot_be_set_are_readable(reader: Reader, answers: Assignment, page: Page) -> None:
    long = r"\frac{a}{b " + " + ".join(f"x_{{{n}}}" for n in range(60))
    unset = ", ".join(cast.math("", tex) for tex in (long, r"\foo+1", r"\begin{align} \frac{a}{b \end{align}"))
    write(answers, answer=f"<p>{unset}.</p>")
    reader()
    formula = page.locator(".item.current .math-error")
    expect(formula).to_have_count(2)
    expect(formula.first.locator("code")).to_have_text(long)
    expect(formula.first).to_contain_text("cannot be rendered")
    expect(formula.first).to_have_attribute("title", re.compile("brace"))
    expect(page.locator(".item.current .typeset[title]")).to_have_count(1)
    assert page.locator(".item.current").evaluate("item => item.scrollWidth <= item.clientWidth")


MANY = 400
"""Formulas of a post: setting them takes half a second or so."""
IN_SIGHT = """
const formulas = () => [...document.querySelectorAll(".item.current .math-container")];
const isUnset = (formula) => !formula.matches(".typeset");
const inSight = () => {
  const { top, bottom } = document.querySelector(".item.current").getBoundingClientRect();
  const isSeen = (box) => box.bottom > top && box.top < bottom;
  return formulas().filter((formula) => isSeen(formula.getBoundingClientRect()));
};
const unset = () => [inSight(), formulas()].map((all) => all.filter(isUnset).length);
"""
NOTE_WHEN_PAINTED = f"""{{
{IN_SIGHT}
new MutationObserver(() => (window.unsetWhenPainted ??= unset())).observe(document, {{
  subtree: true, attributeFilter: ["data-painted"],
}});
}}"""
TURN_TO_THE_END = f"""{{
{IN_SIGHT}
new MutationObserver((_, observer) => {{
  observer.disconnect();
  const item = document.querySelector(".item.current");
  item.scrollTop = item.scrollHeight;
  const look = () => (unset()[0] ? requestAnimationFrame(look) : (window.unsetAtTheEnd = unset()[1]));
  requestAnimationFrame(look);
}}).observe(document, {{ subtree: true, attributeFilter: ["data-painted"] }});
}}"""


def test_formulas_in_sight_are_set_first_at_the_start_and_wherever_the_page_is_scrolled_to(
    page: Page, sign_in: SignIn, formulas: Assignment
) -> None:
    page.add_init_script(NOTE_WHEN_PAINTED)
    page.add_init_script(TURN_TO_THE_END)
    for post in ("11", "12", "21"):  # with the same formula, each followed by many others
        others = (f"<p>So {cast.math('', f'x_{{{number}}}')}.</p>" for number in range(MANY))
        Post.objects.filter(post_id=post).update(body=f"<p>{cast.math(post + '0', 'x+1')}</p>{''.join(others)}")
    sign_in(page, formulas.assessor)
    open_place(page, formulas, place_of(formulas, "v1"))
    page.wait_for_selector("html[data-painted]", state="attached")
    in_sight, all_formulas = page.evaluate("window.unsetWhenPainted")
    assert in_sight == 0  # the item hears keys from now on
    assert all_formulas > MANY
    page.wait_for_function("() => window.unsetAtTheEnd !== undefined")
    assert page.evaluate("window.unsetAtTheEnd") > MANY
    ready(page)
    page.wait_for_selector("html[data-typeset]", state="attached")
    assert page.locator(".item.current .math-container:not(.typeset)").count() == 0
