"""Rulings, questions and own progress beside the items, with scripts."""

import re

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from assess.models import Question, RulingSeen
from assess.services.judging import rulings
from tests.browser.judging.desk import current, met, open_place, ready, sign_in_again, until, write
from tests.browser.judging.ledger import held
from tests.cast import User
from tests.desk import place_of, press, unit_at

# Nothing here depends on the database, so one engine does.
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MINUTE = 60_000


def shown(page, place):
    """What the desk says when it has brought another place on the screen."""
    page.evaluate("place => document.dispatchEvent(new CustomEvent('assess:shown', { detail: place }))", place)


def opened(page, sign_in, live_server, assignment, place, clock=False):
    if clock:
        page.clock.install()
    sign_in(page, assignment.assessor)
    with page.expect_response("**/news/**"):  # what is news at the first visit
        open_place(page, live_server, assignment, place)
    ready(page)
    page.wait_for_selector("html[data-typeset]", state="attached")


def ruled(assignment, text):
    return rulings.rule(assignment.topic, User.objects.get(username="olga"), text)


def test_a_question_is_asked_without_leaving_the_item(page, answers, sign_in, live_server):
    _, mine = answers
    opened(page, sign_in, live_server, mine, 2)
    page.locator("#ask summary").click()
    page.locator("#ask textarea").click()
    page.keyboard.type("3 or 2?")  # no grades: somebody is typing
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("#asked")).to_have_text("Asked")
    expect(page.locator("#rulings .asked")).to_contain_text("no answer yet: 3 or 2?")
    expect(page.locator("#ask textarea")).to_have_value("")
    question = Question.objects.get()
    assert (question.entry_id, question.instance.entry_id) == (mine.order[1], mine.order[1])
    assert page.url.endswith("/2/")
    assert not mine.judgments.exists()


