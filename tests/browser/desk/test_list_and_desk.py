"""Between the desk and the lists: undo after the last judgment, one list's items one after the other, the start page
while something is on its way."""

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from assess.models import Assignment
from tests.browser.desk.desk import Judge, at, current, idle, press_key, ready, saved
from tests.desk import decisions_of, place_of, press
from tests.pages import SignIn


def judge_from(page: Page, place: int) -> None:
    """By keys to the end: the list is open."""
    for key in "3210"[place - 1 :]:
        at(page, place)
        press_key(page, key)
        place += 1
    expect(page.get_by_text("All 4 answers judged. Thank you.")).to_be_visible()
    expect(page.get_by_role("link", name="Undo the last judgment")).to_be_visible()


def test_undo_on_the_list_takes_one_key_or_click_and_goes_on_at_the_desk(judge: Judge, answers: Assignment) -> None:
    page = judge(answers)
    judge_from(page, 1)
    page.keyboard.press("u")
    for place in (4, 3):
        at(page, place)
        expect(page.locator("#status")).to_have_text(f"Undone: {place}")
        saved(page)
        assert len(decisions_of(answers)) == place - 1
        press_key(page, "u")
    at(page, 2)
    idle(page)
    saved(page)
    page.reload()  # takes nothing back by itself
    ready(page)
    page.wait_for_timeout(300)
    assert len(decisions_of(answers)) == 1
    judge_from(page, 2)
    page.get_by_role("searchbox").fill("u")  # typed, not pressed
    page.evaluate("localStorage.setItem('assess.keymap', JSON.stringify({ undo: 'z' }))")
    page.reload()
    link = page.get_by_role("link", name="Undo the last judgment")
    expect(link.locator("kbd")).to_have_text("Z")
    page.keyboard.press("u")
    link.click()
    at(page, 4)
    expect(page.locator("#status")).to_have_text("Undone: 4")
    saved(page)
    assert len(decisions_of(answers)) == 3


def test_filtered_items_follow_each_other(page: Page, sign_in: SignIn, answers: Assignment, client: Client) -> None:
    client.force_login(answers.assessor)
    press(client, answers, "12", "3")
    for unit in ("11", "21", "99"):
        press(client, answers, unit, "do_not_know", comment="Why?")
    places = sorted(place_of(answers, unit) for unit in ("11", "21", "99"))
    sign_in(page, answers.assessor)
    page.goto(f"/judge/{answers.pk}/?show=do_not_know")
    page.locator("table.entries tbody a").first.click()
    ready(page)
    walk = page.get_by_role("link", name="in this list")
    expect(walk).to_have_text("1 of 3 in this list")
    page.keyboard.press("2")
    expect(current(page).locator("button[aria-pressed=true]")).to_contain_text("Medium")
    press_key(page, "j", to=places[1])
    expect(walk).to_have_text("2 of 3 in this list")
    saved(page)
    page.reload()  # the list has got shorter meanwhile
    ready(page)
    expect(walk).to_have_text("1 of 2 in this list")
    page.get_by_role("link", name="Next").click()
    at(page, places[2])
    page.keyboard.press("j")
    expect(page.locator("#status")).to_have_text("End of this list")
    press_key(page, "k", to=places[1])
    walk.click()
    expect(page.locator("table.entries tbody tr")).to_have_count(2)
    assert page.url.endswith("?show=do_not_know")


@pytest.mark.problems_expected
def test_the_start_page_counts_what_is_sent_from_it(answers: Assignment, judge: Judge) -> None:
    page = judge(answers)
    page.on("dialog", lambda dialog: dialog.accept())
    page.route("**/judge/**", lambda route: route.abort() if route.request.method == "POST" else route.fallback())
    press_key(page, "3", to=2)
    page.goto("/")
    expect(page.get_by_text("1 judgment not saved yet")).to_be_visible()
    expect(page.get_by_text("0 of 4 answers judged")).to_be_visible()
    page.evaluate("window.stillHere = true")
    page.get_by_role("link", name="A.1", exact=True).focus()
    page.unroute("**/judge/**")
    expect(page.get_by_text("1 of 4 answers judged")).to_be_visible()
    expect(page.get_by_text("1 judgment not saved yet")).to_be_hidden()
    expect(page.get_by_role("link", name="A.1", exact=True)).to_be_focused()
    assert page.evaluate("window.stillHere")
