"""Several things at once at the desk: more than one conflict, window or person, slow answers, an ended session."""

import json
from urllib.parse import parse_qs

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone
from playwright.sync_api import expect

from assess.models import Assignment, Deferral, Judgment, Post
from tests import cast
from tests.browser.desk import at, current, idle, met, open_place, ready, saved
from tests.browser.ledger import opened
from tests.desk import decisions, place_of, press

pytestmark = [
    pytest.mark.browser,
    pytest.mark.problems_expected,  # failed requests are what it is about
    pytest.mark.django_db(transaction=True),
]

ITEMS = "**/items/**"
NO_SECURE_CONTEXT = """
for (const [kind, name] of [[Crypto, "randomUUID"], [Navigator, "locks"], [Navigator, "storage"]])
    Object.defineProperty(kind.prototype, name, { value: undefined });"""


def saves(action):
    """Does something to each decision on its way; everything else goes on."""
    return lambda route: action(route) if route.request.method == "POST" else route.fallback()


def held(page, address):
    """Requests get no answer until the test calls what this returns."""
    waiting, is_over = [], []
    page.route(address, lambda route: route.fallback() if is_over else waiting.append(route))

    def let_go():
        is_over.append(True)
        for route in waiting:
            route.fallback()

    return let_go


def unit_at(ledger, place):
    return ledger.units[ledger.assignment.order[place - 1]]


def judged_elsewhere(client, ledger, place, word, **more):
    client.force_login(ledger.assignment.assessor)
    press(client, ledger.assignment, unit_at(ledger, place), word, **more)


def test_each_conflict_is_asked_about_by_itself(page, live_server, sign_in, desk, client):
    ledger = opened(page, live_server, sign_in, desk)
    page.route("**/judge/**", saves(lambda route: route.abort()))
    for place in (1, 2, 3):
        judged_elsewhere(client, ledger, place, "3", comment="as agreed" if place == 3 else "")
    for key in "003":
        ledger.judge(key)
    page.unroute("**/judge/**")
    box = page.locator("dialog#conflict")
    expect(box.locator("[data-ours]")).to_contain_text("1 of 24: Not relevant")
    box.get_by_role("button", name="What I decided here").click()
    expect(box.locator("[data-ours]")).to_contain_text("2 of 24: Not relevant")
    box.get_by_role("button", name="What is kept now").click()
    expect(box.locator("[data-theirs]")).to_have_text("3 of 24: High, “as agreed”")
    expect(box.locator("[data-ours]")).to_have_text("3 of 24: High")
    box.get_by_role("button", name="What is kept now").click()
    expect(box).to_be_hidden()
    saved(page)
    assert decisions(ledger.assignment) == {unit_at(ledger, 1): "0", unit_at(ledger, 2): "3", unit_at(ledger, 3): "3"}


def test_what_is_typed_while_the_page_loads_is_typed_to_its_end(page, live_server, sign_in, desk):
    ada, mine = desk
    sign_in(page, ada)
    let_go = held(page, "**/judging.js")
    page.goto(f"{live_server.url}/judge/{mine.pk}/1/", wait_until="commit")
    page.locator("#ask summary").click()
    page.locator("#ask textarea").click()
    page.keyboard.type("not sure, ")
    let_go()
    ready(page)
    page.wait_for_timeout(200)
    page.keyboard.type("2 or 3")
    expect(page.locator("#ask textarea")).to_have_value("not sure, 2 or 3")
    assert decisions(mine) == {}


def test_an_item_that_comes_late_does_not_take_a_comment_away(page, live_server, sign_in, desk):
    ada, mine = desk
    sign_in(page, ada)
    let_go = held(page, ITEMS)
    open_place(page, live_server, mine, 1)
    ready(page)
    page.keyboard.press("j")
    page.keyboard.press("c")
    page.keyboard.type("not sure, ")
    let_go()
    page.wait_for_timeout(500)
    page.keyboard.type("2 or 3")
    expect(current(page)).to_have_attribute("data-place", "1")
    expect(current(page).get_by_label("Comment")).to_have_value("not sure, 2 or 3")
    assert decisions(mine) == {}


