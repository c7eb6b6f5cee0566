"""Which key does what: another key, keys that are off, keys that mean nothing where they are pressed."""

from playwright.sync_api import Page, expect

from assess.models import Assignment
from tests.browser.desk.desk import Reader, current, expect_saved, ready
from tests.browser.desk.ledger import Ledger
from tests.desk import decisions_of, place_of


def test_keys_with_a_modifier_repeated_or_switched_off_do_nothing(reader: Reader, answers: Assignment) -> None:
    page = reader()
    for key in ("Control+3", "Alt+3", "Meta+3"):
        page.keyboard.press(key)
    page.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', {key: '3', repeat: true, bubbles: true}))")
    page.keyboard.press("?")
    expect(page.locator("dialog#keys")).to_be_visible()
    page.keyboard.press("3")  # not while the list is open
    page.get_by_label("Judge with the keyboard on this computer").uncheck()
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("3")
    page.reload()
    ready(page)
    page.keyboard.press("3")
    page.keyboard.press("j")
    page.wait_for_timeout(300)
    assert page.url.endswith(f"/{place_of(answers, '11')}/")
    assert decisions_of(answers) == {}


def test_a_key_is_changed_only_after_a_button_exchanged_and_undone(page: Page, ledger: Ledger) -> None:
    page.wait_for_selector(".item[data-place='5']", state="attached")
    page.keyboard.press("?")
    expect(page.get_by_role("button", name="Close")).to_be_focused()
    key = page.locator("kbd[data-command=grade-3]")
    key.click()
    page.keyboard.press("2")
    expect(key).to_have_text("3")
    page.get_by_role("button", name="Change keys").click()
    key.click()
    page.keyboard.press("2")
    said = page.locator("dialog#keys").get_by_role("status")
    expect(said).to_have_text("2 is the key of “Medium”. Exchange the two?")
    page.keyboard.press("Enter")
    expect(key).to_have_text("3")
    key.click()
    page.keyboard.press("2")
    page.get_by_role("button", name="Exchange").click()
    expect(said).to_have_text("High: 2. Medium: 3")
    page.locator("dialog#keys").get_by_role("button", name="Undo").click()
    expect(key).to_have_text("3")
    page.get_by_role("button", name="Done").click()
    expect(page.get_by_role("button", name="Reset keys")).to_be_hidden()
    page.get_by_role("button", name="Change keys").click()
    key.click()
    page.keyboard.press("h")
    expect(key).to_have_text("H")
    expect(said).to_have_text("High: H")
    labels = page.locator(".item button[value='3'] kbd")
    assert labels.count() > 5
    assert set(labels.all_text_contents()) == {"H"}
    page.keyboard.press("Escape")  # leaves the mode
    expect(page.get_by_role("button", name="Close")).to_be_focused()
    page.keyboard.press("Enter")
    high = current(page).get_by_role("button", name="High")
    expect(high.locator("kbd")).to_have_text("H")
    expect(high).to_have_attribute("aria-keyshortcuts", "H")
    page.keyboard.press("3")  # nothing any more
    page.keyboard.press("h")
    expect(page.locator("#judged")).to_have_text("1")
    expect_saved(page, ledger.assignment, {ledger.unit_at(1): "3"})
