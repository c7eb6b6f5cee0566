"""Keys that come more quickly than the desk is done with each, or before it can keep anything."""

from playwright.sync_api import Page, expect
from pytest_django import Settings

from assess.models import Assignment, Deferral
from tests.browser.desk.desk import (
    Judge,
    Reader,
    at,
    at_once,
    current,
    expect_saved,
    idle,
    met,
    note_statuses,
    open_place,
    ready,
    saved,
    until,
)
from tests.browser.desk.ledger import held
from tests.desk import decisions_of, place_of
from tests.pages import NewPage, SignIn

EARLY = "Ignored: pressed too early"


def typed(page: Page, keys: str) -> None:
    page.keyboard.type(keys)


def test_those_for_the_posts_on_the_screen_count_one_after_the_other_and_no_others(
    judge: Judge, formulas: Assignment
) -> None:
    """On a machine that is four times as slow."""
    page = judge(formulas, place_of(formulas, "v1"))
    session = page.context.new_cdp_session(page)
    first, second, third = met(formulas, "v1")
    for how, keys, last in ((typed, "32r", "2"), (at_once, "3210", "1")):
        session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
        note_statuses(page)
        how(page, keys)
        at(page, place_of(formulas, "v2"))
        expect_saved(page, formulas, {first: "3", second: "2", third: last})
        if keys == "3210":  # the last is for an item that nobody has seen
            assert EARLY in page.evaluate("told")
        session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
        for left in (2, 1, 0):
            idle(page)
            page.keyboard.press("u")
            expect(page.locator("#status")).to_have_text(f"Undone: {place_of(formulas, 'v1')}")
            expect(current(page).locator("[aria-pressed=true]")).to_have_count(left)
        until(page, lambda: not decisions_of(formulas))


def test_a_double_tap_does_not_judge_the_next_answer(
    judge: Judge, new_page: NewPage, answers: Assignment, settings: Settings
) -> None:
    """On a phone the buttons of the next answer stand where those of the last one stood."""
    settings.DESK_EARLY_MS = 4000
    page = judge(answers, 1, new_page(width=400))
    page.keyboard.press("2")  # shows the answer, which stands below the question
    box = current(page).get_by_role("button", name="Medium").bounding_box()
    assert box
    touch = page.context.new_cdp_session(page)
    touch.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    for _ in range(2):
        point = {"x": box["x"] + 20, "y": box["y"] + 10}
        touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        at(page, 2)
    expect(page.locator("#status")).to_have_text(EARLY)
    saved(page)
    assert list(decisions_of(answers).values()) == ["2"]


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


def test_before_the_desk_can_keep_anything_keys_judge_nothing_and_the_server_keeps_clicks(
    page: Page, sign_in: SignIn, answers: Assignment
) -> None:
    page.add_init_script(CLOSED_STORE)
    sign_in(page, answers.assessor)
    open_place(page, answers, 1)
    saved(page)  # nothing to save: the first thing that the script says
    for place, name in ((1, "High"), (2, "Defer")):
        for key in "3ujsr":
            page.keyboard.press(key)
        page.get_by_role("button", name=name).click()
        expect(page.locator("#place")).to_have_text(f"{place + 1}")
        assert list(decisions_of(answers).values()) == ["3"]
        saved(page)
    assert Deferral.objects.get().entry_id == answers.order[1]
    for key in "3ujsr":
        page.keyboard.press(key)
    page.evaluate("openStore()")
    ready(page)
    at(page, 3)
    expect(page.locator("#judged")).to_have_text("1")
    expect(page.locator("#status")).to_have_text("Deferred to the end")
    expect(current(page).locator("button[aria-pressed=true]")).to_have_count(0)
    page.keyboard.press("2")
    at(page, 4)
    saved(page)
    assert list(decisions_of(answers).values()) == ["3", "2"]


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