def test_an_item_that_comes_late_does_not_push_aside_what_came_after_it(page, live_server, sign_in, desk):
    ledger = opened(page, live_server, sign_in, desk, 12)
    page.wait_for_selector(".item[data-place='15']", state="attached")
    page.route(ITEMS, lambda route: route.abort())
    page.keyboard.press("k")
    expect(page.locator("#status")).to_contain_text("offline")
    ledger.judge("3")
    page.unroute(ITEMS)
    page.wait_for_timeout(2500)  # longer than the pause after which it is asked for again
    expect(current(page)).to_have_attribute("data-place", "13")
    ledger.judge("1")
    saved(page)
    ledger.check()


def test_a_password_box_that_is_left_comes_again(page, live_server, sign_in, desk):
    ledger = opened(page, live_server, sign_in, desk)
    Session.objects.all().delete()
    ledger.judge("3")
    box = page.locator("dialog#login")
    expect(box).to_be_visible()
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    ledger.judge("2")
    expect(box).to_be_visible()
    box.get_by_label("Password").fill(cast.PASSWORD)
    box.get_by_role("button", name="Sign in").click()
    saved(page)
    ledger.check()


def test_a_conflict_that_is_left_open_hides_nothing_else(page, live_server, sign_in, desk, client):
    ledger = opened(page, live_server, sign_in, desk)
    judged_elsewhere(client, ledger, 1, "2")
    ledger.judge("3")
    box = page.locator("dialog#conflict")
    expect(box).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#status")).to_contain_text("1 not kept")
    ledger.judge("0")
    expect(page.locator("#status")).to_have_text("1 not kept, all else saved")
    expect(box).to_be_hidden()
    Session.objects.all().delete()
    ledger.judge("1")
    expect(page.locator("dialog#login")).to_be_visible()


def test_a_conflict_that_is_left_open_does_not_keep_from_the_list(page, live_server, sign_in, answers, client):
    ada, mine = answers
    sign_in(page, ada)
    open_place(page, live_server, mine, 1)
    ready(page)
    client.force_login(ada)
    unit = next(unit for unit in ("11", "12", "21", "99") if place_of(mine, unit) == 1)
    press(client, mine, unit, "2")
    page.keyboard.press("3")
    expect(page.locator("dialog#conflict")).to_be_visible()
    page.keyboard.press("Escape")
    for place, key in enumerate("210", start=2):
        at(page, place)
        idle(page)
        page.keyboard.press(key)
    expect(page.get_by_text("All 4 judged. Thank you.")).to_be_visible()


def test_without_mathjax_the_desk_goes_on(page, live_server, sign_in, desk):
    page.route("**/tex-mml-svg.js", lambda route: route.fulfill(status=404))
    ledger = opened(page, live_server, sign_in, desk)
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
    assert not [problem for problem in page.problems if problem.startswith("script:")]


def test_over_plain_http_keys_judge(page, live_server, sign_in, desk):
    page.add_init_script(NO_SECURE_CONTEXT)
    ledger = opened(page, live_server, sign_in, desk)
    ledger.judge_many(3)
    saved(page)
    ledger.check()


def test_what_is_let_go_leaves_the_judgment_that_the_server_holds(page, live_server, sign_in, desk):
    ledger = opened(page, live_server, sign_in, desk)
    ledger.judge("3")
    saved(page)
    Post.objects.filter(post_id=unit_at(ledger, 1)).update(body="<p>Another text.</p>")
    open_place(page, live_server, ledger.assignment, 1)
    ready(page)
    page.keyboard.press("0")
    page.locator("dialog#refused").get_by_role("button", name="Let it go").click()
    saved(page)
    page.keyboard.press("k")
    at(page, 1)
    expect(current(page).get_by_role("button", name="High")).to_have_attribute("aria-pressed", "true")
    assert decisions(ledger.assignment) == {unit_at(ledger, 1): "3"}


def test_a_reason_that_is_needed_cannot_be_emptied(page, live_server, sign_in, desk):
    ledger = opened(page, live_server, sign_in, desk)
    page.keyboard.press("d")
    page.keyboard.press("1")
    at(page, 2)
    saved(page)
    page.keyboard.press("k")
    at(page, 1)
    reason = current(page).get_by_label("Comment").input_value()
    current(page).get_by_label("Comment").fill("")
    page.keyboard.press("Enter")
    expect(current(page).get_by_label("Comment")).to_have_value(reason)
    assert reason
    assert Judgment.objects.get(assignment=ledger.assignment).comment == reason


