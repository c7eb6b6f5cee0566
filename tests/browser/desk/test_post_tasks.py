"""The two questions about written answers, by keyboard, and when the network or the session is gone."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone
from playwright.sync_api import Dialog, Locator, Page, Route, expect

from assess.models import Assignment, PostTask
from tests.browser.desk.desk import OtherTab, ready, sign_in_again, until
from tests.browser.desk.ledger import held
from tests.pages import SignIn
from tests.written import WrittenLab, make_written

UNSAVED = "Not saved yet: the network or the server is failing. Retrying automatically."
SESSION = "Not saved yet. Sign in to save."
EARLY = "Ignored: pressed too early"
TOPIC = re.compile(r"/judge/\d+/$")


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


def test_two_keys_answer_both_questions_and_enter_saves_changes(page: Page, answer: Callable[..., Any]) -> None:
    answer()
    expect(page.get_by_text("6", exact=True)).to_be_visible()
    press_seen(page, "1")
    expect(status(page)).to_have_text("Not saved yet")
    page.keyboard.press("6")
    arrived(page, 2)
    expect(status(page)).to_have_text("Saved")
    assert replies() == [("yes", "cannot_tell")]
    page.get_by_role("link", name="Previous").click()
    arrived(page, 1)
    press_seen(page, "2")
    expect(status(page)).to_have_text("Not saved yet")
    press_seen(page, "4")
    assert replies() == [("yes", "cannot_tell")]
    expect(page.get_by_role("button", name="Save and next").locator("kbd")).to_be_visible()
    page.keyboard.press("Enter")
    arrived(page, 2)
    assert replies() == [("yes", "cannot_tell"), ("no", "yes")]
    expect(page.locator(":checked")).to_have_count(0)
    page.keyboard.press("2")
    page.keyboard.press("Control+5")  # the browser's
    page.keyboard.press("5")
    page.wait_for_url(TOPIC)
    answer(2)
    page.keyboard.press("1")
    press_seen(page, "6")
    page.keyboard.press("Enter")
    page.wait_for_url(TOPIC)
    assert replies()[2:] == [("no", "no"), ("yes", "cannot_tell")]


def press_seen(page: Page, key: str) -> None:
    page.keyboard.press(key)
    expect(page.locator(f"[data-key='{key}']")).to_be_checked()


def test_a_key_while_the_form_is_on_its_way_counts_for_no_answer(page: Page, answer: Callable[..., Any]) -> None:
    answer()
    let_go = held(page, "**/written/1/")
    page.keyboard.press("1")
    page.keyboard.type("52")
    expect(page.get_by_role("button", name="Save and next")).to_have_attribute("aria-busy", "true")
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
    page.keyboard.type("15")
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
    page.keyboard.type("15")
    expect(status(page)).to_have_text(UNSAVED)
    page.keyboard.type("24")
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
def test_after_an_answer_that_is_lost_and_a_session_that_ended_it_goes_on(
    page: Page, answer: Callable[..., Any]
) -> None:
    answer()
    tried = []

    def lose(route: Route) -> None:
        tried.append(route.fetch(max_redirects=0).status)
        route.abort()

    page.route("**/written/1/", lose, times=1)
    page.keyboard.type("34")
    arrived(page, 2)
    until(page, lambda: tried == [200])  # the page may have given up before the route has its answer
    assert replies() == [("cannot_tell", "yes")]  # once
    Session.objects.all().delete()
    page.keyboard.type("24")
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
    page.wait_for_url(TOPIC)
    assert replies() == [("cannot_tell", "yes"), ("no", "yes")]


@pytest.mark.problems_expected
def test_another_person_in_this_browser_saves_no_reply(
    page: Page, answer: Callable[..., Any], other_tab: OtherTab
) -> None:
    answer()
    other_tab("emmy")
    page.keyboard.type("24")
    expect(page.locator("dialog#login")).to_contain_text("emmy is signed in now")
    assert replies() == []
    other_tab("ada")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # headless, all tabs are visible
    arrived(page, 2)
    assert replies() == [("no", "yes")]


@pytest.mark.problems_expected
def test_a_reply_that_is_refused_stays_on_the_form_unless_it_is_about_another_answer(
    page: Page, answer: Callable[..., Any], two: WrittenLab
) -> None:
    answer()
    Assignment.every.filter(pk=two.assignment.pk).update(closed=timezone.now())
    page.keyboard.type("24")
    expect(status(page)).to_have_text("Not saved: the topic is no longer assigned to you, or no longer fully judged.")
    expect(page.locator(":checked")).to_have_count(2)
    Assignment.every.filter(pk=two.assignment.pk).update(closed=None)
    page.keyboard.press("3")
    expect(status(page)).to_have_text("Not saved yet")
    page.get_by_role("button", name="Save and next").click()
    arrived(page, 2)
    assert replies() == [("cannot_tell", "yes")]
    page.evaluate("document.querySelector('[name=content_hash]').value = 'old'")
    page.keyboard.type("24")
    expect(status(page)).to_contain_text("another answer")
    expect(page.locator(":checked")).to_have_count(0)
    assert len(replies()) == 1
