"""The judging desk by keys."""

import re

import pytest
from playwright.sync_api import expect

from assess.models import Judgment, PoolEntry
from tests.browser.desk import met, open_place, ready
from tests.desk import decisions, place_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_one_key_judges_an_answer_and_opens_the_next(page, live_server, sign_in, answers):
    ada, mine = answers
    sign_in(page, ada)
    open_place(page, live_server, mine, 1)
    expected = {}
    for place, key in enumerate("3210", start=1):
        expect(page.locator(".places strong")).to_have_text(f"{place} of 4")
        ready(page)
        expected[PoolEntry.objects.get(pk=mine.order[place - 1]).unit_id] = key
        page.wait_for_timeout(700)  # time that counts
        page.keyboard.press(key)
        if place < 4:
            expect(page.locator(".saved")).to_have_text("Saved")
    expect(page.get_by_text("All 4 judged. Thank you.")).to_be_visible()
    assert decisions(mine) == expected
    times = list(Judgment.objects.values_list("active_ms", flat=True))
    assert all(500 <= time <= 10_000 for time in times), times


def test_keys_walk_through_the_posts_of_a_formula_and_save_with_the_last(page, live_server, sign_in, formulas):
    ada, mine = formulas
    sign_in(page, ada)
    open_place(page, live_server, mine, place_of(mine, "v1"))
    ready(page)
    cards = page.locator("[data-candidate]")
    expect(cards).to_have_count(3)
    for number, key in enumerate("32"):
        expect(cards.nth(number)).to_have_class(re.compile("current"))
        page.keyboard.press(key)
    assert decisions(mine) == {}  # the third is open
    page.keyboard.press("d")  # do not know: waits in the comment
    expect(cards.nth(2).locator("textarea")).to_be_focused()
    page.keyboard.type("3 2 1 is typed, not judged")
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    expect(page.locator(".saved")).to_have_text("3 saved")
    first, second, third = met(mine, "v1")
    assert decisions(mine) == {first: "3", second: "2", third: "1"}
    assert Judgment.objects.get(instance__doc_id=third).comment == "3 2 1 is typed, not judged"


def test_not_matching_judges_like_a_grade(page, live_server, sign_in, formulas):
    ada, mine = formulas
    sign_in(page, ada)
    open_place(page, live_server, mine, place_of(mine, "v1"))
    ready(page)
    for key in "mm3":
        page.keyboard.press(key)
    expect(page.locator(".saved")).to_have_text("3 saved")
    first, second, third = met(mine, "v1")
    assert decisions(mine) == {first: "not_matching", second: "not_matching", third: "3"}


def test_a_document_without_text_takes_one_key(page, live_server, sign_in, answers):
    ada, mine = answers
    sign_in(page, ada)
    open_place(page, live_server, mine, place_of(mine, "99"))
    ready(page)
    page.keyboard.press("f")
    expect(page.locator(".saved")).to_have_text("Saved")
    assert Judgment.objects.get().comment == "The collection holds no text for this document."


def test_keys_move_and_keep_what_was_chosen(page, live_server, sign_in, formulas):
    ada, mine = formulas
    sign_in(page, ada)
    open_place(page, live_server, mine, 1)
    ready(page)
    page.keyboard.press("n")
    page.wait_for_url("**/2/")
    ready(page)
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**/1/")
    open_place(page, live_server, mine, place_of(mine, "v1"))
    ready(page)
    page.keyboard.press("3")  # one of three
    page.keyboard.press("n" if place_of(mine, "v1") == 1 else "p")
    page.wait_for_url(f"**/{3 - place_of(mine, 'v1')}/")
    assert decisions(mine) == {met(mine, "v1")[0]: "3"}


def test_keys_with_a_modifier_repeated_or_switched_off_do_nothing(page, live_server, sign_in, answers):
    ada, mine = answers
    sign_in(page, ada)
    open_place(page, live_server, mine, 1)
    ready(page)
    for key in ("Control+3", "Alt+3", "Meta+3"):
        page.keyboard.press(key)
    page.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', {key: '3', repeat: true, bubbles: true}))")
    assert page.locator("input:checked").count() == 1  # the switch for keys
    page.keyboard.press("?")
    expect(page.locator("dialog#keys")).to_be_visible()
    page.keyboard.press("3")  # not while the list is open
    page.get_by_label("Judge with keys on this computer").uncheck()
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("3")
    page.reload()
    page.wait_for_selector("#keys-open:not([hidden])")
    page.keyboard.press("3")
    page.keyboard.press("n")
    assert page.locator("[data-candidate] input:checked").count() == 0
    assert page.url.endswith("/1/")
    assert decisions(mine) == {}
