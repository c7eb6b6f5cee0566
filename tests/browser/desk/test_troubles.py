"""The desk where something is slow, missing or over: items, MathJax, locks, stored data, sessions, the assignment
itself."""

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import Locator, Page, Route, expect

from assess.models import Assignment, Deferral
from tests import cast
from tests.browser.desk.desk import (
    Judge,
    at,
    current,
    expect_saved,
    idle,
    note_statuses,
    open_place,
    press_key,
    ready,
    saved,
    stocked,
    until,
)
from tests.browser.desk.ledger import Ledger, OpenDesk, held, saves
from tests.desk import decisions_of
from tests.pages import SignIn

pytestmark = pytest.mark.problems_expected  # failed requests are what it is about

NO_SECURE_CONTEXT = """
for (const [kind, name] of [[Crypto, "randomUUID"], [Navigator, "locks"], [Navigator, "storage"]])
    Object.defineProperty(kind.prototype, name, { value: undefined });"""


def test_without_mathjax_and_over_plain_http_keys_judge(page: Page, problems: list[str], open_desk: OpenDesk) -> None:
    page.add_init_script(NO_SECURE_CONTEXT)
    page.route("**/startup.js", lambda route: route.fulfill(status=404))
    ledger = open_desk()
    ledger.judge("3")
    at(page, 2)
    ledger.judge("1")
    press_key(page, "u", to=2)
    expect(page.locator("#judged")).to_have_text("1")
    idle(page)
    ledger.judge("2")
    press_key(page, "j", to=4)
    expect_saved(page, ledger.assignment, ledger.decided)
    assert not [problem for problem in problems if problem.startswith("script:")]


def test_typed_comment_is_not_for_next_person_at_computer(page: Page, desk: Assignment, open_desk: OpenDesk) -> None:
    open_desk()
    page.keyboard.press("c")
    page.keyboard.type("mine")
    emmy = User.objects.get(username="emmy")
    emmys = cast.make_assignment(desk.round.pool, emmy, kind="dual")
    page.context.clear_cookies()
    open_desk(emmys.order.index(desk.order[0]) + 1, emmys)
    expect(current(page).get_by_label("Comment")).to_have_value("")


def test_a_save_whose_next_item_fails_is_tried_without_it(page: Page, ledger: Ledger) -> None:
    def fail(route: Route) -> None:
        if "want=" in route.request.post_data:
            route.fetch()  # kept, and then the next item
            route.fulfill(status=500)
        else:
            route.fallback()

    page.route("**/judge/**", saves(fail))
    ledger.judge_many(2)
    ledger.expect_saved()


def test_what_is_put_off_waits_like_a_judgment_and_undoes_none(page: Page, ledger: Ledger) -> None:
    page.route("**/judge/**", saves(lambda route: route.abort()))
    press_key(page, "s", to=2)
    ledger.judge("3")
    expect(page.locator("#status")).to_contain_text("2 waiting")
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    ready(page)
    page.unroute("**/judge/**")
    ledger.expect_saved()
    assert Deferral.objects.get().entry_id == ledger.assignment.order[0]
    let_go = held(page, "**/defer/")
    at(page, 3)
    press_key(page, "s", to=4)
    press_key(page, "k", to=3)
    ledger.judge("3")  # while it is being put off
    let_go()
    ledger.expect_saved()
    expect(page.locator("#judged")).to_have_text("2")


TAKEN_BACK = "This topic is paused or no longer yours. Your judgments are kept."


def take_back(ledger: Ledger) -> None:
    Assignment.objects.filter(pk=ledger.assignment.pk).update(closed=timezone.now())


def test_what_can_no_longer_be_done_shows_it_and_says_why(page: Page, ledger: Ledger) -> None:
    ledger.judge("3")
    saved(page)
    stocked(page, 4)
    take_back(ledger)
    ledger.judge("2")
    expect(page.locator("#status")).to_have_text(TAKEN_BACK)
    for control in page.locator("#undo, .item.current :is(.defer, .controls button, .controls textarea)").all():
        expect(control).to_be_disabled()
    note_statuses(page)
    page.keyboard.press("1")
    until(page, lambda: page.evaluate("told") == ["", TAKEN_BACK])
    expect(page.locator("dialog[open]")).to_have_count(0)
    press_key(page, "j", to=4)  # what is here already can be read
    expect(current(page).get_by_role("button", name="High")).to_be_disabled()
    page.locator("#ask summary").click()
    page.locator("#ask textarea").fill("Why?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("#asked")).to_have_text(TAKEN_BACK)
    expect(page.locator("#ask textarea")).to_have_value("Why?")
    page.get_by_role("link", name="My topics").click()  # a way on
    expect(page.locator(".account")).to_be_visible()
    expect(page).to_have_url("/")
    ledger.check()


def test_to_put_off_what_was_taken_back_is_nothing_to_be_asked_about(page: Page, ledger: Ledger) -> None:
    take_back(ledger)
    page.keyboard.press("s")
    expect(page.locator("#status")).to_have_text(TAKEN_BACK)
    ledger.expect_saved()
    expect(page.locator("dialog[open]")).to_have_count(0)


AHEAD = 6


def status(page: Page) -> Locator:
    return page.locator("#status")


def lacking(page: Page) -> Locator:
    return page.get_by_role("status").and_(page.locator("#lacking"))


@pytest.mark.usefixtures("nothing_stored")
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


BLOCKED = """
for (const name of ["localStorage", "sessionStorage", "indexedDB"]) {
    const get = () => { throw new DOMException("Access is denied", "SecurityError"); };
    Object.defineProperty(window, name, { get });
}"""


def test_without_site_data_buttons_judge_and_the_desk_says_why_keys_do_not(
    page: Page, sign_in: SignIn, answers: Assignment
) -> None:
    page.add_init_script(BLOCKED)
    sign_in(page, answers.assessor)
    open_place(page, answers, 1)
    expect(page.locator("#status")).to_contain_text("No keys: this browser keeps no site data.")
    page.keyboard.press("3")
    page.get_by_role("button", name="Medium").click()
    expect(page.locator("#place")).to_have_text("2")
    assert list(decisions_of(answers).values()) == ["2"]
    page.goto("/")
    expect(page.get_by_text("1 of 4 answers judged")).to_be_visible()


def test_damaged_entries_count_as_none(page: Page, judge: Judge, answers: Assignment) -> None:
    names = [f"assess.{name}" for name in ("keymap", "own_keys", "rest", "split", "theme", "keys", "guide")]
    names.append(f"assess.marks.{answers.assessor.pk}.{answers.campaign.slug}")
    page.add_init_script(f"""
        const damage = JSON.stringify({{ undo: 7 }});
        for (const name of {names}) localStorage.setItem(name, damage);
        sessionStorage.setItem("assess.undo.{answers.pk}", damage);""")
    judge(answers, 1)
    page.keyboard.press("3")
    at(page, 2)
    page.keyboard.press("u")
    at(page, 1)
    page.keyboard.press("2")
    at(page, 2)
    saved(page)
    assert list(decisions_of(answers).values()) == ["2"]
    page.evaluate("localStorage.clear()")  # for the tests that follow in this browser
