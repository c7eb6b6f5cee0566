"""The desk of a topic that the organizer takes back while it is judged: what was judged is kept, the rest is closed."""

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from assess.models import Assignment
from tests.browser.desk.desk import current, note_statuses, press_key, saved, stocked, until
from tests.browser.desk.ledger import Ledger

pytestmark = pytest.mark.problems_expected  # failed requests are what it is about

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
