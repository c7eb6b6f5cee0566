"""A post that holds the formula to judge several times, what was judged in it before, and long context of a formula."""

import re

from playwright.sync_api import expect

from assess.models import Assignment
from tests import cast
from tests.browser.desk.desk import Judge, at, current, expect_saved, met, press_key, write
from tests.browser.desk.test_reading import mark, marked
from tests.desk import place_of, share_post


def test_each_instance_is_judged_in_turn_and_shows_in_the_next_item(judge: Judge, formulas: Assignment) -> None:
    share_post(formulas)
    shared = judge(formulas, place_of(formulas, "v1"))  # formulas 110 and 120 are in one post, 210 in another
    assert shared.locator(".item.current .shown-post").count() == 2
    earlier = current(shared).get_by_text("You judged another formula in this post")
    expect(earlier.filter(visible=True)).to_have_count(0)
    for number in (2, 1):
        chosen = current(shared).locator(f".highlight[data-number='{number}']")
        chosen.click()
        shared.keyboard.press("Escape")
        expect(chosen).to_have_class(re.compile("current"))
        region = current(shared).get_by_role("region", name=f"Formula {number}")
        expect(region).to_have_class(re.compile("current"))
    expected = {}
    for key in "321":
        mark = current(shared).locator(".highlight.current")
        expect(mark).to_have_count(1)
        expect(current(shared).locator("[data-document].current")).to_have_count(1)
        expected[mark.get_attribute("data-formula-id")] = key
        press_key(shared, key)
        if key != "1":
            expect(current(shared).locator("button[aria-pressed=true]")).to_have_count(len(expected))
    at(shared, place_of(formulas, "v2"))
    expect_saved(shared, formulas, expected)
    assert len(expected) == 3
    words = {"3": "High", "2": "Medium", "1": "Low"}
    expect(earlier).to_contain_text(re.compile("|".join(words[expected[formula]] for formula in ("110", "120"))))
    for _ in expected:
        press_key(shared, "u")
    press_key(shared, "j", to=place_of(formulas, "v2"))
    expect(earlier).to_be_hidden()


FAR = f"<p>Far {cast.math('8', 'y')} beginning {'words ' * 100} {cast.math('9', '+'.join(['xyz'] * 30))}</p>" * 3
NEAR = "<p>near</p>"


def test_what_is_far_from_the_formula_is_folded_marks_its_summary_and_opens_by_a_click(
    judge: Judge, formulas: Assignment
) -> None:
    assert met(formulas, "v2") == ["220"]
    write(formulas, answer=f"{FAR}{NEAR}<p>This is {cast.math('220', 'z')}.</p>{NEAR}<p>short end</p>", unit="22")
    page = judge(formulas, place_of(formulas, "v2"))
    post = current(page).locator("div.post")
    summary = post.locator("summary")
    expect(summary).to_have_count(1)
    expect(post.get_by_text("near").first).to_be_visible()
    expect(post.get_by_text("short end")).to_be_visible()
    expect(post.locator("p", has_text="Far").first).to_be_hidden()
    expect(post.locator("[tabindex='0']:not(.wide)")).to_have_attribute("data-tex", "z")  # wide ones scroll
    mark(page, "beginning", "near", "post")
    assert marked(page, "mark-0") == ["beginning"] * 3 + [summary.inner_text()]
    assert marked(page, "mark-1") == ["near"] * 2
    assert marked(page, "mark-2") == []  # a word of the summary itself
    summary.click()
    expect(post.locator("p", has_text="Far").first).to_be_visible()
    expect(post.locator(".wide").first).to_be_visible()  # measured when there was room for it
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
