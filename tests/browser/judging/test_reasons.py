"""Why an outcome: the box that asks, and which words it keeps."""

from functools import partial

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from assess.models import Assignment, Judgment
from tests.browser.judging.desk import Judge, at, current, idle, prepared, saved, take_reason
from tests.desk import decisions, place_of, press, unit_at


@pytest.mark.parametrize(("key", "outcome"), [("d", "do_not_know"), ("f", "system_failure")])
def test_outcome_takes_key_and_number_of_a_reason(judge: Judge, answers: Assignment, key: str, outcome: str) -> None:
    page = judge(answers, place_of(answers, "11"))
    page.keyboard.press(key)
    expect(page.locator("dialog#reason")).to_be_visible()
    reason = page.locator("dialog#reason .reasons:not([hidden]) button span").nth(1).inner_text()
    take_reason(page, "2")
    expect(page.locator("dialog#reason")).to_be_hidden()
    expect(page.locator("#judged")).to_have_text("1")
    saved(page)
    assert list(Judgment.objects.values_list("outcome", "comment")) == [(outcome, reason)]


def test_a_reason_in_own_words_and_enter(judge: Judge, formulas: Assignment) -> None:
    page = judge(formulas, place_of(formulas, "v1"))
    page.keyboard.press("n")
    page.keyboard.press("Tab")  # a reason
    page.get_by_label("In your own words").click()
    page.keyboard.type("3 2 1 is typed, not judged")
    page.keyboard.press("Enter")
    expect(current(page).locator("[data-candidate]").nth(1)).to_be_focused()
    saved(page)
    assert list(Judgment.objects.values_list("outcome", "comment")) == [("not_matching", "3 2 1 is typed, not judged")]


@pytest.mark.parametrize(("keys", "kept"), [("\n", "odd"), ("1\n", "I do not understand the question: odd")])
def test_a_comment_that_was_typed_before_is_in_the_box(judge: Judge, answers: Assignment, keys: str, kept: str) -> None:
    page = judge(answers)
    page.keyboard.press("c")
    page.keyboard.type("odd")
    page.keyboard.press("Escape")
    page.keyboard.press("d")
    expect(page.get_by_label("In your own words")).to_have_value("odd")
    page.keyboard.type(keys)
    at(page, 2)
    saved(page)
    assert list(Judgment.objects.values_list("outcome", "comment")) == [("do_not_know", kept)]


def test_the_words_of_an_earlier_visit_are_offered(judge: Judge, answers: Assignment, client: Client) -> None:
    client.force_login(answers.assessor)
    press(client, answers, unit_at(answers, 1), "do_not_know", comment="odd")
    page = judge(answers)
    page.get_by_role("button", name="Take back").click()
    idle(page)
    page.keyboard.press("f")
    expect(page.get_by_label("In your own words")).to_have_value("odd")


def test_what_is_still_being_composed_or_blank_is_no_reason(judge: Judge, answers: Assignment) -> None:
    page = judge(answers)
    page.keyboard.press("d")
    field = page.get_by_label("In your own words")
    field.fill("o")
    composing = "{key: 'Enter', isComposing: true, bubbles: true, cancelable: true}"
    assert field.evaluate(f"field => field.dispatchEvent(new KeyboardEvent('keydown', {composing}))")  # nobody took it
    field.fill("  ")
    page.keyboard.press("Enter")
    expect(field).to_have_value("")
    expect(page.locator("dialog#reason")).to_be_visible()
    expect(page.locator("#judged")).to_have_text("0")


@pytest.mark.parametrize("before", ["", "odd"])
def test_words_after_a_chosen_reason_are_added_to_it(judge: Judge, answers: Assignment, before: str) -> None:
    page = judge(answers)
    current(page).get_by_label("Comment").fill(before)
    current(page).locator("[data-candidate]").focus()
    page.keyboard.press("d")
    page.locator("dialog#reason").wait_for()
    page.keyboard.type("1of 13 lines")
    expect(page.get_by_label("In your own words")).to_have_value(f"{before} of 13 lines".strip())
    chosen = page.locator("dialog#reason button[aria-pressed=true]")
    expect(chosen).to_contain_text("I do not understand the question")
    page.keyboard.press("Enter")
    at(page, 2)
    saved(page)
    words = f"{before} of 13 lines".strip()
    assert Judgment.objects.get().comment == f"I do not understand the question: {words}"


def test_own_words_may_begin_with_a_number_in_their_field(judge: Judge, answers: Assignment) -> None:
    page = judge(answers)
    page.keyboard.press("f")
    page.get_by_label("In your own words").click()
    page.keyboard.type("3 formulas, 2 readable\n")
    at(page, 2)
    saved(page)
    assert Judgment.objects.get().comment == "3 formulas, 2 readable"


@pytest.mark.parametrize("how", ["click", "number"])
def test_a_reason_that_is_chosen_again_is_taken_away(judge: Judge, answers: Assignment, how: str) -> None:
    page = judge(answers)
    page.keyboard.press("d")
    reason = page.locator("dialog#reason").get_by_role("button", name="I do not understand the question")
    choose = reason.click if how == "click" else partial(page.keyboard.press, "1")
    reason.wait_for()
    choose()
    expect(reason).to_have_attribute("aria-pressed", "true")
    choose()
    expect(reason).to_have_attribute("aria-pressed", "false")
    page.keyboard.type("odd\n")
    at(page, 2)
    saved(page)
    assert Judgment.objects.get().comment == "odd"