def test_that_something_was_asked_is_told_at_its_item_only(page, answers, sign_in, live_server):
    _, mine = answers
    opened(page, sign_in, live_server, mine, 1)
    said = page.locator("#asked")
    page.locator("#ask summary").click()
    page.locator("#ask textarea").fill("Why?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(said).to_have_text("Asked")
    shown(page, 1)  # as after a decision that brings no other item
    expect(said).to_have_text("Asked")
    shown(page, 2)
    expect(said).to_have_text("")


def test_a_question_without_words_is_not_sent_and_keeps_the_keys(page, answers, sign_in, live_server):
    _, mine = answers
    opened(page, sign_in, live_server, mine, 1)
    page.keyboard.press("q")
    field = page.locator("#ask textarea")
    field.fill(" \n ")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(field).to_be_focused()
    expect(page.locator("#asked")).to_have_text("")
    page.keyboard.type("Still")
    expect(field).to_have_value("Still")
    assert not Question.objects.exists()


def test_a_question_waits_for_the_password_where_the_session_has_ended(page, answers, sign_in, live_server):
    _, mine = answers
    opened(page, sign_in, live_server, mine, 1)
    Session.objects.all().delete()
    page.keyboard.press("q")
    page.locator("#ask textarea").fill("Why?")
    page.get_by_role("button", name="Ask", exact=True).click()
    sign_in_again(page)
    expect(page.locator("#asked")).to_have_text("Asked")
    assert [one.text for one in Question.objects.all()] == ["Why?"]


def test_an_answer_about_a_question_that_comes_late_is_told_nowhere_else(page, answers, sign_in, live_server):
    _, mine = answers
    opened(page, sign_in, live_server, mine, 1)
    let_go = held(page, "**/ask/")
    page.locator("#ask summary").click()
    page.locator("#ask textarea").fill("Why?")
    page.get_by_role("button", name="Ask", exact=True).click()
    shown(page, 2)
    let_go()
    expect(page.locator("#ask textarea")).to_have_value("")
    expect(page.locator("#asked")).to_have_text("")


def test_a_question_stands_at_its_item_only(page, answers, sign_in, live_server):
    ada, mine = answers
    rulings.ask(mine.pk, ada, 2, "Why?")
    opened(page, sign_in, live_server, mine, 1)
    asked = page.locator("#rulings .asked")
    expect(asked).to_be_hidden()
    shown(page, 2)
    expect(asked).to_be_visible()
    expect(page.locator("#ask form")).to_have_attribute("action", re.compile(r"/2/ask/$"))
    shown(page, 3)
    expect(asked).to_be_hidden()


def test_of_several_instances_the_question_is_about_the_marked_one(page, formulas, sign_in, live_server):
    _, mine = formulas
    opened(page, sign_in, live_server, mine, place_of(mine, "v1"))
    page.locator("[data-candidate]").nth(1).click(position={"x": 5, "y": 5})
    page.locator("#ask summary").click()
    page.locator("#ask textarea").fill("Is the sum part of it?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("#asked")).to_have_text("Asked")
    assert Question.objects.get().instance.doc_id == met(mine, "v1")[1]


@pytest.mark.problems_expected
def test_a_question_that_is_not_sent_stays_written(page, answers, sign_in, live_server):
    _, mine = answers
    opened(page, sign_in, live_server, mine, 1)
    page.route("**/ask/", lambda route: route.abort())
    page.locator("#ask summary").click()
    page.locator("#ask textarea").fill("Why?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("#asked")).to_have_text("Not sent. Try again.")
    expect(page.locator("#ask textarea")).to_have_value("Why?")


def test_a_ruling_comes_with_a_later_item_and_is_ticked_off(page, answers, sign_in, live_server):
    _, mine = answers
    opened(page, sign_in, live_server, mine, 1, clock=True)
    ruled(mine, "Hints are low.")
    shown(page, 2)
    page.clock.run_for(MINUTE + 1)
    expect(page.get_by_text("Hints are low.")).to_have_count(0)  # asked for once a minute at most
    shown(page, 3)
    expect(page.get_by_text("Hints are low.")).to_be_visible()
    page.get_by_role("button", name="Mark as read").click()
    expect(page.locator("#rulings .badge")).to_have_count(0)
    assert RulingSeen.objects.get().assignment == mine


@pytest.mark.parametrize("size", [(1280, 800), (400, 800), (640, 400)])
def test_the_bar_tells_of_a_new_ruling_and_leads_to_it(new_page, answers, sign_in, live_server, size):
    _, mine = answers
    write(mine, topic="<p>Long.</p>" * 60)
    page = new_page(*size)
    opened(page, sign_in, live_server, mine, 1, clock=True)
    sign = page.get_by_role("status").get_by_role("link", name="1 new ruling", exact=True)
    expect(sign).to_have_count(0)
    ruled(mine, "Hints are low.")
    page.clock.run_for(MINUTE + 1)
    shown(page, 2)
    expect(sign).to_be_visible()
    page.evaluate("scrollTo(0, 0)")
    expect(sign).to_be_in_viewport()
    sign.focus()
    page.keyboard.press("Enter")
    ruling = page.locator(".rulings li.new")
    expect(ruling).to_be_focused()
    expect(ruling.get_by_role("button", name="Mark as read")).to_be_in_viewport(ratio=1)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(sign).to_have_count(0)
    expect(page.locator(".rulings li.new")).to_have_count(0)
    assert "#" not in page.url


def test_it_does_so_without_javascript(new_page, answers, sign_in, live_server):
    _, mine = answers
    write(mine, topic="<p>Long.</p>" * 60)
    ruled(mine, "Hints are low.")
    page = new_page(width=400, java_script_enabled=False)
    sign_in(page, mine.assessor)
    open_place(page, live_server, mine, 1)
    expect(page.get_by_text("Hints are low.")).not_to_be_in_viewport()
    page.get_by_role("link", name="1 new ruling").click()
    expect(page.get_by_text("Hints are low.")).to_be_in_viewport()
    page.get_by_role("button", name="Mark as read").click()
    expect(page.get_by_role("link", name="1 new ruling")).to_have_count(0)


def test_what_is_left_follows_the_meter(page, answers, sign_in, live_server):
    _, mine = answers
    opened(page, sign_in, live_server, mine, 1)
    expect(page.locator("#left")).to_have_text("4")
    page.keyboard.press("3")
    expect(page.locator("#judged")).to_have_text("1")
    shown(page, 2)
    expect(page.locator("#left")).to_have_text("3")


def test_what_is_left_again_of_a_finished_topic_is_told(page, answers, sign_in, live_server, client):
    _, mine = answers
    client.force_login(mine.assessor)
    for place in range(1, 5):
        press(client, mine, unit_at(mine, place), "2")
    opened(page, sign_in, live_server, mine, 1)
    expect(page.locator("#judged")).to_have_text("4")
    expect(page.locator("#left")).to_be_hidden()
    current(page).get_by_role("button", name="Take back").click()
    expect(page.locator("#judged")).to_have_text("3")
    expect(page.locator("#own").get_by_text("1 left")).to_be_visible()


def test_the_browser_names_its_time_zone(new_page, answers, sign_in, live_server):
    _, mine = answers
    page = new_page(timezone_id="Asia/Tokyo")
    opened(page, sign_in, live_server, mine, 1)
    assert {one["name"]: one["value"] for one in page.context.cookies()}["zone"] == "Asia/Tokyo"


IS_WHOLE = """() => {
    const { top, bottom } = document.querySelector("#ask").getBoundingClientRect();
    const controls = document.querySelector(".item.current .controls");
    const isOver = getComputedStyle(controls).position === "fixed";
    return top >= 0 && bottom <= (isOver ? controls.getBoundingClientRect().top : innerHeight);
}"""


@pytest.mark.parametrize("size", [(1280, 800), (400, 800), (640, 400)])
def test_a_key_for_asking_brings_the_question_into_sight_and_escape_leads_back(
    new_page, answers, sign_in, live_server, size
):
    _, mine = answers
    write(mine, topic="<p>Long.</p>" * 60)
    page = new_page(*size)
    opened(page, sign_in, live_server, mine, 1)
    page.locator("[data-candidate]").first.scroll_into_view_if_needed()
    place = page.evaluate("scrollY")
    page.keyboard.press("q")
    expect(page.locator("#ask textarea")).to_be_focused()
    page.wait_for_function(IS_WHOLE)
    page.keyboard.type("3 or")
    page.keyboard.press("Escape")
    expect(page.locator("#ask textarea")).to_be_hidden()
    expect(page.locator(".item.current [data-candidate]")).to_be_focused()
    assert page.evaluate("scrollY") == place
    page.keyboard.press("q")
    expect(page.locator("#ask textarea")).to_have_value("3 or")
    page.wait_for_function(IS_WHOLE)


def test_a_question_opened_by_its_title_is_in_sight_and_escape_leads_back_there(page, answers, sign_in, live_server):
    _, mine = answers
    write(mine, topic="<p>Long.</p>" * 60)
    opened(page, sign_in, live_server, mine, 1)
    page.locator("#ask summary").click()
    expect(page.locator("#ask textarea")).to_be_focused()
    page.wait_for_function(IS_WHOLE)
    page.keyboard.press("Escape")
    expect(page.locator("#ask summary")).to_be_focused()
    expect(page.locator("#ask textarea")).to_be_hidden()


GOES_ON = """() => {
    const formula = document.querySelector("math.native");
    return formula.scrollWidth > formula.clientWidth;
}"""
LONG = " + ".join(f"a_{{{number}}} x^{{{number}}}" for number in range(20))


@pytest.mark.parametrize("tex", [f"${LONG}$", f"$${LONG}$$"], ids=["in the line", "on its own"])
def test_a_formula_of_a_ruling_that_is_wider_than_a_telephone_scrolls_in_its_line(
    tex, new_page, answers, sign_in, live_server
):
    _, mine = answers
    ruled(mine, f"Series like {tex}, with all terms, are medium.")
    page = new_page(width=400)
    sign_in(page, mine.assessor)
    for address in (f"/judge/{mine.pk}/1/", f"/judge/{mine.pk}/"):
        page.goto(live_server.url + address)
        page.wait_for_selector("html[data-typeset]", state="attached")  # nothing moves any more
        until(page, lambda: page.evaluate(GOES_ON))
        until(page, lambda: page.evaluate("document.documentElement.scrollWidth") == 400)


def judge_for(page, minutes):
    """Attends to the page for some minutes: moves twice a minute."""
    for number in range(2 * minutes):
        page.mouse.move(10 + number % 2, 300)
        page.clock.run_for(MINUTE / 2)


def test_a_rest_is_suggested_after_50_minutes_and_not_again_for_an_hour(page, answers, sign_in, live_server):
    _, mine = answers
    opened(page, sign_in, live_server, mine, 1, clock=True)
    rest = page.locator("#rest")
    judge_for(page, 48)
    expect(rest).to_be_hidden()
    judge_for(page, 4)
    expect(rest).to_be_visible()
    rest.get_by_role("button", name="Dismiss").click()
    judge_for(page, 5)
    expect(rest).to_be_hidden()
    page.reload()
    ready(page)
    judge_for(page, 3)
    expect(rest).to_be_hidden()
    judge_for(page, 60)
    expect(rest).to_be_visible()


def test_a_pause_of_five_minutes_is_a_rest(page, answers, sign_in, live_server):
    _, mine = answers
    opened(page, sign_in, live_server, mine, 1, clock=True)
    judge_for(page, 40)
    page.clock.run_for(7 * MINUTE)  # nobody moves
    judge_for(page, 40)
    expect(page.locator("#rest")).to_be_hidden()
