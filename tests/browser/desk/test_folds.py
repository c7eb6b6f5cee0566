"""Long context of a formula to judge is folded, with and without scripts."""

import re

from playwright.sync_api import Page, expect

from assess.models import Assignment
from tests import cast
from tests.browser.desk.desk import Judge, current, met, open_place, write
from tests.browser.desk.test_reading import mark, marked
from tests.desk import place_of
from tests.pages import NewPage, SignIn

FAR = f"<p>Far {cast.math('8', 'y')} beginning {'words ' * 100} {cast.math('9', '+'.join(['xyz'] * 30))}</p>" * 3
NEAR = "<p>near</p>"


def write_long(formulas: Assignment) -> None:
    write(formulas, answer=f"{FAR}{NEAR}<p>This is {cast.math('220', 'z')}.</p>{NEAR}<p>short end</p>", unit="22")


def test_what_is_far_from_the_formula_is_folded_marks_its_summary_and_opens_by_a_click(
    judge: Judge, formulas: Assignment
) -> None:
    assert met(formulas, "v2") == ["220"]
    write_long(formulas)
    page = judge(formulas, place_of(formulas, "v2"))
    post = current(page).locator("div.post")
    summary = post.locator("summary")
    expect(summary).to_have_count(1)
    expect(post.get_by_text("near").first).to_be_visible()
    expect(post.get_by_text("short end")).to_be_visible()
    expect(post.locator("p", has_text="Far").first).to_be_hidden()
    expect(post.locator("[tabindex='0']")).to_have_attribute("data-tex", "z")
    mark(page, "beginning", "near", "post")
    assert marked(page, "mark-0") == ["beginning"] * 3 + [summary.inner_text()]
    assert marked(page, "mark-1") == ["near"] * 2
    assert marked(page, "mark-2") == []  # a word of the summary itself
    summary.click()
    expect(post.locator("p", has_text="Far").first).to_be_visible()
    expect(post.locator(".wide").first).to_be_visible()  # measured when there was room for it
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_fold_opens_without_scripts(new_page: NewPage, sign_in: SignIn, formulas: Assignment) -> None:
    write_long(formulas)
    page: Page = new_page(java_script_enabled=False)
    sign_in(page, formulas.assessor)
    open_place(page, formulas, place_of(formulas, "v2"))
    far = page.get_by_text(re.compile("^Far")).first
    expect(far).to_be_hidden()
    page.locator("summary", has_text="Beginning").click()
    expect(far).to_be_visible()
