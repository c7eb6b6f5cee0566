"""The judging desk by keys."""

import re

import pytest
from playwright.sync_api import expect

from assess.models import Deferral, Judgment, JudgmentEvent, PoolEntry
from tests.browser.desk import at, current, idle, met, open_place, ready, saved
from tests.desk import decisions, place_of

# Nothing here depends on the database, so one engine does.
pytestmark = [pytest.mark.browser, pytest.mark.sqlite, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def desk(page, live_server, sign_in):
    """Opens ada's desk at a place and waits until it hears keys."""

    def opened(cast, place=1):
        ada, mine = cast
        sign_in(page, ada)
        open_place(page, live_server, mine, place)
        ready(page)
        return page, mine

    return opened


def unit_at(mine, place):
    return PoolEntry.objects.get(pk=mine.order[place - 1]).unit_id


def test_one_key_judges_an_answer_and_brings_the_next_without_loading_a_page(desk, answers):
    page, mine = desk(answers)
    page.evaluate("window.stillHere = true")
    expected = {}
    for place, key in enumerate("3210", start=1):
        at(page, place)
        expected[unit_at(mine, place)] = key
        page.wait_for_timeout(700)  # time that counts
        if place == 4:
            assert page.evaluate("window.stillHere")
        page.keyboard.press(key)
    expect(page.get_by_text("All 4 judged. Thank you.")).to_be_visible()
    assert decisions(mine) == expected
    times = list(JudgmentEvent.objects.values_list("active_ms", "wall_ms"))
    assert all(500 <= active <= wall <= 60_000 for active, wall in times), times


def test_the_focus_walks_through_the_posts_of_a_formula(desk, formulas):
    page, mine = desk(formulas, place_of(formulas[1], "v1"))
    cards = current(page).locator("[data-candidate]")
    expect(cards).to_have_count(3)
    for number, key in enumerate("32"):
        expect(cards.nth(number)).to_have_class(re.compile("current"))
        idle(page)
        page.keyboard.press(key)
    expect(cards.nth(2)).to_be_focused()
    idle(page)
    page.keyboard.press("1")
    expect(current(page)).to_have_attribute("data-place", str(place_of(mine, "v2")))
    saved(page)
    first, second, third = met(mine, "v1")
    assert decisions(mine) == {first: "3", second: "2", third: "1"}


def test_the_same_for_the_rest(desk, formulas):
    page, mine = desk(formulas, place_of(formulas[1], "v1"))
    page.keyboard.press("r")  # nothing to repeat yet
    expect(page.locator("#status")).to_contain_text("Judge the first of these posts")
    saved(page)
    assert decisions(mine) == {}
    page.keyboard.press("2")
    expect(current(page).locator("[data-candidate]").nth(1)).to_be_focused()
    idle(page)
    page.keyboard.press("r")
    expect(current(page)).to_have_attribute("data-place", str(place_of(mine, "v2")))
    saved(page)
    assert decisions(mine) == dict.fromkeys(met(mine, "v1"), "2")


def test_what_was_judged_is_changed_post_by_post_or_for_all_that_follow(desk, formulas):
    page, mine = desk(formulas, place_of(formulas[1], "v1"))
    cards = current(page).locator("[data-candidate]")
    page.keyboard.press("2")
    expect(cards.nth(1)).to_be_focused()
    idle(page)
    page.keyboard.press("r")
    at(page, place_of(mine, "v2"))
    idle(page)
    page.keyboard.press("k" if place_of(mine, "v1") < place_of(mine, "v2") else "j")
    at(page, place_of(mine, "v1"))
    page.keyboard.press("0")
    expect(cards.nth(1)).to_be_focused()
    idle(page)
    page.keyboard.press("r")
    expect(cards.nth(2).locator("button[aria-pressed=true]")).to_contain_text("Not relevant")
    saved(page)
    assert decisions(mine) == dict.fromkeys(met(mine, "v1"), "0")
    at(page, place_of(mine, "v1"))


@pytest.mark.parametrize(("key", "outcome"), [("d", "do_not_know"), ("f", "system_failure")])
def test_an_outcome_takes_a_key_and_the_number_of_a_reason(desk, answers, key, outcome):
    page, _ = desk(answers, place_of(answers[1], "11"))
    page.keyboard.press(key)
    expect(page.locator("dialog#reason")).to_be_visible()
    reason = page.locator("dialog#reason .reasons:not([hidden]) button span").nth(1).inner_text()
    page.keyboard.press("2")
    expect(page.locator("dialog#reason")).to_be_hidden()
    expect(page.locator("#judged")).to_have_text("1")
    saved(page)
    assert list(Judgment.objects.values_list("outcome", "comment")) == [(outcome, reason)]


def test_a_reason_in_own_words_and_enter(desk, formulas):
    page, _ = desk(formulas, place_of(formulas[1], "v1"))
    page.keyboard.press("n")
    page.keyboard.press("Tab")  # a reason
    page.get_by_label("Why, in your words").click()
    page.keyboard.type("3 2 1 is typed, not judged")
    page.keyboard.press("Enter")
    expect(current(page).locator("[data-candidate]").nth(1)).to_be_focused()
    saved(page)
    assert list(Judgment.objects.values_list("outcome", "comment")) == [("not_matching", "3 2 1 is typed, not judged")]


def test_own_words_can_be_typed_at_once(desk, answers):
    page, _ = desk(answers, place_of(answers[1], "11"))
    page.keyboard.press("d")
    expect(page.locator("dialog#reason")).to_be_visible()
    page.keyboard.type("Is line 2 odd?")
    page.keyboard.press("Enter")
    expect(page.locator("dialog#reason")).to_be_hidden()
    saved(page)
    assert list(Judgment.objects.values_list("outcome", "comment")) == [("do_not_know", "Is line 2 odd?")]


def test_a_reason_box_that_is_left_decides_nothing(desk, answers):
    page, mine = desk(answers, place_of(answers[1], "11"))
    page.keyboard.press("d")
    page.keyboard.press("Enter")  # do not know needs a reason
    expect(page.locator("dialog#reason")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog#reason")).to_be_hidden()
    page.keyboard.press("1")
    expect(page.locator("#judged")).to_have_text("1")
    saved(page)
    assert decisions(mine) == {"11": "1"}


def test_a_document_without_text_takes_one_key(desk, answers):
    page, _ = desk(answers, place_of(answers[1], "99"))
    page.keyboard.press("f")
    expect(page.locator("#judged")).to_have_text("1")
    saved(page)
    assert Judgment.objects.get().comment == "The collection holds no text for this document."


def test_undo_takes_back_and_shows_again_step_by_step(desk, answers):
    page, mine = desk(answers)
    for place, key in enumerate("32", start=2):
        page.keyboard.press(key)
        at(page, place)
    page.keyboard.press("u")
    at(page, 2)
    expect(page.locator("#status")).to_have_text("Taken back")
    saved(page)
    assert decisions(mine) == {unit_at(mine, 1): "3"}
    idle(page)
    page.keyboard.press("1")
    at(page, 3)
    for place in (2, 1):
        idle(page)
        page.keyboard.press("u")
        at(page, place)
        expect(current(page).locator("button[aria-pressed=true]")).to_have_count(0)
    saved(page)
    assert decisions(mine) == {}
    idle(page)
    page.keyboard.press("u")
    expect(page.locator("#status")).to_have_text("Nothing to undo")


def test_undo_brings_back_what_was_put_off_last(desk, answers):
    page, mine = desk(answers)
    page.keyboard.press("3")
    at(page, 2)
    page.keyboard.press("s")
    at(page, 3)
    idle(page)
    page.keyboard.press("u")
    at(page, 2)
    expect(page.locator("#status")).to_have_text("Taken back")
    saved(page)
    assert (decisions(mine), mine.deferrals.count()) == ({unit_at(mine, 1): "3"}, 0)
    idle(page)
    page.keyboard.press("u")
    at(page, 1)
    saved(page)
    assert decisions(mine) == {}


def test_undo_shows_the_post_whose_judgment_it_takes_back(desk, formulas):
    page, _ = desk(formulas, place_of(formulas[1], "v1"))
    page.set_viewport_size({"width": 1280, "height": 420})
    page.keyboard.press("2")
    cards = current(page).locator("[data-candidate]")
    expect(cards.nth(1)).to_be_focused()
    idle(page)
    page.keyboard.press("r")
    at(page, place_of(formulas[1], "v2"))
    idle(page)
    page.keyboard.press("u")
    at(page, place_of(formulas[1], "v1"))
    expect(cards.nth(2)).to_be_focused()
    expect(cards.nth(2).locator("h2")).to_be_in_viewport()


def test_undo_of_a_change_brings_the_grade_before_back(desk, answers):
    page, mine = desk(answers)
    page.keyboard.press("3")
    at(page, 2)
    page.keyboard.press("k")
    at(page, 1)
    page.keyboard.press("0")
    expect(current(page).locator("button[aria-pressed=true]")).to_contain_text("Not relevant")  # what is changed stays
    idle(page)
    page.keyboard.press("u")
    expect(current(page).locator("button[aria-pressed=true]")).to_contain_text("High")
    saved(page)
    assert decisions(mine) == {unit_at(mine, 1): "3"}
    history = list(JudgmentEvent.objects.values_list("old_decision", "decision"))
    assert history == [("", "3"), ("3", "0"), ("0", "3")]


def test_what_is_put_off_comes_back_at_the_end(desk, answers):
    page, _ = desk(answers)
    page.keyboard.press("s")
    for place, key in [(2, "3"), (3, "2"), (4, "1")]:
        at(page, place)
        idle(page)
        page.keyboard.press(key)
    at(page, 1)
    expect(page.get_by_role("button", name="No longer deferred")).to_be_visible()
    saved(page)
    assert Deferral.objects.count() == 1
    page.keyboard.press("0")
    expect(page.get_by_text("All 4 judged. Thank you.")).to_be_visible()


def test_keys_move_and_the_address_follows(desk, answers):
    page, mine = desk(answers)
    for key, place in [("j", 2), ("ArrowRight", 3), ("k", 2), ("ArrowLeft", 1), ("k", 1)]:
        page.keyboard.press(key)
        at(page, place)
        expect(page).to_have_url(re.compile(rf"/judge/{mine.pk}/{place}/$"))
    assert decisions(mine) == {}


def test_a_comment_goes_with_the_decision_and_can_be_changed_after(desk, answers):
    page, _ = desk(answers)
    page.keyboard.press("c")
    page.keyboard.type("3 2 1 are typed")
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    at(page, 2)
    page.keyboard.press("k")
    at(page, 1)
    page.keyboard.press("c")
    page.keyboard.type(", and more")
    page.keyboard.press("Enter")
    saved(page)
    expect(page.locator("#status")).to_have_text("Saved")
    assert list(Judgment.objects.values_list("grade", "comment")) == [(2, "3 2 1 are typed, and more")]


def test_a_typed_comment_survives_a_reload(desk, answers):
    page, _ = desk(answers)
    page.keyboard.press("c")
    page.keyboard.type("half a thought")
    page.reload()
    ready(page)
    expect(current(page).get_by_label("Comment")).to_have_value("half a thought")


def test_a_second_press_before_the_next_is_painted_judges_nothing(desk, answers):
    page, mine = desk(answers)
    page.evaluate(
        """for (const key of "3333") document.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}))"""
    )
    at(page, 2)
    saved(page)
    assert decisions(mine) == {unit_at(mine, 1): "3"}
