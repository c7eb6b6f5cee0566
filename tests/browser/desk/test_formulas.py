"""Formulas at the desk: their LaTeX, their symbols, the one to judge, those that cannot be rendered."""

import re
from typing import Any

from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from assess.models import Assignment
from tests import cast
from tests.browser.desk.desk import LIGHT, Reader, display, open_place, resize, turn_to, until, write
from tests.desk import place_of
from tests.pages import NewPage, SignIn

ALIGNED = r"\begin{aligned} x &amp;= 1 \\ y &amp;= \sum_n n \end{aligned}"


def test_a_formula_that_does_not_fit_gets_a_line_of_its_own_with_its_punctuation(
    reader: Reader, answers: Assignment
) -> None:
    short, long = (cast.math("", "+".join(["xyz"] * count)) for count in (11, 30))
    write(answers, topic=f"<p>Here is {short} in a line.</p>", answer=f"<p>Here is {long}. And so on.</p>")
    page = reader()
    formula = page.locator(".topic .math-container").last
    expect(formula).not_to_have_class(re.compile("wide"))
    page.get_by_role("separator").press("Home")
    expect(formula).to_have_class(re.compile("wide"))
    page.get_by_role("separator").press("Enter")
    expect(formula).not_to_have_class(re.compile("wide"))
    resize(page, 400, 800)
    line = page.locator(".item.current .wide")
    expect(line).to_have_text(re.compile(r"\.$"))
    formula = line.locator(".math-container")
    assert line.bounding_box()["height"] < 1.9 * formula.bounding_box()["height"]  # one line
    assert line.evaluate("line => line.scrollWidth > line.clientWidth")
    until(page, lambda: page.evaluate("document.documentElement.scrollWidth") == 400)


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
    page.route("**/tex-mml-svg.js", lambda route: route.fulfill(status=404))
    open_place(page, formulas, place_of(formulas, "v1"))
    expect_to_be_seen(page)
    assert page.locator("mjx-container").count() == 0  # MathML
    page.close()  # each item that comes asks for MathJax anew
    assert all("404" in problem for problem in problems)  # MathJax was not to be found
    problems.clear()


def test_aligned_lines_align_without_scripts_too(new_page: NewPage, sign_in: SignIn, answers: Assignment) -> None:
    lines = r"\begin{aligned} x &amp;= 1 + 2 + 3 + 4 \\ xyz &amp;= 5 \end{aligned}"
    write(answers, answer=f"<p>{display('', lines)}</p>")
    page = new_page(java_script_enabled=False)
    sign_in(page, answers.assessor)
    open_place(page, answers, place_of(answers, "11"))
    left, right = page.locator(".item mtd:first-child"), page.locator(".item mtd:last-child")
    ends = [box["x"] + box["width"] for cell in left.all() if (box := cell.locator("mi").last.bounding_box())]
    begins = [box["x"] for cell in right.all() if (box := cell.locator("mo").first.bounding_box())]
    assert (len(ends), len(begins)) == (2, 2)
    assert abs(ends[0] - ends[1]) < 1
    assert abs(begins[0] - begins[1]) < 1


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


def test_an_organizer_reads_with_the_same_tools(page: Page, sign_in: SignIn, answers: Assignment) -> None:
    campaign = answers.topic.campaign
    sign_in(page, User.objects.get(username="olga"))
    page.goto(f"/c/{campaign.slug}/preview/{answers.pk}/{place_of(answers, '11')}/")
    page.wait_for_selector("html[data-typeset]", state="attached")
    page.locator(".item .math-container").first.click()
    expect(page.locator("#formula code")).to_have_text("x+1")
