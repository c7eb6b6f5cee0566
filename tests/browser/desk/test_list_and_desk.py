"""Between the desk and the lists: undo after the last judgment, one list's items one after the other, the start page
while something is on its way."""

from collections.abc import Iterable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Page, expect

from assess.models import Assignment
from assess.services.desk import rulings
from tests.browser.desk.desk import Judge, at, current, idle, open_place, ready, saved
from tests.desk import decisions_of, place_of, press, unit_at
from tests.pages import NewPage, SignIn

UNITS = ("11", "12", "21", "99")


def in_order(assignment: Assignment, *units: Any) -> list[int]:
    """The places of some units, the first one first."""
    return sorted(place_of(assignment, unit) for unit in units)


def judge_from(page: Page, place: int) -> None:
    """By keys to the end: the list is open."""
    for key in "3210"[place - 1 :]:
        at(page, place)
        idle(page)
        page.keyboard.press(key)
        place += 1
    expect(page.get_by_text("All 4 judged. Thank you.")).to_be_visible()
    expect(page.get_by_role("link", name="Undo the last judgment")).to_be_visible()


@pytest.fixture
def judged(page: Page, answers: Assignment, judge: Judge) -> Assignment:
    """ada's topic, judged by keys to its end: its list is open."""
    judge(answers)
    judge_from(page, 1)
    return answers


def test_undo_on_the_list_takes_one_key_or_click_and_goes_on_at_the_desk(page: Page, judged: Assignment) -> None:
    page.keyboard.press("u")
    for place in (4, 3):
        at(page, place)
        expect(page.locator("#status")).to_have_text("Undone")
        saved(page)
        assert len(decisions_of(judged)) == place - 1
        idle(page)
        page.keyboard.press("u")
    at(page, 2)
    idle(page)
    saved(page)
    page.reload()  # takes nothing back by itself
    ready(page)
    page.wait_for_timeout(300)
    assert len(decisions_of(judged)) == 1
    judge_from(page, 2)
    page.get_by_role("searchbox").fill("u")  # typed, not pressed
    page.evaluate("localStorage.setItem('assess.keymap', JSON.stringify({ undo: 'z' }))")
    page.reload()
    link = page.get_by_role("link", name="Undo the last judgment")
    expect(link.locator("kbd")).to_have_text("Z")
    page.keyboard.press("u")
    link.click()
    at(page, 4)
    expect(page.locator("#status")).to_have_text("Undone")
    saved(page)
    assert len(decisions_of(judged)) == 3


def test_what_was_changed_elsewhere_is_shown_not_undone(page: Page, judged: Assignment, client: Client) -> None:
    last = next(unit for unit in UNITS if place_of(judged, unit) == 4)
    client.force_login(judged.assessor)
    press(client, judged, last, "3")
    page.keyboard.press("u")
    at(page, 4)
    expect(page.locator("#status")).to_have_text("Not undone: it was changed in another window")
    page.wait_for_timeout(300)
    assert decisions_of(judged)[last] == "3"


def test_filtered_items_follow_each_other(page: Page, sign_in: SignIn, answers: Assignment, client: Client) -> None:
    client.force_login(answers.assessor)
    press(client, answers, "12", "3")
    for unit in ("11", "21", "99"):
        press(client, answers, unit, "do_not_know", comment="Why?")
    places = in_order(answers, "11", "21", "99")
    sign_in(page, answers.assessor)
    page.goto(f"/judge/{answers.pk}/?show=do_not_know")
    page.locator("table.entries tbody a").first.click()
    ready(page)
    walk = page.get_by_role("link", name="in this list")
    expect(walk).to_have_text("1 of 3 in this list")
    page.keyboard.press("2")
    expect(current(page).locator("button[aria-pressed=true]")).to_contain_text("Medium")
    idle(page)
    page.keyboard.press("j")
    at(page, places[1])
    expect(walk).to_have_text("2 of 3 in this list")
    saved(page)
    page.reload()  # the list has got shorter meanwhile
    ready(page)
    expect(walk).to_have_text("1 of 2 in this list")
    page.get_by_role("link", name="Next").click()
    at(page, places[2])
    page.keyboard.press("j")
    expect(page.locator("#status")).to_have_text("End of this list")
    page.keyboard.press("k")
    at(page, places[1])
    walk.click()
    expect(page.locator("table.entries tbody tr")).to_have_count(2)
    assert page.url.endswith("?show=do_not_know")


