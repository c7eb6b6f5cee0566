"""Items that do not come: those that cannot be shown, and those beyond what is ready while the server is away."""

import pytest
from playwright.sync_api import Locator, Page, expect

from assess.models import Assignment, Post
from tests.browser.desk.desk import Judge, at, current, expect_saved, open_place, press_key, saved, stocked
from tests.browser.desk.ledger import Ledger, held
from tests.pages import SignIn

pytestmark = [pytest.mark.problems_expected, pytest.mark.usefixtures("nothing_stored")]  # requests are to fail

AHEAD = 6


def status(page: Page) -> Locator:
    return page.locator("#status")


def lacking(page: Page) -> Locator:
    return page.get_by_role("status").and_(page.locator("#lacking"))


def test_an_item_that_cannot_be_shown_is_passed_over_and_said(page: Page, desk: Assignment, judge: Judge) -> None:
    ledger = Ledger(page, desk)
    Post.objects.filter(post_id=ledger.unit_at(2)).update(thread_id="")
    judge(desk)
    stocked(page, 3)
    for key, following in (("3", 3), ("2", 4)):
        ledger.judge(key)
        at(page, following)
    expect(status(page)).to_have_text("3: Medium, not available: 2")


def test_offline_after_the_last_item_that_is_ready_the_desk_still_hears(page: Page, ledger: Ledger) -> None:
    stocked(page, AHEAD)
    page.context.set_offline(True)
    stocked(page, AHEAD)
    ledger.judge_many(AHEAD)
    page.keyboard.press("3")
    expect(current(page).locator("button[aria-pressed=true]")).to_contain_text("High")
    ledger.decided[ledger.unit_at(AHEAD + 1)] = "3"
    expect(status(page)).to_have_text(f"offline, {AHEAD + 1} waiting")
    expect(lacking(page)).to_contain_text(f"Item {AHEAD + 2} is still loading")
    page.keyboard.press("0")
    page.evaluate("dispatchEvent(new Event('online'))")  # what waits and what is lacking are tried again, in vain
    page.evaluate("new Promise((done) => setTimeout(done, 100))")
    expect(status(page)).to_have_text("Already judged. Undo it to change it.", timeout=1)
    expect(status(page)).to_have_text(f"offline, {AHEAD + 1} waiting")  # when that has been read
    press_key(page, "k", to=AHEAD)
    page.keyboard.press("3")
    expect(current(page).locator("button[aria-pressed=true]")).to_contain_text("High")
    press_key(page, "u")
    expect(current(page).locator("button[aria-pressed=true]")).to_contain_text("Low")
    press_key(page, "j", to=AHEAD + 1)
    page.keyboard.press("j")
    expect(lacking(page)).to_contain_text(f"Item {AHEAD + 2} is still loading")
    page.context.set_offline(False)
    at(page, AHEAD + 2)  # by itself
    expect_saved(page, ledger.assignment, ledger.decided)
    expect(lacking(page)).to_have_text("")


def test_the_status_says_what_a_key_did_what_waits_and_what_is_saved(page: Page, ledger: Ledger) -> None:
    ledger.judge("3")
    expect(status(page)).to_have_text("1: High")
    saved(page)
    expect(status(page)).to_have_attribute("data-manner", "good")
    let_go = held(page, "**/judge/**")
    ledger.judge("2")
    page.keyboard.press("m")
    expect(status(page)).to_have_text("No marked formula here")
    let_go()
    expect(status(page)).to_have_text("2: Medium")
    page.context.set_offline(True)
    press_key(page, "3")
    expect(status(page)).to_have_text("offline, 1 waiting")
    expect(status(page)).to_have_attribute("data-manner", "waiting")  # no alarm
    page.context.set_offline(False)
    expect(status(page)).to_have_attribute("data-manner", "good")


def test_server_that_says_nothing_holds_keys_up_for_second_only(page: Page, sign_in: SignIn, desk: Assignment) -> None:
    sign_in(page, desk.assessor)
    let_go = held(page, "**/items/**")
    open_place(page, desk, 1)
    at(page, 1)
    let_saves_go = held(page, "**/judge/*/1/")  # the answer to a save brings the next item, too
    page.keyboard.press("3")
    expect(page.locator("#judged")).to_have_text("1")
    expect(status(page)).to_have_text("Loading")
    page.wait_for_selector("html[data-busy]", state="attached")
    press_key(page, "u")
    expect(page.locator("#judged")).to_have_text("0")
    let_saves_go()
    let_go()