def test_a_typed_comment_is_not_for_the_next_person_at_the_computer(page, live_server, sign_in, desk):
    _, mine = desk
    opened(page, live_server, sign_in, desk)
    page.keyboard.press("c")
    page.keyboard.type("mine")
    emmy = cast.User.objects.get(username="emmy")
    theirs = cast.make_assignment(mine.round.pool, emmy, kind="dual")
    page.context.clear_cookies()
    opened(page, live_server, sign_in, (emmy, theirs), theirs.order.index(mine.order[0]) + 1)
    expect(current(page).get_by_label("Comment")).to_have_value("")


TAKEN_BACK = "This topic was taken back. What you judged is kept."


def test_a_topic_that_was_taken_back_brings_no_further_items(page, live_server, sign_in, desk):
    ledger = opened(page, live_server, sign_in, desk, 12)
    Assignment.objects.filter(pk=ledger.assignment.pk).update(closed=timezone.now())
    page.keyboard.press("k")
    expect(page.locator("#status")).to_have_text(TAKEN_BACK)
    page.wait_for_timeout(1000)
    expect(current(page)).to_have_attribute("data-place", "12")
    page.keyboard.press("3")
    page.wait_for_timeout(300)
    expect(page.locator("#status")).to_have_text(TAKEN_BACK)
    assert decisions(ledger.assignment) == {}


def test_a_save_tells_that_the_topic_was_taken_back(page, live_server, sign_in, desk):
    ledger = opened(page, live_server, sign_in, desk)

    def close(route):
        response = route.fetch()
        route.fulfill(response=response, body=json.dumps({**response.json(), "closed": True}))

    page.route("**/judge/**", saves(close))
    ledger.judge("3")
    expect(page.locator("#status")).to_have_text(TAKEN_BACK)
    saved(page)
    page.keyboard.press("2")
    page.wait_for_timeout(300)
    ledger.check()


def test_of_two_windows_one_asks_and_both_show_the_answer(page, live_server, sign_in, desk, client):
    ledger = opened(page, live_server, sign_in, desk)
    second = page.context.new_page()
    open_place(second, live_server, ledger.assignment, 1)
    ready(second)
    judged_elsewhere(client, ledger, 1, "2")
    page.keyboard.press("0")
    at(page, 2)
    boxes = [one.locator("dialog#conflict") for one in (page, second)]
    page.wait_for_timeout(500)
    asked = [box for box in boxes if box.is_visible()]
    assert len(asked) == 1
    asked[0].get_by_role("button", name="What I decided here").click()
    expect(page.locator("#status")).to_have_text("Saved")
    saved(page)
    assert not any(box.is_visible() for box in boxes)
    assert decisions(ledger.assignment) == {unit_at(ledger, 1): "0"}
    expect(second.locator(".item[data-place='1'] button[value='0']")).to_have_attribute("aria-pressed", "true")


def test_a_window_shows_the_second_decision_of_another(page, live_server, sign_in, desk):
    ledger = opened(page, live_server, sign_in, desk)
    second = page.context.new_page()
    open_place(second, live_server, ledger.assignment, 1)
    ready(second)
    for key in "31":
        page.keyboard.press(key)
        at(page, 2)
        saved(page)
        pressed = second.locator(f".item[data-place='1'] button[value='{key}']")
        expect(pressed).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("k")
        at(page, 1)


def test_a_window_that_does_not_send_tells_what_waits(page, live_server, sign_in, desk):
    ledger = opened(page, live_server, sign_in, desk)
    second = page.context.new_page()
    open_place(second, live_server, ledger.assignment, 5)
    ready(second)
    page.context.route("**/judge/**", saves(lambda route: route.abort()))
    ledger.judge("3")
    expect(second.locator("#status")).to_contain_text("1 waiting")
    page.context.unroute("**/judge/**")
    expect(second.locator("#status")).to_have_text("Saved", timeout=15_000)