@pytest.mark.parametrize("keys", [["1", " ", "Enter"], ["Enter", "1", "Enter"]])
def test_a_number_alone_is_the_reason_wherever_it_was_typed(judge: Judge, answers: Assignment, keys: list[str]) -> None:
    page = judge(answers)
    page.keyboard.press("d")
    page.locator("dialog#reason").wait_for()
    for key in keys:
        page.keyboard.press(key)
    at(page, 2)
    saved(page)
    assert Judgment.objects.get().comment == "I do not understand the question"


@pytest.fixture
def back_at_what_was_not_known(judge: Judge, answers: Assignment) -> Page:
    """An answer that was judged, by a usual reason, and is on the screen again."""
    page = judge(answers)
    page.keyboard.press("d")
    take_reason(page, "1")
    at(page, 2)
    page.keyboard.press("k")
    at(page, 1)
    return page


def test_words_typed_where_a_reason_stands_go_behind_it(back_at_what_was_not_known: Page) -> None:
    page = back_at_what_was_not_known
    page.keyboard.type("dline 2\n")
    comment = current(page).get_by_label("Comment")
    expect(comment).to_have_value("I do not understand the question: line 2")
    idle(page)
    page.keyboard.press("2")
    expect(comment).to_have_value("line 2")
    saved(page)


def test_another_number_changes_the_reason_and_keeps_own_words(judge: Judge, answers: Assignment) -> None:
    page = judge(answers)
    page.keyboard.press("d")
    box = page.locator("dialog#reason")
    box.wait_for()
    page.keyboard.type("41")
    expect(box.get_by_role("button", name="I do not understand the question")).to_be_focused()
    page.get_by_label("In your own words").fill("line 2")
    box.get_by_role("button", name="Save").click()
    at(page, 2)
    saved(page)
    assert Judgment.objects.get().comment == "I do not understand the question: line 2"


@pytest.mark.parametrize("how", ["click", "space"])
def test_a_click_or_the_space_bar_chooses_a_reason_and_enter_saves(judge: Judge, answers: Assignment, how: str) -> None:
    page = judge(answers)
    page.keyboard.press("d")
    reason = page.locator("dialog#reason").get_by_role("button", name="The question is unclear or incomplete")
    if how == "click":
        reason.click()
    else:
        reason.focus()
        page.keyboard.press(" ")
    expect(reason).to_have_attribute("aria-pressed", "true")
    page.wait_for_timeout(300)
    assert current(page).get_attribute("data-place") == "1"  # nothing is saved yet
    page.keyboard.press("Enter")
    at(page, 2)
    saved(page)
    assert Judgment.objects.get().comment == "The question is unclear or incomplete"


def test_own_words_can_be_typed_at_once(judge: Judge, answers: Assignment) -> None:
    page = judge(answers, place_of(answers, "11"))
    page.keyboard.press("d")
    expect(page.locator("dialog#reason")).to_be_visible()
    page.keyboard.type("Is line 2 odd?")
    page.keyboard.press("Enter")
    expect(page.locator("#judged")).to_have_text("1")
    saved(page)
    assert list(Judgment.objects.values_list("outcome", "comment")) == [("do_not_know", "Is line 2 odd?")]


def test_a_reason_box_that_is_left_decides_nothing(judge: Judge, answers: Assignment) -> None:
    page = judge(answers, place_of(answers, "11"))
    page.keyboard.press("d")
    page.keyboard.press("Enter")  # do not know needs a reason
    box = page.locator("dialog#reason")
    expect(box).to_be_visible()
    # Comes after the desk's own listener: when the attribute is there, the desk knows, too.
    box.evaluate("box => box.addEventListener('close', () => setTimeout(() => box.setAttribute('data-left', '')))")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog#reason[data-left]", state="attached")
    expect(box).to_be_hidden()
    page.keyboard.press("1")
    expect(page.locator("#judged")).to_have_text("1")
    saved(page)
    assert decisions(answers) == {"11": "1"}


def test_a_document_without_text_takes_one_key(judge: Judge) -> None:
    answers = prepared("arqmath3-task1", is_whole=False)
    page = judge(answers, place_of(answers, "99"))
    page.keyboard.press("f")
    expect(page.locator("#judged")).to_have_text("1")
    saved(page)
    assert Judgment.objects.get().comment == "The collection holds no text for this document."


def test_a_document_without_text_is_graded_on_the_second_try_only(judge: Judge) -> None:
    answers = prepared("arqmath3-task1", is_whole=False)
    page = judge(answers, place_of(answers, "99"))
    page.keyboard.press("1")
    expect(page.locator("#status")).to_have_text("No text to grade: choose System failure, or press the grade again")
    expect(page.locator("#judged")).to_have_text("0")
    current(page).get_by_role("button", name="Low").click()
    expect(page.locator("#judged")).to_have_text("1")
    saved(page)
    assert Judgment.objects.get().decision == "1"
