"""A list that is opened while judgments are still on their way shows them by itself when the server has them."""

from urllib.parse import urljoin, urlsplit

import pytest
from playwright.sync_api import APIResponse, Locator, Page, Route, expect

from assess.models import Assignment
from tests.browser.desk.desk import saved, until
from tests.browser.desk.ledger import Ledger, OpenDesk, held

pytestmark = pytest.mark.problems_expected  # requests that leaving a page breaks off


def judgment(page: Page, place: int) -> Locator:
    """What the list says of a place."""
    return page.locator("table.entries tbody tr").nth(place - 1).locator("td").nth(2)


def list_of(assignment: Assignment) -> str:
    return f"/judge/{assignment.pk}/"


@pytest.fixture
def ledger(page: Page, open_desk: OpenDesk) -> Ledger:
    page.on("dialog", lambda dialog: dialog.accept())  # leave with what waits
    return open_desk()


def test_what_waited_shows_when_it_is_sent(page: Page, ledger: Ledger) -> None:
    let_go = held(page, "**/judge/*/*/")
    ledger.judge("3")
    page.goto(list_of(ledger.assignment))
    expect(page.locator("#waiting")).to_have_text("1 judgment not saved yet")
    expect(judgment(page, 1)).to_have_text("—")
    page.wait_for_selector("html[data-typeset=done]", state="attached")
    page.get_by_role("searchbox").fill("half a wo")
    page.evaluate("window.stillHere = true; scrollTo(0, 200)")
    let_go()
    expect(judgment(page, 1)).to_have_text("High")
    expect(page.get_by_text("1 of 24 answers judged")).to_be_visible()
    expect(page.get_by_role("link", name="Judged 1")).to_be_visible()
    expect(page.get_by_role("link", name="Continue judging")).to_have_attribute(
        "href", f"/judge/{ledger.assignment.pk}/2/"
    )
    expect(page.get_by_role("searchbox")).to_have_value("half a wo")
    expect(page.get_by_role("searchbox")).to_be_focused()
    assert page.evaluate("[window.stillHere, scrollY]") == [True, 200]
    ledger.check()


def test_a_list_in_another_window_shows_what_was_kept_before_it_came_and_after(page: Page, ledger: Ledger) -> None:
    on_the_way: list[tuple[Route, APIResponse]] = []
    address, other = urljoin(page.url, list_of(ledger.assignment)), page.context.new_page()
    other.route(address, lambda route: route.fallback() if on_the_way else on_the_way.append((route, route.fetch())))
    other.evaluate("address => void setTimeout(() => location.assign(address))", address)
    until(page, lambda: on_the_way)
    ledger.judge("3")
    saved(page)
    (route, before), *_ = on_the_way
    assert "High 1" not in before.text()
    route.fulfill(response=before)
    expect(judgment(other, 1)).to_have_text("High")
    ledger.judge("2")
    expect(judgment(other, 2)).to_have_text("Medium")
    ledger.check()


def test_a_list_that_shows_all_asks_no_more(page: Page, ledger: Ledger) -> None:
    ledger.judge("3")
    saved(page)
    page.wait_for_timeout(300)  # until no window can still hear of it
    asked = []
    page.on("request", lambda request: asked.append(urlsplit(request.url).path))
    address = list_of(ledger.assignment)
    page.goto(address)
    expect(judgment(page, 1)).to_have_text("High")
    page.wait_for_timeout(500)
    once_more = asked.count(address) - 1  # if it hears of the save late
    page.wait_for_timeout(500)
    assert asked.count(address) == 1 + once_more <= 2
