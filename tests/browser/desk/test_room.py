"""What stays in sight, and how much room is left for reading, on wide, narrow and low windows."""

import pytest
from playwright.sync_api import Page, expect

from assess.models import Assignment
from tests import cast
from tests.browser.desk.desk import UNSEEN, Judge, Reader, current, press_key, ready, resize, write
from tests.desk import place_of
from tests.pages import NewPage

LONG = "<p>Long.</p>" * 40


@pytest.fixture
def long_posts(formulas: Assignment) -> Assignment:
    """Formulas below the end of the window, in posts that go on."""
    for post in ("11", "12", "21"):
        write(formulas, answer=f"{LONG}<p>See {cast.math(post + '0', 'x+1')}.</p>{LONG}", unit=post)
    write(formulas, topic=LONG)
    return formulas


def test_query_and_bar_stay_in_sight_and_a_key_leads_to_the_marked_formula(
    judge: Judge, long_posts: Assignment
) -> None:
    page = judge(long_posts, place_of(long_posts, "v1"))
    formula = current(page).locator(".shown-post.current .highlight")
    formula.evaluate("""formula => {
        const fold = document.createElement("details");
        formula.closest("p").before(fold);
        fold.append(formula.closest("p"));
        formula.closest(".item").scrollTop = 0;
    }""")
    expect(formula).not_to_be_in_viewport()
    page.keyboard.press("m")  # opens what it is folded in
    expect(formula).to_be_in_viewport(ratio=1)
    query = page.locator("#query")
    for width, height in ((1280, 800), (400, 860), (844, 390)):
        resize(page, width, height)
        for scroll in ("scrollTo(0, document.body.scrollHeight)", "document.querySelector('#topic').scrollTop = 9999"):
            page.evaluate(scroll)
            expect(query).to_be_in_viewport(ratio=1)
        assert query.bounding_box()["height"] <= 0.2 * height
    for width, height, lines in ((844, 390, 1), (320, 640, 2)):
        resize(page, width, height)
        assert page.locator(".desk-bar").bounding_box()["height"] <= 36 * lines, (width, height)
    expect(page.locator("#list")).to_contain_text("B.1")


def height_of_grades(page: Page) -> float:
    return float(current(page).get_by_role("button", name="High").bounding_box()["y"])


def test_grades_stand_at_the_foot_below_long_and_short_answers(reader: Reader, answers: Assignment) -> None:
    write(answers, answer=LONG)
    page = reader()
    here, heights = place_of(answers, "11"), set()
    there = here - 1 if here > 1 else here + 1
    for width, place in ((1280, there), (400, here)):
        resize(page, width, 800)
        heights |= {(width, height_of_grades(page))}
        is_back = place < (here if place == there else there)
        press_key(page, "k" if is_back else "j", to=place)
        heights |= {(width, height_of_grades(page))}
    assert len(heights) == 2
    assert min(height for _, height in heights) > 500


def test_a_comment_takes_room_once_it_is_wanted(reader: Reader) -> None:
    page = reader()
    resize(page, 400, 860)
    assert width_of_comment(page) < 130
    current(page).get_by_label("Comment").click()
    assert width_of_comment(page) > 250
    page.keyboard.type("As I know it.")
    page.keyboard.press("Escape")
    assert width_of_comment(page) > 250


def test_keys_say_that_there_is_no_formula_and_no_thread(reader: Reader) -> None:
    page = reader()
    page.keyboard.press("m")
    expect(page.locator("#status")).to_have_text("No marked formula here")
    page.evaluate("document.querySelector('.item.current a.thread').remove()")  # as for written answers
    page.keyboard.press("t")
    expect(page.locator("#status")).to_have_text("No thread to open")


def test_the_grades_of_a_long_answer_stay_at_the_foot_but_cover_nothing_in_a_low_window(
    reader: Reader, answers: Assignment
) -> None:
    write(answers, answer=LONG)
    page = reader()
    expect(current(page).get_by_role("button", name="High")).to_be_in_viewport(ratio=1)
    for height, position in ((256, "static"), (860, "fixed")):
        resize(page, 320, height)
        expect(current(page).locator(".grade-bar")).to_have_css("position", position)
        expect(page.locator(".desk-foot")).to_have_css("position", position)


def test_in_a_low_window_the_first_key_brings_the_answer(new_page: NewPage, reader: Reader) -> None:
    page = reader(on=new_page(320, 200))
    for height in (200, 256):
        resize(page, 320, height)
        page.evaluate("scrollTo(0, 0)")
        page.reload()
        ready(page)
        page.keyboard.press("2")
        expect(page.locator("#status")).to_have_text(UNSEEN)
        expect(current(page).locator("button[aria-pressed=true]")).to_have_count(0)


def width_of_comment(page: Page) -> float:
    return float(current(page).get_by_label("Comment").bounding_box()["width"])
