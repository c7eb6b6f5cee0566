"""Items that do not come: those that cannot be shown, and those beyond what is ready while the server is away."""

import pytest
from playwright.sync_api import Locator, Page, expect

from assess.models import Assignment, Post
from tests.browser.desk.desk import Judge, at, current, idle, open_place, ready, saved, stocked
from tests.browser.desk.ledger import Ledger, OpenDesk, held, saves
from tests.desk import decisions_of, place_of, unit_at
from tests.pages import SignIn

pytestmark = [pytest.mark.problems_expected, pytest.mark.usefixtures("nothing_stored")]  # requests are to fail

AHEAD = 6


def status(page: Page) -> Locator:
    return page.locator("#status")


def lacking(page: Page) -> Locator:
    return page.get_by_role("status").and_(page.locator("#lacking"))


@pytest.fixture
def broken(page: Page, sign_in: SignIn, desk: Assignment) -> Ledger:
    """The desk at its first place; the second item cannot be shown."""
    sign_in(page, desk.assessor)
    ledger = Ledger(page, desk)
    Post.objects.filter(post_id=ledger.unit_at(2)).update(thread_id="")
    open_place(page, desk, 1)
    ready(page)
    stocked(page, 3)
    return ledger


def test_an_item_that_cannot_be_shown_is_passed_over_and_said(page: Page, broken: Ledger) -> None:
    broken.judge("3")
    at(page, 3)
    broken.judge("2")
    at(page, 4)
    expect(status(page)).to_have_text("Saved, entries not available: 2")
    idle(page)
    page.keyboard.press("u")
    at(page, 3)
    saved(page)
    assert decisions_of(broken.assignment) == {broken.unit_at(1): "3"}


def test_what_could_not_be_shown_comes_last_and_is_tried_again(page: Page, answers: Assignment, judge: Judge) -> None:
    lost = place_of(answers, "12")
    posts = Post.objects.filter(post_id="12")
    was = posts.get().thread_id
    posts.update(thread_id="")
    first, *others = (place for place in range(1, 5) if place != lost)
    judge(answers, first)
    for place in others:
        idle(page)
        page.keyboard.press("3")
        at(page, place)
    idle(page)
    page.keyboard.press("1")
    expect(page.locator("#judged")).to_have_text("3")
    expect(status(page)).to_have_text(f"Saved, entries not available: {lost}")
    posts.update(thread_id=was)
    idle(page)
    page.keyboard.press("u")
    expect(page.locator("#judged")).to_have_text("2")
    idle(page)
    page.keyboard.press("0")
    at(page, lost)
    expect(status(page)).to_have_text("Saved")


def judge_all_that_is_ready(page: Page, ledger: Ledger) -> None:
    stocked(page, AHEAD)
    ledger.judge_many(AHEAD)
    page.keyboard.press("3")
    expect(current(page).locator("button[aria-pressed=true]")).to_contain_text("High")
    ledger.decided[ledger.unit_at(AHEAD + 1)] = "3"
    expect(status(page)).to_have_text(f"offline, {AHEAD + 1} waiting")
    expect(lacking(page)).to_contain_text(f"Entry {AHEAD + 2} is still loading")


def test_offline_after_the_last_item_that_is_ready_the_desk_still_hears(page: Page, open_desk: OpenDesk) -> None:
    ledger = open_desk()
    stocked(page, AHEAD)
    page.context.set_offline(True)
    judge_all_that_is_ready(page, ledger)
    page.keyboard.press("k")
    at(page, AHEAD)
    page.keyboard.press("3")
    expect(current(page).locator("button[aria-pressed=true]")).to_contain_text("High")
    idle(page)
    page.keyboard.press("u")
    expect(current(page).locator("button[aria-pressed=true]")).to_contain_text("Low")
    idle(page)
    page.keyboard.press("j")
    at(page, AHEAD + 1)
    page.keyboard.press("j")
    expect(lacking(page)).to_contain_text(f"Entry {AHEAD + 2} is still loading")
    page.context.set_offline(False)
    at(page, AHEAD + 2)  # by itself
    saved(page)
    expect(status(page)).to_have_text("Undone")  # what was done last
    assert decisions_of(ledger.assignment) == ledger.decided


def test_the_status_says_what_a_key_did_what_waits_and_what_is_saved(page: Page, open_desk: OpenDesk) -> None:
    ledger = open_desk()
    ledger.judge("3")
    expect(status(page)).to_have_text("Saved")
    let_go = held(page, "**/judge/**")
    ledger.judge("2")
    page.keyboard.press("n")
    expect(status(page)).to_contain_text("Not matching applies only to several posts")
    let_go()
    expect(status(page)).to_have_text("Saved")
    page.context.set_offline(True)
    idle(page)
    page.keyboard.press("3")
    expect(status(page)).to_have_text("offline, 1 waiting")
    expect(status(page)).to_have_attribute("data-manner", "waiting")  # no alarm
    page.context.set_offline(False)
    expect(status(page)).to_have_attribute("data-manner", "good")


