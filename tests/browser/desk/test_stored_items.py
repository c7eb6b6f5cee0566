"""Items beyond those that are ready: stored, for judging without a network."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.desk.desk import current, expect_saved, press_key, until
from tests.browser.desk.ledger import COUNT, Ledger, OpenDesk

pytestmark = pytest.mark.problems_expected  # the network is away

MOST_READY = 8


@pytest.fixture
def ledger(page: Page, open_desk: OpenDesk) -> Ledger:
    """The desk at its first place without a network, when it has stored all items."""
    here: set[str] = set()
    page.on("requestfinished", lambda request: here.update(re.findall(r"\bplace=(\d+)", request.url)))
    ledger = open_desk()
    until(page, lambda: len(here) == COUNT)
    expect(page.locator(".item.ready").nth(MOST_READY - 3)).to_be_attached()
    page.context.set_offline(True)
    return ledger


def test_without_a_network_all_that_is_stored_is_judged(page: Page, ledger: Ledger) -> None:
    for number in range(COUNT - 1):
        ledger.judge(str(number % 4))
        assert page.locator(".item").count() <= MOST_READY + 2
    expect(page.locator("#status")).to_have_text(f"offline, {COUNT - 1} waiting")
    page.context.set_offline(False)
    ledger.expect_saved()


def test_without_a_network_the_last_decisions_are_undone_and_changed(page: Page, ledger: Ledger) -> None:
    ledger.judge_many(12)
    for place in range(12, 4, -1):
        press_key(page, "u")
        expect(current(page)).to_have_attribute("data-place", str(place))
        expect(current(page).locator("[aria-pressed=true]")).to_have_count(0)
        del ledger.decided[ledger.unit_at(place)]
    ledger.judge("3")
    page.context.set_offline(False)
    expect_saved(page, ledger.assignment, ledger.decided)
