"""Keys that come more quickly than the desk is done with each."""

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings

from assess.models import Assignment
from tests.browser.desk.desk import Judge, at, at_once, current, expect_saved, idle, met, note_statuses, saved, until
from tests.desk import decisions_of, place_of
from tests.pages import NewPage

EARLY = "Ignored: pressed too early"


def typed(page: Page, keys: str) -> None:
    page.keyboard.type(keys)


@pytest.mark.parametrize("slower", [1, 8])
def test_those_for_the_posts_on_the_screen_count_one_after_the_other_and_no_others(
    judge: Judge, formulas: Assignment, slower: int
) -> None:
    """Also on a machine that is slower by a factor."""
    page = judge(formulas, place_of(formulas, "v1"))
    session = page.context.new_cdp_session(page)
    first, second, third = met(formulas, "v1")
    for how, keys, last in ((at_once, "32r", "2"), (typed, "32r", "2"), (at_once, "3210", "1")):
        session.send("Emulation.setCPUThrottlingRate", {"rate": slower})
        note_statuses(page)
        how(page, keys)
        at(page, place_of(formulas, "v2"))
        expect_saved(page, formulas, {first: "3", second: "2", third: last})
        if keys == "3210":  # the last is for an item that nobody has seen
            assert EARLY in page.evaluate("told")
        session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
        for left in (2, 1, 0):
            idle(page)
            page.keyboard.press("u")
            expect(page.locator("#status")).to_have_text("Undone")
            expect(current(page).locator("[aria-pressed=true]")).to_have_count(left)
        until(page, lambda: not decisions_of(formulas))


def test_a_second_press_of_a_key_does_not_judge_the_next_answer(
    judge: Judge, page: Page, answers: Assignment, settings: Settings
) -> None:
    """As fingers do, soon after the first press. The pause is long, so that a slow machine is quick enough."""
    settings.DESK_EARLY_MS = 4000
    judge(answers, 1)
    page.keyboard.press("2")
    at(page, 2)
    seen = page.evaluate("performance.now()")
    for pause in (20, 80, 150):
        page.wait_for_timeout(pause)
        page.keyboard.press("2")
        expect(page.locator("#status")).to_have_text(EARLY)
        assert at_place(page) == 2
    until(page, lambda: page.evaluate("performance.now()") > seen + settings.DESK_EARLY_MS)
    page.keyboard.press("2")
    at(page, 3)
    saved(page)
    assert len(decisions_of(answers)) == 2
    expect(page.locator("#status")).to_have_text("2: Medium")  # the note goes after a while


def test_a_double_tap_does_not_judge_the_next_answer(
    judge: Judge, new_page: NewPage, answers: Assignment, settings: Settings
) -> None:
    """On a phone the buttons of the next answer stand where those of the last one stood."""
    settings.DESK_EARLY_MS = 4000
    page = judge(answers, 1, new_page(width=400))
    page.keyboard.press("2")  # shows the answer, which stands below the question
    box = current(page).get_by_role("button", name="Medium").bounding_box()
    assert box
    touch = page.context.new_cdp_session(page)
    touch.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    for _ in range(2):
        point = {"x": box["x"] + 20, "y": box["y"] + 10}
        touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        at(page, 2)
    expect(page.locator("#status")).to_have_text(EARLY)
    saved(page)
    assert list(decisions_of(answers).values()) == ["2"]


def at_place(page: Page) -> int:
    return int(current(page).get_attribute("data-place"))