@pytest.mark.problems_expected
def test_what_comes_next_in_a_list_or_going_back_is_prefetched(
    page: Page, sign_in: SignIn, desk: Assignment, client: Client
) -> None:
    client.force_login(desk.assessor)
    for place in range(1, 10):
        press(client, desk, unit_at(desk, place), "1")
    for place in range(10, 24, 2):
        press(client, desk, unit_at(desk, place), "2")
    sign_in(page, desk.assessor)
    page.goto(f"/judge/{desk.pk}/?show=2")
    page.locator("table.entries tbody a").first.click()
    ready(page)
    go_offline(page, "j", range(12, 24, 2))
    open_place(page, desk, 11)
    ready(page)
    page.keyboard.press("k")
    at(page, 10)
    go_offline(page, "k", range(9, 3, -1))


def go_offline(page: Page, key: str, places: Iterable[int]) -> None:
    """When these places are here, shows them without the network."""
    for place in places:
        page.wait_for_selector(f".item[data-place='{place}']", state="attached")
    page.context.set_offline(True)
    for place in places:
        page.keyboard.press(key)
        at(page, place)
    page.context.set_offline(False)


def test_look_again_after_a_ruling_is_a_walk(page: Page, sign_in: SignIn, answers: Assignment, client: Client) -> None:
    client.force_login(answers.assessor)
    for unit in ("11", "21"):
        press(client, answers, unit, "3")
    rulings.rule(answers.topic, User.objects.get(username="olga"), "Hints are low.")
    first, second = in_order(answers, "11", "21")
    sign_in(page, answers.assessor)
    page.goto(f"/judge/{answers.pk}/")
    page.get_by_role("link", name="Review 2 earlier judgments").click()
    page.locator("table.entries tbody a").first.click()
    ready(page)
    at(page, first)
    page.keyboard.press("j")
    at(page, second)
    page.get_by_role("link", name="2 of 2 in this list").click()
    page.get_by_role("button", name="Mark as reviewed").click()
    expect(page.get_by_text("earlier judgments")).to_have_count(0)


def test_without_scripts_lists_lead_on(new_page: NewPage, sign_in: SignIn, answers: Assignment, client: Client) -> None:
    client.force_login(answers.assessor)
    for unit in UNITS:
        press(client, answers, unit, "0" if unit == "12" else "3")
    first, second, _ = in_order(answers, "11", "21", "99")
    page = new_page(java_script_enabled=False)
    sign_in(page, answers.assessor)
    page.goto(f"/judge/{answers.pk}/?show=3")
    page.locator("table.entries tbody a").first.click()
    expect(page.locator("#place")).to_have_text(str(first))
    page.get_by_role("link", name="Next").click()
    expect(page.locator("#place")).to_have_text(str(second))
    page.get_by_role("link", name="Previous").click()
    page.get_by_role("button", name="Medium").click()
    expect(page.locator("#place")).to_have_text(str(second))
    expect(page.get_by_role("link", name="1 of 2 in this list")).to_be_visible()


@pytest.mark.problems_expected
def test_the_start_page_counts_what_is_sent_from_it(answers: Assignment, judge: Judge) -> None:
    page = judge(answers)
    page.on("dialog", lambda dialog: dialog.accept())
    page.route("**/judge/**", lambda route: route.abort() if route.request.method == "POST" else route.fallback())
    page.keyboard.press("3")
    at(page, 2)
    page.goto("/")
    expect(page.get_by_text("1 judgment not saved yet")).to_be_visible()
    expect(page.get_by_text("0 of 4 answers judged")).to_be_visible()
    page.evaluate("window.stillHere = true")
    page.get_by_role("link", name="A.1").focus()
    page.unroute("**/judge/**")
    expect(page.get_by_text("1 of 4 answers judged")).to_be_visible()
    expect(page.get_by_text("1 judgment not saved yet")).to_be_hidden()
    expect(page.get_by_role("link", name="A.1")).to_be_focused()
    assert page.evaluate("window.stillHere")
