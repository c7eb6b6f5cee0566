"""A browser that blocks site data, or has damaged entries: the desk works without, and says so."""

import pytest
from playwright.sync_api import Page, expect

from assess.models import Assignment
from tests.browser.desk.desk import Judge, at, open_place, saved
from tests.desk import decisions_of
from tests.pages import SignIn

BLOCKED = """
for (const name of ["localStorage", "sessionStorage", "indexedDB"]) {
    const get = () => { throw new DOMException("Access is denied", "SecurityError"); };
    Object.defineProperty(window, name, { get });
}"""


def test_without_site_data_buttons_judge_and_the_desk_says_why_keys_do_not(
    page: Page, sign_in: SignIn, answers: Assignment
) -> None:
    page.add_init_script(BLOCKED)
    sign_in(page, answers.assessor)
    open_place(page, answers, 1)
    expect(page.locator("#status")).to_contain_text("No keys: this browser keeps no site data.")
    page.keyboard.press("3")
    page.get_by_role("button", name="Medium").click()
    expect(page.locator("#place")).to_have_text("2")
    assert list(decisions_of(answers).values()) == ["2"]
    page.goto("/")
    expect(page.get_by_text("1 of 4 answers judged")).to_be_visible()


@pytest.mark.parametrize("damage", ['{"cut', "7", '{"undo": 7}', "[[]]"])
def test_damaged_entries_count_as_none(page: Page, judge: Judge, answers: Assignment, damage: str) -> None:
    names = [
        "assess.keymap",
        "assess.own_keys",
        "assess.rest",
        "assess.split",
        "assess.theme",
        "assess.keys",
        "assess.guide",
    ]
    user = answers.assessor.pk
    names.append(f"assess.marks.{user}.{answers.round.pool.campaign.slug}")
    page.add_init_script(f"""
        for (const name of {names}) localStorage.setItem(name, {damage!r});
        sessionStorage.setItem("assess.undo.{answers.pk}", {damage!r});""")
    judge(answers, 1)
    page.keyboard.press("3")
    at(page, 2)
    page.keyboard.press("u")
    at(page, 1)
    page.keyboard.press("2")
    at(page, 2)
    saved(page)
    assert list(decisions_of(answers).values()) == ["2"]
    page.evaluate("localStorage.clear()")  # for the tests that follow in this browser
