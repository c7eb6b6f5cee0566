"""What was decided is said, and a judged document says how."""

import re

from playwright.sync_api import Page, expect

from assess.models import JudgmentEvent
from tests.browser.desk.desk import at, current, press_key, ready, saved
from tests.browser.desk.ledger import Ledger


def test_the_last_decisions_lead_back_to_documents_that_say_how_they_were_judged(page: Page, ledger: Ledger) -> None:
    expect(current(page).locator(".stands")).to_be_hidden()
    press_key(page, "1", to=2)
    press_key(page, "3", to=3)
    recent = page.get_by_role("list", name="Your last decisions").get_by_role("link")
    expect(recent).to_have_text(["2: High", "1: Low"])
    recent.nth(1).click()
    at(page, 1)
    expect(current(page).locator(".stands")).to_have_text(re.compile(r"You judged this Low, \d+ seconds? ago"))
    page.reload()
    expect(current(page).locator(".stands")).to_have_text(re.compile(r"You judged this Low, \d+ seconds? ago"))
    expect(recent).to_have_text(["2: High", "1: Low"])
    expect(current(page).get_by_role("button", name="Low")).to_have_attribute("aria-pressed", "true")
    current(page).get_by_role("button", name="Take back").click()
    expect(page.locator("#status")).to_have_text("1: not judged")
    expect(current(page).locator(".stands")).to_be_hidden()
    expect(recent).to_have_text(["2: High"])


SELECT = """(text) => {
  const walk = document.createTreeWalker(document.querySelector(".item.current div.post"), NodeFilter.SHOW_TEXT);
  while (!walk.nextNode().data.includes(text));
  const range = document.createRange();
  range.setStart(walk.currentNode, walk.currentNode.data.indexOf(text));
  range.setEndAfter(document.querySelector(".item.current div.post .math-container"));
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}"""


def test_a_selected_passage_is_marked_by_a_key_or_touch_and_kept(page: Page, ledger: Ledger) -> None:
    marked = current(page).get_by_label("Marked passage")
    press_key(page, "p")
    expect(page.locator("#status")).to_have_text("Select a passage of the document first")
    expect(marked).to_be_hidden()
    page.evaluate(SELECT, "says")
    press_key(page, "p")
    page.reload()
    ready(page)
    expect(marked).to_have_value("says $x^{1001}+1$")
    press_key(page, "2", to=2)
    expect(marked).to_be_hidden()
    saved(page)
    assert JudgmentEvent.objects.get().passage == "says $x^{1001}+1$"
    press_key(page, "k", to=1)
    page.reload()
    ready(page)
    expect(marked).to_have_value("says $x^{1001}+1$")
    press_key(page, "p")
    expect(marked).to_be_hidden()
    saved(page)
    page.reload()
    ready(page)
    expect(marked).to_be_hidden()
    assert [event.passage for event in JudgmentEvent.objects.all()] == ["says $x^{1001}+1$", ""]
    page.evaluate(SELECT, "says")
    button = page.get_by_role("button", name="Mark passage")
    expect(button).to_be_hidden()
    page.evaluate("getSelection().removeAllRanges()")
    page.context.new_cdp_session(page).send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    page.evaluate(SELECT, "says")
    button.click()
    expect(marked).to_have_value("says $x^{1001}+1$")
    expect(button).to_be_hidden()
