"""The desk where something is slow, missing or over: items, MathJax, locks, sessions, the assignment itself."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, Route, expect

from assess.models import Assignment, Deferral
from tests import cast
from tests.browser.desk.desk import at, current, expect_saved, idle, open_place, press_key, ready, stocked
from tests.browser.desk.ledger import Ledger, OpenDesk, held, saves
from tests.desk import decisions_of
from tests.pages import SignIn

pytestmark = pytest.mark.problems_expected  # failed requests are what it is about

NO_SECURE_CONTEXT = """
for (const [kind, name] of [[Crypto, "randomUUID"], [Navigator, "locks"], [Navigator, "storage"]])
    Object.defineProperty(kind.prototype, name, { value: undefined });"""


def test_an_item_that_comes_late_does_not_take_a_comment_away(page: Page, sign_in: SignIn, desk: Assignment) -> None:
    sign_in(page, desk.assessor)
    let_go = held(page, "**/items/**")
    open_place(page, desk, 1)
    at(page, 1)
    page.keyboard.press("j")
    page.keyboard.press("c")
    page.keyboard.type("not sure, ")
    let_go()
    stocked(page, 1)
    page.wait_for_timeout(300)
    page.keyboard.type("2 or 3")
    expect(current(page)).to_have_attribute("data-place", "1")
    expect(current(page).get_by_label("Comment")).to_have_value("not sure, 2 or 3")
    assert decisions_of(desk) == {}


def test_without_mathjax_the_desk_goes_on(page: Page, problems: list[str], open_desk: OpenDesk) -> None:
    page.route("**/tex-mml-svg.js", lambda route: route.fulfill(status=404))
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


def test_over_plain_http_keys_judge(page: Page, open_desk: OpenDesk) -> None:
    page.add_init_script(NO_SECURE_CONTEXT)
    ledger = open_desk()
    ledger.judge_many(3)
    ledger.expect_saved()


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
