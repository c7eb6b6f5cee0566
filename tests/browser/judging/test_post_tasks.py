"""The two questions about written answers, by keyboard, and when the network or the session is gone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone
from playwright.sync_api import Dialog, Locator, Page, Route, expect

from assess.models import Assignment, PostTask
from tests import cast
from tests.browser.judging.desk import ready, sign_in_again, until
from tests.browser.judging.ledger import held
from tests.pages import SignIn
from tests.written import WrittenLab, make_written

UNSAVED = "Not saved yet: the network or the server is failing. Retrying automatically."
SESSION = "Not saved yet. Sign in to save."
EARLY = "Key ignored: pressed too early"


@pytest.fixture
def two(tmp_path: Path) -> WrittenLab:
    two = make_written(tmp_path)
    two.judge_all()
    return two


@pytest.fixture
def answer(page: Page, sign_in: SignIn, two: WrittenLab) -> Callable[..., Any]:
    """Opens one of ada's two written answers, when it hears keys."""
    sign_in(page, two.cast.ada)

    def opened(number: int = 1) -> None:
        page.goto(f"/judge/{two.assignment.pk}/written/{number}/")
        ready(page)

    return opened


def arrived(page: Page, number: int) -> None:
    """Waits until an answer has come and hears keys."""
    page.wait_for_url(f"**/written/{number}/")
    ready(page)


def status(page: Page) -> Locator:
    return page.locator("#status")


def replies() -> list[Any]:
    """All that the database holds, in the order in which it came."""
    return list(PostTask.objects.order_by("pk").values_list("machine", "unrelated"))


def answer_both(page: Page) -> None:
    """yes, no; no, no: then the list is on the screen."""
    page.keyboard.press("1")
    page.keyboard.press("5")
    arrived(page, 2)
    page.keyboard.press("2")
    page.keyboard.press("5")
    page.wait_for_url("**/written/")


def test_two_keys_answer_both_questions_and_bring_the_next(page: Page, answer: Callable[..., Any]) -> None:
    answer()
    expect(page.get_by_text("6", exact=True)).to_be_visible()
    page.keyboard.press("1")
    expect(page.locator("[data-key='1']")).to_be_checked()
    expect(status(page)).to_have_text("Not saved yet")
    page.keyboard.press("6")
    arrived(page, 2)
    expect(status(page)).to_have_text("Saved")
    assert replies() == [("yes", "cannot_tell")]
    page.keyboard.press("2")
    page.keyboard.press("Control+5")  # the browser's
    page.keyboard.press("5")
    page.wait_for_url("**/written/")
    expect(page.get_by_text("All answered. Thank you.")).to_be_visible()


def test_keys_change_both_replies_of_an_answer_before_enter_saves_them(page: Page, answer: Callable[..., Any]) -> None:
    answer()
    page.keyboard.press("1")
    page.keyboard.press("5")
    arrived(page, 2)
    page.get_by_role("link", name="Previous").click()
    arrived(page, 1)
    page.keyboard.press("2")
    expect(page.locator("[data-key='2']")).to_be_checked()
    expect(status(page)).to_have_text("Not saved yet")
    page.keyboard.press("4")
    expect(page.locator("[data-key='4']")).to_be_checked()
    assert replies() == [("yes", "no")]
    expect(page.get_by_role("button", name="Save and next").locator("kbd")).to_be_visible()
    page.keyboard.press("Enter")
    arrived(page, 2)
    assert replies() == [("yes", "no"), ("no", "yes")]
    expect(page.locator(":checked")).to_have_count(0)


def test_enter_leads_from_the_last_change_to_the_list(page: Page, answer: Callable[..., Any]) -> None:
    answer()
    answer_both(page)
    answer(2)
    page.keyboard.press("1")
    page.keyboard.press("6")
    expect(page.locator("[data-key='6']")).to_be_checked()
    page.keyboard.press("Enter")
    page.wait_for_url("**/written/")
    assert replies() == [("yes", "no"), ("no", "no"), ("yes", "cannot_tell")]


def test_a_key_while_the_form_is_on_its_way_counts_for_no_answer(page: Page, answer: Callable[..., Any]) -> None:
    answer()
    let_go = held(page, "**/written/1/")
    page.keyboard.press("1")
    with page.expect_request(lambda request: request.method == "POST"):
        page.keyboard.press("5")
    page.keyboard.press("2")
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    let_go()
    arrived(page, 2)
    expect(page.locator(":checked")).to_have_count(0)
    assert replies() == [("yes", "no")]


