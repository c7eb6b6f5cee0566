"""The boxes about what was not kept and about the session: what they are about, and how to get at them again."""

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from playwright.sync_api import Page, expect

from assess.models import Assignment, Post
from tests import cast
from tests.browser.desk.desk import (
    Judge,
    at,
    current,
    expect_saved,
    leave,
    open_place,
    press_key,
    ready,
    resize,
    saved,
    sign_in_again,
    until,
)
from tests.browser.desk.ledger import Ledger, OpenDesk, judged_elsewhere, saves
from tests.desk import decisions_of, place_of

pytestmark = pytest.mark.problems_expected  # failed requests are what it is about


def refuse(page: Page) -> None:
    """From now on every decision is refused."""
    answer = {"status": 422, "json": {"detail": "Not today."}}
    page.route("**/judge/**", saves(lambda route: route.fulfill(**answer)))


def test_a_conflict_shows_its_item_in_any_window_and_leads_to_it(page: Page, client: Client, ledger: Ledger) -> None:
    judged_elsewhere(client, ledger, 1, "2")
    ledger.judge("3")
    box = page.locator("dialog#conflict")
    expect(box.locator("[data-item]")).to_contain_text(f"Answer {ledger.unit_at(1)} says")
    formula = box.locator("[data-item] svg").first
    expect(formula).to_be_visible()  # it is set
    resize(page, 400, 800)
    formula.evaluate("formula => formula.style.minWidth = '600px'")
    place = box.bounding_box()
    assert 0 <= place["x"] <= 400 - place["width"]
    assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
    resize(page, 1280, 800)
    box.get_by_role("button", name="Open").click()
    at(page, 1)
    expect(box).to_be_hidden()
    expect(current(page).locator("button[aria-pressed=true]")).to_contain_text("Medium")  # what the server holds
    page.get_by_role("button", name="Review").click()
    box.get_by_role("button", name="Use what I chose here").click()
    expect(page.get_by_role("button", name="Review")).to_be_hidden()
    saved(page)
    expect(current(page).locator("button[aria-pressed=true]")).to_contain_text("High")
    assert decisions_of(ledger.assignment) == {ledger.unit_at(1): "3"}


def test_a_refusal_is_about_the_formula_that_was_judged(page: Page, formulas: Assignment, judge: Judge) -> None:
    judge(formulas, place_of(formulas, "v1"))
    refuse(page)
    page.keyboard.press("2")
    box = page.locator("dialog#refused")
    formula = current(page).locator("[data-document]").first.locator(".highlight").get_attribute("data-formula-id")
    expect(box.locator("[data-item] .math-container")).to_have_attribute("data-formula-id", formula)
    expect(box.locator("[data-name]")).to_contain_text("1. ")


def test_a_refusal_that_was_left_opens_again_from_the_foot_also_at_another_topic(page: Page, ledger: Ledger) -> None:
    other_pool = cast.make_pool(cast.make_campaign(name="Other lab"))
    other_assignment = cast.make_assignment(other_pool, ledger.assignment.assessor)
    refuse(page)
    ledger.judge("3")
    box, review = page.locator("dialog#refused"), page.get_by_role("button", name="Review")
    expect(box).to_be_visible()
    leave(box)
    expect(page.locator("#status")).to_contain_text("1 not saved")
    page.unroute("**/judge/**")
    review.click()
    expect(box).to_contain_text("Not today.")
    leave(box)
    open_place(page, other_assignment, 2)
    ready(page)
    review.click()
    expect(box).to_be_visible()
    assert f"/judge/{ledger.assignment.pk}/" in page.url
    box.get_by_role("button", name="Send again").click()
    expect(review).to_be_hidden()
    ledger.expect_saved()


def test_what_server_fails_at_each_time_is_asked_about_and_holds_nothing_up(page: Page, ledger: Ledger) -> None:
    Post.objects.filter(post_id=ledger.unit_at(1)).update(thread_id="")  # the item cannot be shown either
    page.route("**/judge/*/1/", saves(lambda route: route.fulfill(status=500)))
    ledger.judge("3")
    ledger.judge("2")
    box = page.locator("dialog#refused")
    expect(box).to_contain_text("The server failed each time.")
    expect(box).to_contain_text("1 of 24: High")
    leave(box)
    expect(page.locator("#status")).to_contain_text("1 not saved, the rest saved")
    assert decisions_of(ledger.assignment) == {ledger.unit_at(2): "2"}


def test_judging_again_settles_what_was_refused(page: Page, ledger: Ledger) -> None:
    unit = ledger.unit_at(1)
    posts = Post.objects.filter(post_id=unit)
    body = posts.get().body
    posts.update(body="<p>Another text.</p>")
    page.reload()
    ready(page)
    page.keyboard.press("3")
    box = page.locator("dialog#refused")
    expect(box).to_contain_text("The page showed another text than the pool holds.")
    posts.update(body=body)
    box.get_by_role("button", name="Open").click()
    at(page, 1)
    expect(page.get_by_role("button", name="Review")).to_be_visible()
    page.keyboard.press("1")
    expect_saved(page, ledger.assignment, {unit: "1"})
    expect(page.locator("#status")).to_have_text("1: Low")
    expect(page.get_by_role("button", name="Review")).to_be_hidden()


PRESS_IN_PASSWORD = """() => new MutationObserver(() => {
    const input = document.activeElement;
    if (input.type !== "password") return;
    const isMeant = input.dispatchEvent(new KeyboardEvent("keydown", {key: "1", bubbles: true, cancelable: true}));
    input.dataset.heard = String(isMeant);
}).observe(document.querySelector("dialog#login"), {attributes: true})"""


def test_a_password_box_holds_no_key_of_the_desk_and_opens_again_after_it_was_left(page: Page, ledger: Ledger) -> None:
    page.evaluate(PRESS_IN_PASSWORD)
    Session.objects.all().delete()
    ledger.judge("3")
    box = page.locator("dialog#login")
    field = box.get_by_label("Password")
    expect(field).to_have_attribute("data-heard", "false")

    def is_typed() -> bool:
        page.keyboard.type("x")
        return bool(field.input_value())

    until(page, is_typed)
    leave(box)
    page.get_by_role("button", name="Sign in").click()
    expect(field).to_have_value("")
    leave(box)
    ledger.judge("2")
    sign_in_again(page, "wrong")
    expect(box).to_contain_text("Wrong password.")
    assert decisions_of(ledger.assignment) == {}
    sign_in_again(page)
    expect(box).to_be_hidden()
    ledger.judge("1")
    ledger.expect_saved()
    expect(page.get_by_role("button", name="Sign in")).to_be_hidden()


@pytest.mark.usefixtures("nothing_stored")
def test_a_password_is_asked_for_with_nothing_to_send_too(page: Page, open_desk: OpenDesk) -> None:
    open_desk(12)
    Session.objects.all().delete()
    page.keyboard.press("k")
    box = page.locator("dialog#login")
    expect(box).to_be_visible()
    leave(box)
    page.get_by_role("button", name="Sign in").click()
    sign_in_again(page)
    expect(page.locator("#attend")).to_be_hidden()
    Session.objects.all().delete()
    page.keyboard.press("k")
    expect(box).to_be_visible()
    sign_in_again(page)
    at(page, 11)  # by itself
    press_key(page, "k", to=10)
