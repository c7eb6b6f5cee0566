"""The boxes about what was not kept and about the session: what they are about, and how to get at them again."""

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from playwright.sync_api import Page, expect

from tests import cast
from tests.browser.desk.desk import at, current, leave, open_place, ready, resize, saved, sign_in_again, until
from tests.browser.desk.ledger import Ledger, judged_elsewhere, saves
from tests.desk import decisions_of

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
