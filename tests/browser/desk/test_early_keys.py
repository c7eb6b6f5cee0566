"""What is pressed before the desk's script can keep anything is either kept by the server or not said to be judged."""

import pytest
from playwright.sync_api import Page, expect

from assess.models import Assignment, Deferral
from tests.browser.desk.desk import Reader, at, current, open_place, ready, saved
from tests.browser.desk.ledger import held
from tests.desk import decisions_of
from tests.pages import SignIn

CLOSED_STORE = """
const { open } = IDBFactory.prototype;
const isOpen = new Promise((resolve) => (window.openStore = resolve));
IDBFactory.prototype.open = function (...all) {
    const asked = open.apply(this, all);
    Object.defineProperty(asked, "onsuccess", {
        set: (done) => asked.addEventListener("success", () => isOpen.then(done)),
    });
    return asked;
};"""


@pytest.fixture
def early(page: Page, sign_in: SignIn, answers: Assignment) -> Assignment:
    """ada's first place; the script has begun, and waits for the store of the browser."""
    page.add_init_script(CLOSED_STORE)
    sign_in(page, answers.assessor)
    open_place(page, answers, 1)
    saved(page)  # nothing to save: the first thing that the script says
    return answers


def test_a_key_before_the_desk_can_keep_anything_judges_nothing(page: Page, early: Assignment) -> None:
    for key in "3ujsr":
        page.keyboard.press(key)
    page.evaluate("openStore()")
    ready(page)
    at(page, 1)
    expect(page.locator("#judged")).to_have_text("0")
    expect(page.locator("#status")).to_have_text("")
    expect(page.locator(".item button[aria-pressed=true]")).to_have_count(0)
    page.keyboard.press("2")
    at(page, 2)
    saved(page)
    assert list(decisions_of(early).values()) == ["2"]


def test_a_click_before_the_desk_can_keep_anything_is_kept_by_the_server(page: Page, early: Assignment) -> None:
    page.get_by_role("button", name="High").click()
    expect(page.locator("#place")).to_have_text("2")
    assert list(decisions_of(early).values()) == ["3"]
    saved(page)
    page.get_by_role("button", name="Defer").click()
    expect(page.locator("#place")).to_have_text("3")
    assert Deferral.objects.get().entry_id == early.order[1]
    page.evaluate("openStore()")
    ready(page)
    expect(page.locator("#judged")).to_have_text("1")


def test_what_is_typed_early_is_typed_to_its_end_and_not_replaced_by_an_older_comment(
    reader: Reader, answers: Assignment
) -> None:
    page = reader()
    comment, question = page.locator(".item").first.get_by_label("Comment"), page.locator("#ask textarea")
    comment.fill("half a thought")
    let_go = held(page, "**/judging.js")
    page.reload(wait_until="commit")
    comment.fill("another thought")
    page.locator("#ask summary").click()
    question.click()
    page.keyboard.type("not sure, ")
    let_go()
    ready(page)
    page.wait_for_timeout(200)
    page.keyboard.type("2 or 3")
    expect(question).to_have_value("not sure, 2 or 3")
    expect(current(page).get_by_label("Comment")).to_have_value("another thought")
    assert decisions_of(answers) == {}
