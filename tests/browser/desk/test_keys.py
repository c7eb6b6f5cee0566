"""The judging desk by keys."""

import re

from playwright.sync_api import expect

from assess.models import Assignment, Judgment, JudgmentEvent
from tests import cast
from tests.browser.desk.desk import Judge, at, current, press_key, ready, saved, write
from tests.desk import decisions_of, unit_at


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
    expect(page.get_by_text("All 4 judged. Thank you.")).to_be_visible()
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
