"""Why an outcome: the box that asks, and which words it keeps."""

from typing import NamedTuple

from playwright.sync_api import Locator, Page, expect

from assess.models import Assignment, Judgment, Round
from tests.browser.desk.desk import Judge, at, current, leave, press_key, saved
from tests.browser.desk.ledger import Ledger

FIRST = "I do not understand the question"


def ask(ledger: Ledger, key: str = "d") -> Locator:
    """The box that asks why, for the answer on the screen."""
    press_key(ledger.page, key)
    box = ledger.page.locator("dialog#reason")
    box.wait_for()
    return box


def comments() -> list[str]:
    """In the order in which they came."""
    return list(Judgment.objects.order_by("pk").values_list("comment", flat=True))


def test_a_grade_that_settles_a_disagreement_takes_a_key_and_a_reason(judge: Judge, answers: Assignment) -> None:
    Round.objects.filter(pk=answers.round_id).update(kind="adjudication")
    page = judge(answers)
    box = page.locator("dialog#reason")
    page.keyboard.press("2")
    expect(box.get_by_role("heading")).to_have_text("Why “Medium”?")
    leave(box)
    page.keyboard.press("3")
    expect(box.get_by_role("heading")).to_have_text("Why “High”?")
    page.keyboard.type("2\n")
    at(page, 2)
    current(page).get_by_label("Reason").fill("It is the definition.")
    current(page).get_by_role("button", name="Low").click()
    at(page, 3)
    saved(page)
    kept = [("3", "A judgment was too strict"), ("1", "It is the definition.")]
    assert [(each.decision, each.comment) for each in Judgment.objects.order_by("pk")] == kept


class Typed(NamedTuple):
    """A comment typed before the box opens, what is typed in the box, and the comment that is kept."""

    before: str
    keys: str
    kept: str


TYPED = {
    "own words at once": Typed("", "Is line 2 odd?\n", "Is line 2 odd?"),
    "the comment typed before": Typed("odd", "\n", "odd"),
    "a reason before that comment": Typed("odd", "1\n", f"{FIRST}: odd"),
    "words after a reason": Typed("", "1of 13 lines\n", f"{FIRST}: of 13 lines"),
    "words after a reason and a comment": Typed("odd", "1of 13 lines\n", f"{FIRST}: odd of 13 lines"),
    "a number and a space": Typed("", "1 \n", FIRST),
    "Enter without a reason, then a number": Typed("", "\n1\n", FIRST),
    "a reason that is chosen again is taken away": Typed("", "11odd\n", "odd"),
    "another number changes the reason": Typed("", "41\n", FIRST),
}


def test_what_is_typed_in_the_box_is_the_reason(page: Page, ledger: Ledger) -> None:
    for place, case in enumerate(TYPED.values(), start=1):
        if case.before:
            press_key(page, "c")
            page.keyboard.type(case.before)
            page.keyboard.press("Escape")
        ask(ledger)
        expect(page.get_by_label("In your own words")).to_have_value(case.before)
        page.keyboard.type(case.keys)
        at(page, place + 1)
    saved(page)
    assert dict(zip(TYPED, comments(), strict=True)) == {name: case.kept for name, case in TYPED.items()}


def test_a_box_stays_without_a_reason_which_is_chosen_by_click_space_bar_or_number(page: Page, ledger: Ledger) -> None:
    words, box = page.get_by_label("In your own words"), ask(ledger)
    page.keyboard.press("Enter")
    expect(box).to_be_visible()
    words.fill("o")
    composing = "{key: 'Enter', isComposing: true, bubbles: true, cancelable: true}"
    assert words.evaluate(f"field => field.dispatchEvent(new KeyboardEvent('keydown', {composing}))")  # nobody took it
    words.fill("  ")
    page.keyboard.press("Enter")
    expect(words).to_have_value("")
    leave(box)
    expect(page.locator("#judged")).to_have_text("0")

    for place, choose in enumerate(("click", "press"), start=1):
        unclear = ask(ledger).get_by_role("button", name="The question is unclear or incomplete")
        unclear.click() if choose == "click" else unclear.press(" ")
        expect(unclear).to_have_attribute("aria-pressed", "true")
        page.wait_for_timeout(300)
        at(page, place)  # nothing is saved yet
        press_key(page, "Enter", to=place + 1)

    first = ask(ledger).get_by_role("button", name=FIRST)
    for is_pressed in ("true", "false"):
        first.click()
        expect(first).to_have_attribute("aria-pressed", is_pressed)
    page.keyboard.type("41")
    expect(first).to_be_focused()
    words.fill("line 2")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    at(page, 4)

    ask(ledger, "f")
    words.click()
    page.keyboard.type("3 formulas, 2 readable\n")  # a number in this field is none of a reason
    at(page, 5)

    saved(page)
    assert comments() == [*["The question is unclear or incomplete"] * 2, f"{FIRST}: line 2", "3 formulas, 2 readable"]
