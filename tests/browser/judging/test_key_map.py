"""Which key does what: another key, keys that are off, keys that mean nothing where they are pressed."""

import pytest
from playwright.sync_api import expect

from assess.models import Assignment
from tests.browser.judging.desk import Reader, current, ready, saved
from tests.desk import decisions, place_of
from tests.pages import NewPage


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
    assert decisions(answers) == {}


def test_an_action_can_have_another_key(reader: Reader, answers: Assignment) -> None:
    page = reader()
    page.keyboard.press("?")
    page.locator("kbd[data-command=grade-3]").click()
    page.keyboard.press("h")
    expect(page.locator("kbd[data-command=grade-3]")).to_have_text("H")
    page.get_by_role("button", name="Close").click()
    expect(current(page).get_by_role("button", name="High").locator("kbd")).to_have_text("H")
    page.keyboard.press("3")  # nothing any more
    page.keyboard.press("h")
    expect(page.locator("#judged")).to_have_text("1")
    saved(page)
    assert decisions(answers) == {"11": "3"}


def test_a_key_that_is_to_be_changed_asks_for_one_and_escape_leaves_it(reader: Reader) -> None:
    page = reader()
    page.keyboard.press("?")
    key = page.locator("kbd[data-command=grade-3]")
    key.click()
    expect(key).to_have_text("press a key")
    assert key.evaluate("key => getComputedStyle(key).color") != "rgba(0, 0, 0, 0)"
    page.keyboard.press("Escape")
    expect(key).to_have_text("3")
    expect(page.locator("dialog#keys")).to_be_visible()
    key.press("Enter")
    expect(key).to_have_text("press a key")
    page.locator("kbd[data-command=undo]").click()
    expect(key).to_have_text("3")
    page.keyboard.press("Space")  # is no key to be seen
    expect(page.locator("kbd[data-command=undo]")).to_have_text("press a key")
    page.keyboard.press("z")
    expect(page.locator("kbd[data-command=undo]")).to_have_text("Z")


BOXES = "all => all.map((one) => JSON.stringify(one.getBoundingClientRect()))"


@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_moves_in_the_list_of_keys_while_one_is_changed(reader: Reader, new_page: NewPage, width: int) -> None:
    page = reader(on=new_page(width=width))
    page.keyboard.press("?")
    others = page.locator("dialog#keys dd, dialog#keys kbd:not([data-command=grade-3]), dialog#keys button")
    before = others.evaluate_all(BOXES)
    page.locator("kbd[data-command=grade-3]").click()
    expect(page.locator("kbd[data-command=grade-3]")).to_have_text("press a key")
    assert others.evaluate_all(BOXES) == before
    page.keyboard.press("w")
    assert others.evaluate_all(BOXES) == before


def test_a_key_says_that_there_is_no_thread(reader: Reader) -> None:
    page = reader()
    page.evaluate("document.querySelector('.item.current a.thread').remove()")  # as for written answers
    page.keyboard.press("t")
    expect(page.locator("#status")).to_have_text("No thread to open")
