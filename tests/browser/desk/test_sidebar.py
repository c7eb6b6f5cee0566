"""Rulings, questions and own progress beside the items, with scripts."""

import json
import re
from collections.abc import Callable
from urllib.parse import parse_qs

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from playwright.sync_api import Page, expect

from assess.models import Assignment, Question, Ruling, RulingSeen
from assess.services.desk import rulings
from tests.browser.desk.desk import Judge, current, press_key, ready, resize, sign_in_again, write
from tests.browser.desk.ledger import held
from tests.desk import press, unit_at
from tests.pages import NewPage

MINUTE = 60_000
Visit = Callable[..., None]


def shown(page: Page, place: int) -> None:
    """What the desk says when it has brought another place on the screen."""
    page.evaluate("place => document.dispatchEvent(new CustomEvent('assess:shown', { detail: place }))", place)


@pytest.fixture
def visit(request: pytest.FixtureRequest, judge: Judge) -> Visit:
    """Opens a place, with the news of the first visit."""

    def opened(assignment: Assignment, place: int = 1, on: Page | None = None) -> None:
        page = on or request.getfixturevalue("page")
        with page.expect_response("**/news/**"):
            judge(assignment, place, page)
        page.wait_for_selector("html[data-typeset]", state="attached")

    return opened


def ruled(assignment: Assignment, text: str) -> Ruling:
    return rulings.store_ruling(assignment.topic, User.objects.get(username="olga"), text)


def ask(page: Page, text: str) -> None:
    field = page.locator("#ask textarea")
    if not field.is_visible():
        page.locator("#ask summary").click()
    field.fill(text)
    page.get_by_role("button", name="Ask", exact=True).click()