def test_a_key_in_the_first_moment_of_a_page_does_nothing_and_says_so(page: Page, answer: Callable[..., Any]) -> None:
    page.add_init_script("""(() => {
        const later = setTimeout;
        const isHeld = () => /2.$/.test(location.pathname) && !window.isLetGo;
        setTimeout = (work, pause) => later(() => (isHeld() ? setTimeout(work, 50) : work()), pause);
    })()""")
    answer()
    page.keyboard.press("1")
    page.keyboard.press("5")
    page.wait_for_url("**/written/2/")
    expect(page.get_by_text("6", exact=True)).to_be_visible()  # it hears keys
    page.keyboard.press("4")
    expect(status(page)).to_have_text(EARLY)
    page.evaluate("window.isLetGo = true")
    ready(page)
    page.evaluate("dispatchEvent(new KeyboardEvent('keydown', {key: '4', repeat: true, bubbles: true}))")
    expect(page.locator(":checked")).to_have_count(0)
    page.keyboard.press("6")
    expect(page.locator("[data-key='6']")).to_be_checked()
    assert replies() == [("yes", "no")]


@pytest.mark.problems_expected
def test_offline_a_reply_waits_on_its_page_until_the_network_is_back(page: Page, answer: Callable[..., Any]) -> None:
    answer()
    asked: list[str] = []

    def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", leave)
    page.context.set_offline(True)
    page.keyboard.press("1")
    page.keyboard.press("5")
    expect(status(page)).to_have_text(UNSAVED)
    page.keyboard.press("2")
    page.keyboard.press("4")
    for key in "15":
        expect(page.locator(f"[data-key='{key}']")).to_be_checked()
    page.get_by_role("link", name="Next").click(no_wait_after=True)
    until(page, lambda: asked == ["beforeunload"])
    assert replies() == []
    page.context.set_offline(False)
    arrived(page, 2)
    expect(status(page)).to_have_text("Saved")
    assert replies() == [("yes", "no")]
    assert asked == ["beforeunload"]


@pytest.mark.problems_expected
def test_an_answer_of_the_server_that_is_lost_keeps_the_reply_once(page: Page, answer: Callable[..., Any]) -> None:
    answer()
    tried = []

    def lose(route: Route) -> None:
        tried.append(route.fetch(max_redirects=0).status)
        route.abort()

    page.route("**/written/1/", lose, times=1)
    page.keyboard.press("3")
    page.keyboard.press("4")
    arrived(page, 2)
    until(page, lambda: tried == [200])  # the page may have given up before the route has its answer
    assert replies() == [("cannot_tell", "yes")]


@pytest.mark.problems_expected
def test_a_session_that_ended_asks_for_the_password_and_goes_on(page: Page, answer: Callable[..., Any]) -> None:
    answer()
    Session.objects.all().delete()
    page.keyboard.press("2")
    page.keyboard.press("4")
    box = page.locator("dialog#login")
    expect(box).to_contain_text("Your session has ended")
    expect(box).to_contain_text("Your answers are kept on this page")
    expect(status(page)).to_have_text(SESSION)
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    page.locator("#attend").click()
    expect(box).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Save and next").click()
    sign_in_again(page)
    arrived(page, 2)
    assert replies() == [("no", "yes")]


@pytest.mark.problems_expected
def test_another_person_in_this_browser_saves_no_reply(page: Page, answer: Callable[..., Any]) -> None:
    answer()
    elsewhere = page.context.new_page()

    def enter(name: str) -> None:
        elsewhere.goto("/")
        if elsewhere.get_by_role("button", name="Sign out").is_visible():
            elsewhere.get_by_role("button", name="Sign out").click()
            elsewhere.wait_for_url("**/login/**")
        elsewhere.get_by_label("Username").fill(name)
        elsewhere.get_by_label("Password").fill(cast.PASSWORD)
        elsewhere.get_by_role("button", name="Sign in").click()
        expect(elsewhere.locator(".account")).to_contain_text(name)

    enter("emmy")
    page.keyboard.press("2")
    page.keyboard.press("4")
    expect(page.locator("dialog#login")).to_contain_text("emmy is signed in now")
    assert replies() == []
    enter("ada")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # headless, all tabs are visible
    arrived(page, 2)
    assert replies() == [("no", "yes")]


@pytest.mark.problems_expected
def test_a_reply_that_is_refused_stays_on_the_form(page: Page, answer: Callable[..., Any], two: WrittenLab) -> None:
    answer()
    Assignment.every.filter(pk=two.assignment.pk).update(closed=timezone.now())
    page.keyboard.press("2")
    page.keyboard.press("4")
    expect(status(page)).to_have_text("Not saved: the topic is no longer assigned to you, or no longer fully judged.")
    expect(page.locator(":checked")).to_have_count(2)
    Assignment.every.filter(pk=two.assignment.pk).update(closed=None)
    page.keyboard.press("3")
    expect(status(page)).to_have_text("Not saved yet")
    page.get_by_role("button", name="Save and next").click()
    arrived(page, 2)
    assert replies() == [("cannot_tell", "yes")]


@pytest.mark.problems_expected
def test_a_page_about_another_answer_is_replaced_by_that_answer(page: Page, answer: Callable[..., Any]) -> None:
    answer()
    page.evaluate("document.querySelector('[name=content_hash]').value = 'old'")
    page.keyboard.press("2")
    page.keyboard.press("4")
    expect(status(page)).to_contain_text("another answer")
    expect(page.locator(":checked")).to_have_count(0)
    assert replies() == []
