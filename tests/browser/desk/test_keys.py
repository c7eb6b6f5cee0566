"""The judging desk by keys, by mouse and without JavaScript: judging, moving, and undo."""

import re

from playwright.sync_api import Page, expect

from assess.models import Assignment, Judgment, JudgmentEvent
from tests import cast
from tests.browser.desk.desk import Judge, at, current, met, open_place, press_key, ready, saved, write
from tests.desk import decisions_of, place_of, unit_at
from tests.pages import NewPage, SignIn


def test_one_key_judges_an_answer_and_brings_the_next_without_loading_a_page(judge: Judge, answers: Assignment) -> None:
    page = judge(answers)
    page.evaluate("window.stillHere = true")
    expected = {}
    for place, key in enumerate("3210", start=1):
        at(page, place)
        expected[unit_at(answers, place)] = key
        page.wait_for_timeout(700)  # time that counts
        if place == 4:
            assert page.evaluate("window.stillHere")
        page.keyboard.press(key)
    expect(page.get_by_text("All 4 answers judged. Thank you.")).to_be_visible()
    assert decisions_of(answers) == expected
    times = list(JudgmentEvent.objects.values_list("active_ms", "wall_ms"))
    assert all(500 <= active <= wall <= 60_000 for active, wall in times), times


def test_keys_move_and_the_address_follows_but_arrows_scroll_what_is_too_wide(
    judge: Judge, answers: Assignment
) -> None:
    wide = cast.math("", "+".join(f"x_{{{n}}}" for n in range(60)))
    write(answers, answer=f"<p>{wide}.</p>", unit=unit_at(answers, 1))
    page = judge(answers)
    for key, place in [("j", 2), ("ArrowRight", 3), ("k", 2), ("ArrowLeft", 1), ("k", 1)]:
        press_key(page, key, to=place)
        expect(page).to_have_url(re.compile(rf"/judge/{answers.pk}/{place}/$"))
    page.wait_for_selector("html[data-typeset]", state="attached")
    page.locator(".item.current .math-container").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('.item.current .wide').scrollLeft > 0")
    expect(current(page)).to_have_attribute("data-place", "1")
    assert decisions_of(answers) == {}


def test_a_comment_goes_with_the_decision_can_be_changed_after_and_survives_a_reload(
    judge: Judge, answers: Assignment
) -> None:
    page = judge(answers)
    page.keyboard.press("c")
    page.keyboard.type("3 2 1 are typed")
    page.keyboard.press("Escape")
    press_key(page, "2", to=2)
    press_key(page, "k", to=1)
    page.keyboard.press("c")
    page.keyboard.type(", and more")
    page.keyboard.press("Enter")
    saved(page)
    expect(page.locator("#status")).to_have_text("1: Medium")
    assert list(Judgment.objects.values_list("grade", "comment")) == [(2, "3 2 1 are typed, and more")]
    press_key(page, "j", to=2)
    page.keyboard.press("c")
    page.keyboard.type("half a thought")
    page.reload()
    ready(page)
    expect(current(page).get_by_label("Comment")).to_have_value("half a thought")


def test_all_works_without_scripts(
    new_page: NewPage, sign_in: SignIn, formulas: Assignment, problems: list[str]
) -> None:
    page = new_page(java_script_enabled=False)
    sign_in(page, formulas.assessor)
    page.goto("/")
    expect(page.get_by_label("Theme")).to_be_hidden()  # no dead controls
    page.get_by_role("link", name="B.1", exact=True).click()  # the whole card is it
    for control in (page.get_by_role("button", name="Reading"), page.locator("#divider")):
        expect(control).to_be_hidden()
    expect(page.locator(".topic math").first).to_be_visible()
    open_place(page, formulas, place_of(formulas, "v1"))
    cards = page.locator("[data-document]")
    cards.nth(0).get_by_role("button", name="High").click()
    cards.nth(1).get_by_role("button", name="System failure").click()
    expect(cards.nth(1)).to_contain_text("System failure needs a comment that says why.")
    assert "422" in problems.pop()  # as the browser notes it
    cards.nth(1).get_by_label("Comment").fill("Boxes instead of symbols.")
    cards.nth(1).get_by_role("button", name="System failure").click()
    cards.nth(2).get_by_role("button", name="Not matching").click()
    expect(page.locator(".saved")).to_have_text("Saved")
    page.get_by_role("button", name="Defer").click()
    expect(page.get_by_role("button", name="Stop deferring")).to_be_visible()
    page.get_by_role("button", name="Not relevant").click()
    expect(page.get_by_text("All 2 formulas judged. Thank you.")).to_be_visible()
    first, second, third = met(formulas, "v1")
    assert decisions_of(formulas) == {first: "3", second: "system_failure", third: "not_matching", "220": "0"}
    assert set(Judgment.objects.values_list("active_ms", flat=True)) == {0}
    open_place(page, formulas, place_of(formulas, "v2"))
    page.get_by_role("button", name="Take back").click()
    expect(page.locator(".saved")).to_have_text("Taken back")
    assert "220" not in decisions_of(formulas)


def test_the_thread_opens_beside_with_post_and_formula_marked(page: Page, formulas: Assignment, judge: Judge) -> None:
    judge(formulas, place_of(formulas, "v2"))
    with page.context.expect_page() as opened:
        page.keyboard.press("t")
    thread = opened.value
    expect(thread.locator("#post-22")).to_contain_text("the post you came from")
    expect(thread.locator("#post-22 .pooled")).to_be_visible()
    expect(thread.locator("#post-21 .pooled")).to_be_hidden()
    expect(thread.locator("#post-22 .math-container.highlight")).to_be_visible()
