"""Undo at the judging desk."""

from django.test import Client
from playwright.sync_api import expect

from assess.models import Assignment
from tests.browser.desk.desk import Judge, current, expect_saved, idle, judge_alike, met, press_key, ready, saved
from tests.browser.desk.ledger import saves
from tests.desk import decisions_of, place_of, press, unit_at


def test_undo_takes_back_and_shows_again_step_by_step(judge: Judge, answers: Assignment) -> None:
    page = judge(answers)
    for place, key in enumerate("32", start=2):
        press_key(page, key, to=place)
    press_key(page, "u", to=2)
    expect(page.locator("#status")).to_have_text("Undone")
    expect_saved(page, answers, {unit_at(answers, 1): "3"})
    press_key(page, "1", to=3)
    for place in (2, 1):
        press_key(page, "u", to=place)
        expect(current(page).locator("button[aria-pressed=true]")).to_have_count(0)
    expect_saved(page, answers, {})
    press_key(page, "u")
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
    expect_saved(page, answers, {})
    problems.clear()


def test_what_was_put_off_and_is_taken_back_is_still_put_off(judge: Judge, answers: Assignment) -> None:
    page = judge(answers)
    foot = current(page).locator(".defer")
    press_key(page, "s", to=2)
    press_key(page, "k", to=1)
    press_key(page, "3", to=2)
    press_key(page, "u", to=1)
    expect(foot).to_contain_text("Stop deferring")
    press_key(page, "3", to=2)
    saved(page)
    press_key(page, "k", to=1)
    page.reload()  # what it knows now, it knows from the server
    ready(page)
    current(page).get_by_role("button", name="Take back").click()
    expect(foot).to_contain_text("Stop deferring")
    press_key(page, "s")
    expect(foot).to_contain_text("Defer")
    saved(page)
    assert (decisions_of(answers), answers.deferrals.count()) == ({}, 0)


def test_undo_takes_same_for_the_rest_back_at_once_and_then_what_was_before(judge: Judge, formulas: Assignment) -> None:
    page = judge(formulas, place_of(formulas, "v1"))
    page.set_viewport_size({"width": 1280, "height": 420})
    cards = current(page).locator("[data-document]")
    judge_alike(page, formulas, "2")
    press_key(page, "u", to=place_of(formulas, "v1"))
    expect(cards.nth(1)).to_be_focused()  # the first of them
    expect(cards.nth(1).locator("h2")).to_be_in_viewport()
    expect(page.locator("#status")).to_have_text("Posts undone: 2")
    expect_saved(page, formulas, {met(formulas, "v1")[0]: "2"})
    press_key(page, "u")
    expect(cards.nth(0)).to_be_focused()
    expect(page.locator("#status")).to_have_text("Undone")
    expect_saved(page, formulas, {})