def test_a_question_is_asked_and_told_at_its_item(page: Page, answers: Assignment, visit: Visit) -> None:
    visit(answers, 2)
    said, field = page.locator("#asked"), page.locator("#ask textarea")
    page.keyboard.press("q")
    ask(page, " \n ")  # no words: nothing is sent, the keys stay there
    expect(field).to_be_focused()
    expect(said).to_have_text("")
    assert not Question.objects.exists()
    field.fill("")
    page.keyboard.type("3 or 2?")  # no grades: somebody is typing
    expect(field).to_have_value("3 or 2?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(said).to_have_text("Asked")
    expect(page.locator("#rulings .asked")).to_contain_text("no answer yet: 3 or 2?")
    expect(field).to_have_value("")
    question = Question.objects.get()
    assert (question.entry_id, question.instance.entry_id) == (answers.order[1], answers.order[1])
    assert page.url.endswith("/2/")
    assert not answers.judgments.exists()
    shown(page, 2)  # as after a decision that brings no other item
    expect(said).to_have_text("Asked")
    shown(page, 3)
    expect(said).to_have_text("")
    let_go = held(page, "**/ask/")
    ask(page, "Why?")
    shown(page, 4)
    let_go()  # the answer comes late
    expect(field).to_have_value("")
    expect(said).to_have_text("")


@pytest.mark.problems_expected
def test_a_question_appears_only_at_its_item_and_waits_until_it_can_be_sent(
    page: Page, answers: Assignment, visit: Visit
) -> None:
    rulings.ask_question(answers.pk, answers.assessor, 2, "Why?")
    visit(answers)
    asked = page.locator("#rulings .asked")
    expect(asked).to_be_hidden()
    press_key(page, "j", to=2)
    expect(asked).to_be_visible()
    expect(page.locator("#ask form")).to_have_attribute("action", re.compile(r"/2/ask/$"))
    page.keyboard.press("j")
    expect(asked).to_be_hidden()
    page.route("**/ask/", lambda route: route.abort())
    ask(page, "And here?")
    expect(page.locator("#asked")).to_have_text("Not sent. Try again.")
    expect(page.locator("#ask textarea")).to_have_value("And here?")
    page.unroute("**/ask/")
    Session.objects.all().delete()
    ask(page, "And here?")
    sign_in_again(page)
    expect(page.locator("#asked")).to_have_text("Asked")
    assert [question.text for question in Question.objects.order_by("pk")] == ["Why?", "And here?"]


def test_a_ruling_comes_with_a_later_item_and_the_bar_links_to_it(
    new_page: NewPage, answers: Assignment, visit: Visit
) -> None:
    write(answers, topic="<p>Long.</p>" * 60)
    visit(answers, on=(page := new_page(clock=True)))
    ruled(answers, "Hints are low.")
    shown(page, 2)
    page.clock.run_for(MINUTE + 1)
    expect(page.get_by_text("Hints are low.")).to_have_count(0)  # asked for once a minute at most
    shown(page, 3)
    expect(page.get_by_text("Hints are low.")).to_be_visible()
    page.get_by_role("button", name="Mark as read").click()
    expect(page.locator("#rulings .badge")).to_have_count(0)
    assert RulingSeen.objects.get().assignment == answers
    for size in SIZES:
        resize(page, *size)
        expect_link_to_new_ruling(page, answers, f"Hints are low, at {size}.")


def expect_link_to_new_ruling(page: Page, answers: Assignment, text: str) -> None:
    sign = page.get_by_role("status").get_by_role("link", name="1 new ruling", exact=True)
    expect(sign).to_have_count(0)
    ruled(answers, text)
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


SIZES = [(1280, 800), (400, 800), (640, 400)]


def test_a_decision_names_the_rulings_on_the_page_and_what_is_left_follows(
    page: Page, answers: Assignment, visit: Visit
) -> None:
    visit(answers)
    expect(page.locator("#left")).to_have_text("4")
    page.evaluate("document.querySelector('#beside').dataset.rulings = '7'")
    with page.expect_request(lambda request: request.method == "POST") as sent:
        page.keyboard.press("3")
    assert parse_qs(sent.value.post_data)["rulings"] == ["7"]
    expect(page.locator("#judged")).to_have_text("1")
    shown(page, 2)
    expect(page.locator("#left")).to_have_text("3")
    news = json.dumps({"rulings": "", "ruled": "", "own": "<p id='left'></p>", "version": 8})
    page.route("**/news/**", lambda route: route.fulfill(body=news, content_type="application/json"))
    ask(page, "Why?")
    expect(page.locator("#beside")).to_have_attribute("data-rulings", "8")


def test_a_finished_topic_shows_what_is_left(page: Page, answers: Assignment, client: Client, visit: Visit) -> None:
    client.force_login(answers.assessor)
    for place in range(1, 5):
        press(client, answers, unit_at(answers, place), "2")
    visit(answers)
    expect(page.locator("#judged")).to_have_text("4")
    expect(page.locator("#left")).to_be_hidden()
    current(page).get_by_role("button", name="Take back").click()
    expect(page.locator("#judged")).to_have_text("3")
    expect(page.locator("#own").get_by_text("1 left")).to_be_visible()


def attended(page: Page, minutes: int, pause: int = 0) -> None:
    """As if somebody had attended to the page for some minutes, and then paused."""
    count = "({ ...JSON.parse(localStorage.getItem('assess.rest') ?? '{\"suggested\": 0}'), attention, last })"
    script = f"([attention, last]) => localStorage.setItem('assess.rest', JSON.stringify{count})"
    now = page.evaluate("Date.now()")
    page.evaluate(script, [minutes * MINUTE, now - pause * MINUTE])


def judge_for(page: Page, minutes: int) -> None:
    """Attends to the page for some minutes: moves twice a minute."""
    for number in range(2 * minutes):
        page.mouse.move(10 + number % 2, 300)
        page.clock.run_for(MINUTE // 2)


def test_a_rest_is_suggested_after_50_minutes_and_once_an_hour(
    new_page: NewPage, answers: Assignment, visit: Visit
) -> None:
    visit(answers, on=(page := new_page(clock=True)))
    rest = page.locator("#rest")
    attended(page, 40, pause=6)  # a pause is a rest
    judge_for(page, 10)
    expect(rest).to_be_hidden()
    attended(page, 48)
    judge_for(page, 4)
    expect(rest).to_be_visible()
    rest.get_by_role("button", name="Dismiss").click()
    page.reload()
    ready(page)
    judge_for(page, 3)
    expect(rest).to_be_hidden()
    page.clock.run_for(60 * MINUTE)
    attended(page, 50)
    judge_for(page, 1)
    expect(rest).to_be_visible()
