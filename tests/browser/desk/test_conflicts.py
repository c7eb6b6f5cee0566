"""What was decided elsewhere meanwhile: conflicts, several windows, old pages, late answers."""

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from assess.models import Assignment, Post
from tests.browser.desk.desk import Judge, at, current, expect_saved, leave, open_place, press_key, ready, saved, until
from tests.browser.desk.ledger import Ledger, judged_elsewhere, saves
from tests.desk import decisions_of, press, unit_at

pytestmark = pytest.mark.problems_expected  # failed requests are what it is about


def test_each_conflict_is_asked_about_by_itself(page: Page, client: Client, ledger: Ledger) -> None:
    page.route("**/judge/**", saves(lambda route: route.abort()))
    for place in (1, 2, 3):
        judged_elsewhere(client, ledger, place, "3", comment="as agreed" if place == 3 else "")
    for key in "003":
        ledger.judge(key)
    page.unroute("**/judge/**")
    box = page.locator("dialog#conflict")
    expect(box.locator("[data-ours]")).to_contain_text("1 of 24: Not relevant")
    box.get_by_role("button", name="Use what I chose here").click()
    expect(box.locator("[data-ours]")).to_contain_text("2 of 24: Not relevant")
    box.get_by_role("button", name="Keep what is saved").click()
    expect(box.locator("[data-theirs]")).to_have_text("3 of 24: High, “as agreed”")
    expect(box.locator("[data-ours]")).to_have_text("3 of 24: High")
    box.get_by_role("button", name="Keep what is saved").click()
    expect(box).to_be_hidden()
    expect_saved(page, ledger.assignment, {ledger.unit_at(1): "0", ledger.unit_at(2): "3", ledger.unit_at(3): "3"})


def test_a_conflict_that_is_left_open_blocks_neither_saves_nor_the_list(
    page: Page, answers: Assignment, client: Client, judge: Judge
) -> None:
    judge(answers)
    client.force_login(answers.assessor)
    press(client, answers, unit_at(answers, 1), "2")
    page.keyboard.press("3")
    box = page.locator("dialog#conflict")
    leave(box)
    expect(page.locator("#status")).to_contain_text("1 not saved")
    for place, key in enumerate("21", start=2):
        press_key(page, key, to=place + 1)
    expect(page.locator("#status")).to_have_text("1 not saved, the rest saved")
    expect(box).to_be_hidden()
    press_key(page, "0")
    expect(page.get_by_text("All 4 answers judged. Thank you.")).to_be_visible()
    expect(page.locator("#waiting")).to_be_hidden()
    page.get_by_role("link", name="1 judgment needs your decision").click()
    expect(box).to_be_visible()
    assert page.url.endswith("/1/")


def test_a_refused_decision_that_is_let_go_changes_nothing(page: Page, ledger: Ledger) -> None:
    ledger.judge("3")
    saved(page)
    Post.objects.filter(post_id__in=[ledger.unit_at(1), ledger.unit_at(2)]).update(body="<p>Another text.</p>")
    open_place(page, ledger.assignment, 1)
    ready(page)
    dialog = page.locator("dialog#refused")
    for place, key in ((1, "0"), (2, "3")):  # a change, and the first decision
        at(page, place)
        press_key(page, key)
        expect(dialog).to_contain_text("another text than the pool holds")
        dialog.get_by_role("button", name="Discard").click()
        saved(page)
        page.keyboard.press("j")
    open_place(page, ledger.assignment, 1)
    ready(page)
    expect(current(page).get_by_role("button", name="High")).to_have_attribute("aria-pressed", "true")
    assert decisions_of(ledger.assignment) == {ledger.unit_at(1): "3"}


def test_of_two_windows_one_asks_and_both_show_the_answer(page: Page, client: Client, ledger: Ledger) -> None:
    second = page.context.new_page()
    open_place(second, ledger.assignment, 1)
    ready(second)
    judged_elsewhere(client, ledger, 1, "2")
    press_key(page, "0", to=2)
    boxes = [window.locator("dialog#conflict") for window in (page, second)]
    until(page, lambda: any(box.is_visible() for box in boxes))
    page.wait_for_timeout(300)
    asked = [box for box in boxes if box.is_visible()]
    assert len(asked) == 1
    asked[0].get_by_role("button", name="Use what I chose here").click()
    expect(page.locator("#status")).to_have_text("1: Not relevant")
    saved(page)
    assert not any(box.is_visible() for box in boxes)
    assert decisions_of(ledger.assignment) == {ledger.unit_at(1): "0"}
    expect(second.locator(".item[data-place='1'] button[value='0']")).to_have_attribute("aria-pressed", "true")


def test_an_old_copy_of_the_page_learns_what_stands(page: Page, client: Client, ledger: Ledger) -> None:
    old = page.request.get(page.url).text()
    judged_elsewhere(client, ledger, 1, "3")
    page.route(page.url, lambda route: route.fulfill(body=old, content_type="text/html"))
    page.reload()
    ready(page)
    page.unroute(page.url)
    expect(current(page).get_by_role("button", name="High")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("0")
    expect(page.locator("#status")).to_contain_text("Judged in another window")
    page.keyboard.press("0")
    expect(page.locator("#status")).to_have_text("1: Not relevant")
    saved(page)
    expect(page.locator("dialog#conflict")).to_be_hidden()
    assert decisions_of(ledger.assignment) == {ledger.unit_at(1): "0"}