def test_what_was_meant_for_an_item_that_is_not_here_changes_nothing(page: Page, open_desk: OpenDesk) -> None:
    ledger = open_desk()
    stocked(page, AHEAD)
    page.context.set_offline(True)
    judge_all_that_is_ready(page, ledger)
    expect(lacking(page)).to_contain_text("Your judgments are kept in this browser")
    for meant in ("0", "d", "r", "s"):
        page.keyboard.press(meant)
    stands = "Already judged. Undo it to change it."
    expect(status(page)).to_have_text(stands)
    for _ in range(2):  # what waits and what is lacking are tried again, in vain
        with page.expect_event("requestfailed"):
            page.evaluate("dispatchEvent(new Event('online'))")
    page.keyboard.press("0")
    page.evaluate("dispatchEvent(new Event('online'))")
    page.evaluate("new Promise((done) => setTimeout(done, 100))")
    expect(status(page)).to_have_text(stands, timeout=1)
    expect(status(page)).to_have_text(f"offline, {AHEAD + 1} waiting")  # when that has been read
    expect(page.locator("dialog[open]")).to_have_count(0)
    current(page).get_by_role("button", name="Low").click()
    expect(current(page).locator("button[aria-pressed=true]")).to_contain_text("High")
    page.keyboard.press("u")
    expect(current(page).locator("button[aria-pressed=true]")).to_have_count(0)
    expect(lacking(page)).to_have_text("")
    idle(page)
    page.keyboard.press("1")
    ledger.decided[ledger.unit_at(AHEAD + 1)] = "1"
    expect(lacking(page)).to_contain_text("still loading")
    page.keyboard.press("2")
    page.context.set_offline(False)
    at(page, AHEAD + 2)  # by itself
    expect(lacking(page)).to_have_text("")
    saved(page)
    assert decisions_of(ledger.assignment) == ledger.decided


def test_a_silent_server_changes_nothing_by_accident(page: Page, sign_in: SignIn, desk: Assignment) -> None:
    let_go = held(page, "**/items/**")
    sign_in(page, desk.assessor)
    ledger = Ledger(page, desk)
    open_place(page, desk, 1)
    at(page, 1)
    page.route("**/judge/*/1/", saves(lambda route: route.abort()))  # brings no item either
    page.keyboard.press("3")
    expect(lacking(page)).to_contain_text("Entry 2 is still loading")
    idle(page)
    page.keyboard.press("1")
    expect(current(page).locator("button[aria-pressed=true]")).to_contain_text("High")
    let_go()
    at(page, 2)
    page.unroute("**/judge/*/1/")
    saved(page)
    assert decisions_of(desk) == {ledger.unit_at(1): "3"}


def test_offline_at_the_end_the_last_judgment_is_not_changed_by_accident(judge: Judge, answers: Assignment) -> None:
    page = judge(answers)
    stocked(page, 3)
    page.context.set_offline(True)
    for place, key in enumerate("3210", start=1):
        at(page, place)
        idle(page)
        page.keyboard.press(key)
    expect(page.locator("#judged")).to_have_text("4")
    expect(status(page)).to_have_text("offline, 4 waiting")
    idle(page)
    page.keyboard.press("3")
    expect(status(page)).to_have_text("Already judged. Undo it to change it.")
    page.context.set_offline(False)
    expect(page.get_by_text("All 4 judged. Thank you.")).to_be_visible()
    assert decisions_of(answers)[unit_at(answers, 4)] == "0"


def test_offline_undo_to_an_item_that_is_not_here_holds_nothing_up(page: Page, open_desk: OpenDesk) -> None:
    ledger = open_desk()
    ledger.judge_many(4)
    saved(page)
    page.keyboard.press("j")
    at(page, 6)
    page.reload()  # what was judged before is not here any longer
    ready(page)
    stocked(page, 7)
    page.context.set_offline(True)
    page.keyboard.press("u")
    expect(lacking(page)).to_contain_text("Entry 4 is still loading")
    ledger.judge("3")
    page.context.set_offline(False)
    saved(page)
    ledger.check()


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
    idle(page)
    page.keyboard.press("u")
    expect(page.locator("#judged")).to_have_text("0")
    let_saves_go()
    let_go()


def test_while_the_server_is_away_what_is_ready_goes_on(page: Page, sign_in: SignIn, desk: Assignment) -> None:
    """The item that comes next is not here, those after it are."""
    sign_in(page, desk.assessor)
    ledger = Ledger(page, desk)
    posts = Post.objects.filter(post_id=ledger.unit_at(3))
    was = posts.get().thread_id
    posts.update(thread_id="")
    open_place(page, desk, 1)
    ready(page)
    stocked(page, 4)
    posts.update(thread_id=was)
    page.context.set_offline(True)
    ledger.judge("3")
    ledger.judge("2")
    at(page, 4)
    page.context.set_offline(False)
    saved(page)
    ledger.check()
