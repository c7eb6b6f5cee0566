"""Formulas at the desk: their LaTeX, their symbols, the one to judge, those that cannot be rendered."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from assess.models import Assignment, MathProblem, Post
from tests import cast
from tests.browser.judging.desk import LIGHT, Reader, display, open_place, turn_to, until, write
from tests.desk import place_of
from tests.pages import NewPage, SignIn

BROKEN = r"\frac{a}{b"
ALIGNED = r"\begin{aligned} x &amp;= 1 \\ y &amp;= \sum_n n \end{aligned}"


def test_a_formula_that_fits_no_more_gets_a_line_of_its_own(reader: Reader, answers: Assignment) -> None:
    write(answers, topic=f"<p>Here is {cast.math('', '+'.join(['xyz'] * 11))} in a line.</p>")
    page = reader()
    formula = page.locator(".topic .math-container").last
    expect(formula).not_to_have_class(re.compile("wide"))
    page.get_by_role("separator").press("Home")
    expect(formula).to_have_class(re.compile("wide"))
    page.get_by_role("separator").press("Enter")
    expect(formula).not_to_have_class(re.compile("wide"))


def test_a_long_formula_keeps_its_punctuation(new_page: NewPage, reader: Reader, answers: Assignment) -> None:
    wide = cast.math("", "+".join(["xyz"] * 30))
    write(answers, answer=f"<p>Here is {wide}. And so on.</p>")
    page = reader(on=new_page(width=400))
    line = page.locator(".item.current .wide")
    expect(line).to_have_text(re.compile(r"\.$"))
    formula = line.locator(".math-container")
    assert line.bounding_box()["height"] < 1.9 * formula.bounding_box()["height"]  # one line
    assert line.evaluate("line => line.scrollWidth > line.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") == 400


def test_a_formula_shows_its_latex_and_copies_it(reader: Reader, answers: Assignment) -> None:
    write(answers, answer=f"<p>It is {cast.math('', 'x^2 &lt; 3')}.</p>")
    page = reader()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator(".item.current .math-container").click()
    box = page.locator("#formula")
    expect(box.locator("code")).to_have_text("x^2 < 3")
    page.keyboard.press("3")  # the box has the keys
    page.keyboard.press("Enter")
    expect(box.get_by_role("status")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == "x^2 < 3"
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    expect(page.locator("#judged")).to_have_text("0")


def test_formulas_are_reached_by_keyboard_one_stop_for_each_part(reader: Reader, answers: Assignment) -> None:
    formulas = " ".join(cast.math("", tex) for tex in ("a", "b", "c"))
    write(answers, topic=f"<p>{formulas}</p>", answer=f"<p>{formulas}</p>")
    page = reader()
    assert page.locator(".item.current .math-container[tabindex='0']").count() == 1
    page.locator(".item.current .math-container").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#formula code")).to_have_text("b")
    page.keyboard.press("Escape")
    expect(page.locator(".item.current .math-container").nth(1)).to_be_focused()


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


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("setter", ["MathJax", "MathML"])
def test_the_formula_to_judge_is_seen_whatever_it_is_and_whoever_sets_it(
    new_page: NewPage, sign_in: SignIn, formulas: Assignment, scheme: str, setter: str, problems: list[str]
) -> None:
    formulas.topic.body = f"<p>{display('q_2', ALIGNED)}</p>"
    formulas.topic.save()
    for post, body in [
        ("11", cast.math("110", "x+1")),
        ("12", display("120", ALIGNED)),
        ("21", cast.math("210", BROKEN)),
    ]:
        Post.objects.filter(post_id=post).update(body=f"<blockquote>{body}</blockquote>")
    page = new_page(color_scheme=scheme)
    if setter == "MathML":
        page.route("**/tex-mml-svg.js", lambda route: route.fulfill(status=404))
    sign_in(page, formulas.assessor)
    open_place(page, formulas, place_of(formulas, "v1"))
    page.wait_for_selector("html[data-typeset]", state="attached")
    expect(page.locator(".item.current .math-container.highlight")).to_have_count(3)
    for formula in page.locator(":is(.topic, .item.current) .math-container.highlight").all():
        expect(formula.locator("mjx-container, math, code").first).to_be_attached()
        ground, contrast, is_whole = formula.evaluate(CONTRAST)
        assert ground == ("rgb(255, 233, 107)" if scheme == "light" else "rgb(236, 210, 76)")  # yellow
        assert contrast >= 4.5
        assert is_whole
    if setter == "MathML":
        assert page.locator("mjx-container").count() == 0
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


def test_a_formula_that_cannot_be_set_is_readable(reader: Reader, answers: Assignment, page: Page) -> None:
    long = r"\frac{a}{b " + " + ".join(f"x_{{{n}}}" for n in range(60))
    write(
        answers, topic=f"<p>{cast.math('', BROKEN)}</p>", answer=f"<p>{cast.math('', long)}, {cast.math('', long)}.</p>"
    )
    reports = []
    page.on("request", lambda request: reports.append(request) if "math-problem" in request.url else None)
    reader()
    formula = page.locator(".item.current .math-error").first
    expect(formula.locator("code")).to_have_text(long)
    expect(formula).to_contain_text("cannot be rendered")
    assert page.locator(".item.current").evaluate("item => item.scrollWidth <= item.clientWidth")
    until(page, lambda: MathProblem.objects.count() == 2)
    page.wait_for_timeout(300)
    assert len(reports) == 2
    assert {(each.document, each.tex, each.count) for each in MathProblem.objects.all()} == {
        ("A.1", BROKEN, 1),
        ("11", long, 1),
    }
    assert "brace" in MathProblem.objects.first().message


def test_unknown_commands_are_reported_once_for_a_document(reader: Reader, answers: Assignment, page: Page) -> None:
    bare = r"\begin{align} \frac{a}{b \end{align}"
    first, second = (cast.math("", tex) for tex in (r"\foo+1", r"\foo+2"))
    write(answers, answer=f"<p>{first}, {second}, {bare}</p>")
    page = reader()
    expect(page.locator(".item.current .math-problem")).to_have_count(3)
    expect(page.locator(".item.current .typeset.math-problem").first).to_have_attribute("title", re.compile("."))
    until(page, lambda: MathProblem.objects.count() == 2)
    page.wait_for_timeout(300)
    assert {(each.document, each.tex, each.count) for each in MathProblem.objects.all()} == {
        ("11", r"\foo+1", 1),
        ("11", bare, 1),
    }


def test_an_organizer_reads_with_the_same_tools(page: Page, sign_in: SignIn, answers: Assignment) -> None:
    campaign = answers.topic.campaign
    sign_in(page, User.objects.get(username="olga"))
    page.goto(f"/c/{campaign.slug}/preview/{answers.pk}/{place_of(answers, '11')}/")
    page.wait_for_selector("html[data-typeset]", state="attached")
    page.locator(".item .math-container").first.click()
    expect(page.locator("#formula code")).to_have_text("x+1")
