"""The desk where something is slow, missing or over: items, MathJax, locks, sessions, the assignment itself."""

import json
from urllib.parse import parse_qs

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.utils import timezone
from playwright.sync_api import Page, Route, expect

from assess.models import Assignment, Deferral
from tests import cast
from tests.browser.judging.desk import at, current, idle, open_place, ready, saved, sign_in_again, stocked
from tests.browser.judging.ledger import OpenDesk, held, saves
from tests.desk import decisions
from tests.pages import SignIn

pytestmark = pytest.mark.problems_expected  # failed requests are what it is about

ITEMS = "**/items/**"
NO_SECURE_CONTEXT = """
for (const [kind, name] of [[Crypto, "randomUUID"], [Navigator, "locks"], [Navigator, "storage"]])
    Object.defineProperty(kind.prototype, name, { value: undefined });"""


def test_what_is_typed_while_the_page_loads_is_typed_to_its_end(page: Page, sign_in: SignIn, desk: Assignment) -> None:
    sign_in(page, desk.assessor)
    let_go = held(page, "**/judging.js")
    page.goto(f"/judge/{desk.pk}/1/", wait_until="commit")
    page.locator("#ask summary").click()
    page.locator("#ask textarea").click()
    page.keyboard.type("not sure, ")
    let_go()
    ready(page)
    page.wait_for_timeout(200)
    page.keyboard.type("2 or 3")
    expect(page.locator("#ask textarea")).to_have_value("not sure, 2 or 3")
    assert decisions(desk) == {}


def test_an_item_that_comes_late_does_not_take_a_comment_away(page: Page, sign_in: SignIn, desk: Assignment) -> None:
    sign_in(page, desk.assessor)
    let_go = held(page, ITEMS)
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
    assert decisions(desk) == {}


def test_a_password_box_that_is_left_comes_again(page: Page, open_desk: OpenDesk) -> None:
    ledger = open_desk()
    Session.objects.all().delete()
    ledger.judge("3")
    box = page.locator("dialog#login")
    expect(box).to_be_visible()
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    ledger.judge("2")
    expect(box).to_be_visible()
    sign_in_again(page)
    saved(page)
    ledger.check()


def test_without_mathjax_the_desk_goes_on(page: Page, problems: list[str], open_desk: OpenDesk) -> None:
    page.route("**/tex-mml-svg.js", lambda route: route.fulfill(status=404))
    ledger = open_desk()
    ledger.judge("3")
    at(page, 2)
    ledger.judge("1")
    page.keyboard.press("u")
    at(page, 2)
    expect(page.locator("#judged")).to_have_text("1")
    idle(page)
    ledger.judge("2")
    page.keyboard.press("j")
    at(page, 4)
    saved(page)
    assert decisions(ledger.assignment) == ledger.decided
    assert not [problem for problem in problems if problem.startswith("script:")]


def test_over_plain_http_keys_judge(page: Page, open_desk: OpenDesk) -> None:
    page.add_init_script(NO_SECURE_CONTEXT)
    ledger = open_desk()
    ledger.judge_many(3)
    saved(page)
    ledger.check()


def test_typed_comment_is_not_for_next_person_at_computer(page: Page, desk: Assignment, open_desk: OpenDesk) -> None:
    open_desk()
    page.keyboard.press("c")
    page.keyboard.type("mine")
    emmy = User.objects.get(username="emmy")
    emmys = cast.make_assignment(desk.round.pool, emmy, kind="dual")
    page.context.clear_cookies()
    open_desk(emmys.order.index(desk.order[0]) + 1, emmys)
    expect(current(page).get_by_label("Comment")).to_have_value("")


TAKEN_BACK = "This topic is paused or no longer yours. Your judgments are kept."


