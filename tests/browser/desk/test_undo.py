"""Undo at the judging desk."""

from django.test import Client
from playwright.sync_api import Page, expect

from assess.models import Assignment
from assess.services.desk import decisions
from tests.browser.desk.desk import Judge, at, current, idle, judge_alike, met, ready, saved, stocked
from tests.browser.desk.ledger import OpenDesk, saves
from tests.desk import decisions_of, place_of, press, unit_at


def test_undo_takes_back_and_shows_again_step_by_step(judge: Judge, answers: Assignment) -> None:
    page = judge(answers)
    for place, key in enumerate("32", start=2):
        page.keyboard.press(key)
        at(page, place)
    page.keyboard.press("u")
    at(page, 2)
    expect(page.locator("#status")).to_have_text("Undone")
    saved(page)
    assert decisions_of(answers) == {unit_at(answers, 1): "3"}
    idle(page)
    page.keyboard.press("1")
    at(page, 3)
    for place in (2, 1):
        idle(page)
        page.keyboard.press("u")
        at(page, place)
        expect(current(page).locator("button[aria-pressed=true]")).to_have_count(0)
    saved(page)
    assert decisions_of(answers) == {}
    idle(page)
    page.keyboard.press("u")
    expect(page.locator("#status")).to_have_text("Nothing to undo")


def test_an_early_reload_keeps_a_comment(
    judge: Judge, answers: Assignment, client: Client, problems: list[str]
) -> None:
    client.force_login(answers.assessor)
    press(client, answers, unit_at(answers, 1), "3", comment="odd")
    page = judge(answers)
    page.route("**/judge/**", saves(lambda route: route.abort()))
    page.get_by_role("button", name="Take back").click()
    comment = current(page).get_by_label("Comment")
    expect(current(page).locator("button[aria-pressed=true]")).to_have_count(0)
    idle(page)  # it is safe in the browser
    expect(comment).to_have_value("odd")
    page.reload()
    ready(page)
    expect(current(page).locator("button[aria-pressed=true]")).to_have_count(0)
    expect(comment).to_have_value("odd")
    page.unroute_all()
    saved(page)
    assert decisions_of(answers) == {}
    problems.clear()


def test_what_was_judged_offline_is_taken_back_offline(page: Page, problems: list[str], open_desk: OpenDesk) -> None:
    ledger = open_desk()
    stocked(page, 5)
    page.context.set_offline(True)
    for place in range(2, 6):
        page.keyboard.press("2")
        at(page, place)
    for place in range(4, 0, -1):
        idle(page)
        page.keyboard.press("u")
        at(page, place)
        expect(page.locator("#judged")).to_have_text(str(place - 1))
    page.context.set_offline(False)
    saved(page)
    assert decisions_of(ledger.assignment) == {}
    problems.clear()  # Chromium tells of requests that failed


def test_what_was_put_off_and_is_taken_back_is_still_put_off(judge: Judge, answers: Assignment) -> None:
    page = judge(answers)
    foot = current(page).locator(".defer")
    page.keyboard.press("s")
    at(page, 2)
    page.keyboard.press("k")
    at(page, 1)
    idle(page)
    page.keyboard.press("3")
    at(page, 2)
    idle(page)
    page.keyboard.press("u")
    at(page, 1)
    expect(foot).to_contain_text("Stop deferring")
    idle(page)
    page.keyboard.press("3")
    at(page, 2)
    saved(page)
    page.keyboard.press("k")
    at(page, 1)
    page.reload()  # what it knows now, it knows from the server
    ready(page)
    current(page).get_by_role("button", name="Take back").click()
    expect(foot).to_contain_text("Stop deferring")
    idle(page)
    page.keyboard.press("s")
    expect(foot).to_contain_text("Defer")
    saved(page)
    assert (decisions_of(answers), answers.deferrals.count()) == ({}, 0)


def test_undo_defers_again_what_another_window_deferred(judge: Judge, answers: Assignment, client: Client) -> None:
    client.force_login(answers.assessor)
    press(client, answers, unit_at(answers, 1), "3")
    page = judge(answers)
    decisions.defer(answers.pk, answers.assessor, 1)
    page.evaluate("""() => new Promise((told) => {
        document.addEventListener("assess:shown", () => told(), { once: true });
        document.dispatchEvent(new Event("visibilitychange"));  // as when the window is seen again
    })""")
    current(page).get_by_role("button", name="Take back").click()
    expect(current(page).locator(".defer")).to_contain_text("Stop deferring")


def test_undo_takes_same_for_the_rest_back_at_once_and_then_what_was_before(judge: Judge, formulas: Assignment) -> None:
    page = judge(formulas, place_of(formulas, "v1"))
    page.set_viewport_size({"width": 1280, "height": 420})
    cards = current(page).locator("[data-document]")
    judge_alike(page, formulas, "2")
    page.keyboard.press("u")
    at(page, place_of(formulas, "v1"))
    expect(cards.nth(1)).to_be_focused()  # the first of them
    expect(cards.nth(1).locator("h2")).to_be_in_viewport()
    expect(page.locator("#status")).to_have_text("Posts undone: 2")
    saved(page)
    assert decisions_of(formulas) == {met(formulas, "v1")[0]: "2"}
    idle(page)
    page.keyboard.press("u")
    expect(cards.nth(0)).to_be_focused()
    expect(page.locator("#status")).to_have_text("Undone")
    saved(page)
    assert decisions_of(formulas) == {}
