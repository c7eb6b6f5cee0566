"""The guidelines beside the item: one key brings them into sight, and sends them away again."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from assess.models import Assignment
from tests.browser.desk.desk import Reader, at, open_place, press_key, ready, resize, saved, write
from tests.desk import place_of

SIZES = [(1280, 800), (1280, 500), (400, 800), (640, 400)]
IS_READ = """() => {
    const [{ top, bottom }, title] = ["#guide", "#guide summary"].map(
        (one) => document.querySelector(one).getBoundingClientRect(),
    );
    const pane = document.querySelector("#topic").getBoundingClientRect();
    const controls = document.querySelector(".item.current .grade-bar");
    const isOver = getComputedStyle(controls).position === "fixed";
    const query = document.querySelector("#query");
    const covered = getComputedStyle(query).position === "sticky" ? query.offsetHeight : 0;
    const [above, below] = [Math.max(pane.top, covered), isOver ? controls.getBoundingClientRect().top : innerHeight];
    const isWhole = bottom <= below || title.top <= above + 20; // its end, or its title at the top
    return title.top >= above && title.bottom <= below && isWhole;
}"""
PLACES = """() => [document.querySelector("#topic").scrollTop, scrollY,
    document.querySelector(".item.current [data-document]").getBoundingClientRect().top]"""


@pytest.fixture
def page_of_a_long_question(reader: Reader, answers: Assignment) -> Page:
    write(answers, topic="<p>Long.</p>" * 60)
    page = reader()
    page.locator("#guide").evaluate("guide => guide.open = false")
    return page


def at_each_size(page: Page) -> Iterator[None]:
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("scrollTo(0, 0); document.querySelector('#topic').scrollTop = 0")
        yield


def test_a_key_brings_the_guidelines_into_sight_and_leads_back(page_of_a_long_question: Page) -> None:
    page = page_of_a_long_question
    for _ in at_each_size(page):
        page.locator(".item.current [data-document]").scroll_into_view_if_needed()
        before = page.evaluate(PLACES)
        for leave in ("g", "Escape", "g"):
            page.keyboard.press("g")
            page.wait_for_function(IS_READ)
            expect(page.locator("#guide summary")).to_be_focused()
            page.keyboard.press(leave)
            expect(page.locator("#guide dl")).to_be_hidden()
            expect(page.locator(".item.current [data-document]")).to_be_focused()
            assert page.evaluate(PLACES) == pytest.approx(before, abs=1)


def test_guidelines_are_brought_if_they_are_open_out_of_sight_and_go_if_they_were_read_to_their_end(
    page_of_a_long_question: Page,
) -> None:
    page = page_of_a_long_question
    for _ in at_each_size(page):
        page.locator("#guide").evaluate("guide => guide.open = true")
        page.evaluate("scrollTo(0, 0)")
        page.keyboard.press("g")
        page.wait_for_function(IS_READ)
        page.keyboard.press("g")
        expect(page.locator("#guide dl")).to_be_hidden()
        assert page.evaluate(PLACES)[:2] == [0, 0]
        page.keyboard.press("g")
        page.wait_for_function(IS_READ)
        page.locator("#guide dd").last.evaluate("last => last.scrollIntoView({ block: 'center' })")
        page.keyboard.press("g")
        expect(page.locator("#guide dl")).to_be_hidden()
        assert page.evaluate(PLACES)[0] == 0


def test_guidelines_return_at_the_next(page_of_a_long_question: Page, answers: Assignment) -> None:
    page, place = page_of_a_long_question, place_of(answers, "11")
    for width, height in ((1280, 500), (400, 800)):
        resize(page, width, height)
        press_key(page, "g")
        page.wait_for_function(IS_READ)
        page.keyboard.press("3")
        place = place % 4 + 1
        at(page, place)
        saved(page)
        if width < 800:  # the next answer has come into sight instead
            page.keyboard.press("g")
            page.wait_for_function(IS_READ)
        page.keyboard.press("g")
        expect(page.locator("#guide dl")).to_be_hidden()


def test_what_was_chosen_is_remembered(page: Page, reader: Reader, answers: Assignment) -> None:
    reader()
    for is_open in (False, True):
        page.keyboard.press("g")
        open_place(page, answers, 1)
        ready(page)
        assert page.locator("#guide").evaluate("guide => guide.open") is is_open
