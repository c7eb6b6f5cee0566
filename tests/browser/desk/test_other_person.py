"""The desk of somebody in whose browser another person has signed in meanwhile, in another tab."""

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect

from tests.browser.desk.desk import OtherTab, at, saved, sign_in_again, until
from tests.browser.desk.ledger import Ledger, OpenDesk
from tests.desk import decisions_of

pytestmark = pytest.mark.problems_expected  # failed requests are what it is about

ENDED, OTHER = "Your session has ended", "emmy is signed in now"


@pytest.fixture
def ledger(page: Page, open_desk: OpenDesk) -> Ledger:
    """ada, who has judged one."""
    ledger = open_desk()
    ledger.judge("3")
    saved(page)
    return ledger


def test_the_box_names_who_signed_in_after_the_session_ended(page: Page, ledger: Ledger, other_tab: OtherTab) -> None:
    Session.objects.all().delete()
    ledger.judge("2")
    box = page.locator("dialog[open]")
    expect(box).to_contain_text(ENDED)
    other_tab("emmy")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # headless, all tabs are visible
    expect(box).to_contain_text(OTHER)
    expect(box).to_contain_text("The judgments of ada are kept on this computer until ada signs in again")
    expect(box).not_to_contain_text(ENDED)
    expect(box).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("#attend")).to_have_text("Sign in")
    expect(page.locator("#status")).to_have_text("1 waiting, emmy is signed in now")
    ledger.judge("1")
    expect(box).to_contain_text(OTHER)
    expect(box).not_to_contain_text(ENDED)
    assert len(decisions_of(ledger.assignment)) == 1
    sign_in_again(page)
    expect(page.locator("#status")).to_have_text("3: Low")
    expect(box).to_have_count(0)
    ledger.judge("0")
    ledger.expect_saved()


@pytest.mark.usefixtures("nothing_stored")
def test_no_item_is_fetched_for_another_person(page: Page, other_tab: OtherTab, open_desk: OpenDesk) -> None:
    open_desk(12)
    other_tab("emmy")
    page.keyboard.press("k")
    expect(page.locator("dialog#login")).to_contain_text(OTHER)
    expect(page.locator("#status")).to_have_text("emmy is signed in now")
    sign_in_again(page)
    at(page, 11)


def test_what_waits_is_sent_when_its_person_signs_in_elsewhere_with_the_desk_or_without(
    page: Page, ledger: Ledger, other_tab: OtherTab
) -> None:
    box = page.locator("dialog#login")
    other_tab("emmy")
    ledger.judge("2")
    expect(box).to_be_visible()
    other_tab("ada")
    expect(box).to_be_hidden()
    saved(page)
    until(page, lambda: len(decisions_of(ledger.assignment)) == 2)
    other_tab("emmy")
    ledger.judge("1")
    expect(box).to_be_visible()
    page.on("dialog", lambda dialog: dialog.accept())
    page.close()
    home = other_tab("ada")
    expect(home.get_by_text("3 of 24 answers judged")).to_be_visible()
    expect(home.locator("#waiting")).to_be_hidden()
    ledger.check()