@pytest.mark.usefixtures("nothing_stored")
def test_a_topic_that_was_taken_back_brings_no_further_items(page: Page, open_desk: OpenDesk) -> None:
    ledger = open_desk(12)
    Assignment.objects.filter(pk=ledger.assignment.pk).update(closed=timezone.now())
    page.keyboard.press("k")
    expect(page.locator("#status")).to_have_text(TAKEN_BACK)
    page.wait_for_timeout(1000)
    expect(current(page)).to_have_attribute("data-place", "12")
    page.keyboard.press("3")
    page.wait_for_timeout(300)
    expect(page.locator("#status")).to_have_text(TAKEN_BACK)
    assert decisions(ledger.assignment) == {}


def test_a_save_tells_that_the_topic_was_taken_back(page: Page, open_desk: OpenDesk) -> None:
    ledger = open_desk()

    def close(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, body=json.dumps({**response.json(), "closed": True}))

    page.route("**/judge/**", saves(close))
    ledger.judge("3")
    expect(page.locator("#status")).to_have_text(TAKEN_BACK)
    saved(page)
    page.keyboard.press("2")
    page.wait_for_timeout(300)
    ledger.check()


def test_a_decision_says_which_rulings_were_on_the_page(page: Page, open_desk: OpenDesk) -> None:
    with page.expect_response("**/news/**"):  # the first
        ledger = open_desk()
    page.evaluate("document.querySelector('#beside').dataset.rulings = '7'")
    with page.expect_request(lambda request: request.method == "POST") as sent:
        ledger.judge("3")
    assert parse_qs(sent.value.post_data)["rulings"] == ["7"]
    news = json.dumps({"rulings": "", "ruled": "", "own": "", "version": 8})
    page.route("**/news/**", lambda route: route.fulfill(body=news, content_type="application/json"))
    page.locator("#ask summary").click()
    page.locator("#ask textarea").fill("Why?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("#beside")).to_have_attribute("data-rulings", "8")


def test_what_is_put_off_without_a_network_waits_like_a_judgment(page: Page, open_desk: OpenDesk) -> None:
    ledger = open_desk()
    page.route("**/judge/**", saves(lambda route: route.abort()))
    page.keyboard.press("s")
    at(page, 2)
    ledger.judge("3")
    expect(page.locator("#status")).to_contain_text("2 waiting")
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    ready(page)
    page.unroute("**/judge/**")
    saved(page)
    assert Deferral.objects.get().entry_id == ledger.assignment.order[0]
    ledger.check()


def test_a_grade_while_an_item_is_put_off_is_not_undone_by_it(page: Page, open_desk: OpenDesk) -> None:
    ledger = open_desk()
    let_go = held(page, "**/defer/")
    page.keyboard.press("s")
    at(page, 2)
    idle(page)
    page.keyboard.press("k")
    at(page, 1)
    ledger.judge("3")
    let_go()
    saved(page)
    expect(page.locator("#judged")).to_have_text("1")
    ledger.check()


def test_a_next_item_that_fails_holds_no_decision_up(page: Page, open_desk: OpenDesk) -> None:
    ledger = open_desk()

    def fail(route: Route) -> None:
        if "want=" in route.request.post_data:
            route.fetch()  # kept, and then the next item
            route.fulfill(status=500)
        else:
            route.fallback()

    page.route("**/judge/**", saves(fail))
    ledger.judge_many(2)
    saved(page)
    ledger.check()


@pytest.mark.usefixtures("nothing_stored")
def test_a_session_that_ended_unseen_asks_for_the_password(page: Page, open_desk: OpenDesk) -> None:
    open_desk(12)
    Session.objects.all().delete()
    page.keyboard.press("k")
    box = page.locator("dialog#login")
    expect(box).to_be_visible()
    sign_in_again(page)
    at(page, 11)


def test_a_new_key_stands_on_all_items_that_are_ready(page: Page, open_desk: OpenDesk) -> None:
    open_desk()
    page.wait_for_selector(".item[data-place='5']", state="attached")
    page.keyboard.press("?")
    page.locator("kbd[data-command=grade-3]").click()
    page.keyboard.press("h")
    labels = page.locator(".item button[value='3'] kbd")
    assert labels.count() > 5
    assert set(labels.all_text_contents()) == {"H"}