def test_a_decision_says_which_rulings_were_on_the_page(page, live_server, sign_in, desk):
    ledger = opened(page, live_server, sign_in, desk)
    page.evaluate("document.querySelector('#beside').dataset.rulings = '7'")
    with page.expect_request(lambda request: request.method == "POST") as sent:
        ledger.judge("3")
    assert parse_qs(sent.value.post_data)["rulings"] == ["7"]
    news = json.dumps({"rulings": "", "own": "", "version": 8})
    page.route("**/news/**", lambda route: route.fulfill(body=news, content_type="application/json"))
    page.locator("#ask summary").click()
    page.locator("#ask textarea").fill("Why?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("#beside")).to_have_attribute("data-rulings", "8")


def test_what_is_put_off_without_a_network_waits_like_a_judgment(page, live_server, sign_in, desk):
    ledger = opened(page, live_server, sign_in, desk)
    page.route("**/judge/**", saves(lambda route: route.abort()))
    page.keyboard.press("s")
    at(page, 2)
    ledger.judge("3")
    expect(page.locator("#status")).to_contain_text("2 waiting")
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    ready(page)
    page.unroute("**/judge/**")
    page.wait_for_selector('html[data-waiting="0"]', state="attached", timeout=30_000)
    assert Deferral.objects.get().entry_id == ledger.assignment.order[0]
    ledger.check()


def test_a_grade_while_an_item_is_put_off_is_not_undone_by_it(page, live_server, sign_in, desk):
    ledger = opened(page, live_server, sign_in, desk)
    let_go = held(page, "**/defer/")
    page.keyboard.press("s")
    page.keyboard.press("3")
    page.wait_for_timeout(300)
    let_go()
    saved(page)
    page.wait_for_timeout(300)
    judged = page.locator("#judged").inner_text()
    assert judged == str(len(decisions(ledger.assignment)))


def test_an_old_copy_of_the_page_learns_what_stands(page, live_server, sign_in, desk, client):
    ledger = opened(page, live_server, sign_in, desk)
    old = page.request.get(page.url).text()
    judged_elsewhere(client, ledger, 1, "3")
    page.route(page.url, lambda route: route.fulfill(body=old, content_type="text/html"))
    page.reload()
    ready(page)
    page.unroute(page.url)
    expect(current(page).get_by_role("button", name="High")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("0")
    at(page, 2)
    saved(page)
    expect(page.locator("dialog#conflict")).to_be_hidden()
    assert decisions(ledger.assignment) == {unit_at(ledger, 1): "0"}


def test_a_next_item_that_fails_holds_no_decision_up(page, live_server, sign_in, desk):
    ledger = opened(page, live_server, sign_in, desk)

    def fail(route):
        if "want=" in route.request.post_data:
            route.fetch()  # kept, and then the next item
            route.fulfill(status=500)
        else:
            route.fallback()

    page.route("**/judge/**", saves(fail))
    ledger.judge_many(2)
    page.wait_for_selector('html[data-waiting="0"]', state="attached", timeout=15_000)
    ledger.check()


def test_what_is_learned_late_does_not_undo_what_was_decided_meanwhile(page, live_server, sign_in, formulas):
    ada, mine = formulas
    sign_in(page, ada)
    open_place(page, live_server, mine, place_of(mine, "v1"))
    ready(page)
    page.wait_for_timeout(500)
    waiting = []
    page.route(ITEMS, lambda route: waiting.append((route, route.fetch())))
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_timeout(300)
    page.keyboard.press("2")
    saved(page)
    for route, response in waiting:
        route.fulfill(response=response)
    page.wait_for_timeout(300)
    assert waiting
    first = current(page).locator("[data-candidate]").first
    expect(first.locator("button[value='2']")).to_have_attribute("aria-pressed", "true")
    assert decisions(mine) == {met(mine, "v1")[0]: "2"}


def test_a_session_that_ended_unseen_asks_for_the_password(page, live_server, sign_in, desk):
    opened(page, live_server, sign_in, desk, 12)
    Session.objects.all().delete()
    page.keyboard.press("k")
    box = page.locator("dialog#login")
    expect(box).to_be_visible()
    box.get_by_label("Password").fill(cast.PASSWORD)
    box.get_by_role("button", name="Sign in").click()
    at(page, 11)


def test_a_new_key_stands_on_all_items_that_are_ready(page, live_server, sign_in, desk):
    opened(page, live_server, sign_in, desk)
    page.wait_for_selector(".item[data-place='5']", state="attached")
    page.keyboard.press("?")
    page.locator("kbd[data-action=grade-3]").click()
    page.keyboard.press("h")
    labels = page.locator(".item button[value='3'] kbd")
    assert labels.count() > 5
    assert set(labels.all_text_contents()) == {"H"}
