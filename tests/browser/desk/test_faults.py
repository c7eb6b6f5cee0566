"""Nothing that an assessor decided is lost or doubled, whatever fails: servers, networks, sessions, the browser itself.

A judgment counts as decided when the next document is on the screen. Each test keeps a ledger of these by itself and
compares it with the database at the end.
"""

import os
import random
import re
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.core.signals import request_started
from django.db import connection
from playwright.sync_api import Browser, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Assignment, JudgmentEvent
from tests import pages, servers
from tests.browser.desk.desk import Judge, at, idle, met, ready, saved, stocked, until
from tests.browser.desk.ledger import COUNT, Ledger, OpenDesk, saves
from tests.conftest import CHROMIUM_FLAGS, database_url
from tests.desk import decisions_of, place_of
from tests.pages import SignIn

pytestmark = pytest.mark.problems_expected  # failed requests are what it is about

DOWN_SECONDS = 4


def test_a_server_that_is_away_for_some_seconds_delays_nobody(page: Page, sign_in: SignIn, desk: Assignment) -> None:
    sign_in(page, desk.assessor)
    port = servers.free_port()
    with web_server(port):
        page.goto(f"http://localhost:{port}/judge/{desk.pk}/1/")
        ready(page)
        ledger = Ledger(page, desk)
        ledger.judge_many(3)
        saved(page)
        stocked(page, 7)
    ledger.judge_many(4)  # what is ready can be judged
    expect(page.locator("#status")).to_contain_text("4 waiting")
    assert len(decisions_of(desk)) == 3
    time.sleep(DOWN_SECONDS)
    with web_server(port):
        page.wait_for_selector('html[data-waiting="0"]', state="attached", timeout=90_000)
        expect(page.locator("#status")).to_have_attribute("data-manner", "good")
        ledger.judge_many(3)
        saved(page)
    ledger.expect_saved()


@contextmanager
def web_server(port: Any) -> Iterator[None]:
    """gunicorn on the test's database; killed without mercy at the end."""
    command = [sys.executable, "-m", "gunicorn", "assess.wsgi", "--bind", f"127.0.0.1:{port}", "--no-control-socket"]
    environment = {**os.environ, "DATABASE_URL": database_url(), "DEBUG": "True"}  # static files from their sources
    log = Path(os.environ["ASSESS_VAR"]) / "web.log"
    with servers.running(command, lambda: servers.answers(port), log, env=environment) as process:
        yield
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        for pid in [process.pid, *map(int, children)]:
            os.kill(pid, signal.SIGKILL)


def test_requests_that_fail_at_random_are_made_good(page: Page, ledger: Ledger) -> None:
    """Three in ten: refused, broken, or answered into the void after the server has done its work."""
    draw = random.Random(1)

    def trouble(route: Route) -> None:
        fault = draw.choice(["abort", "error", "lost"]) if draw.random() < 0.3 else ""
        if fault == "abort":
            route.abort()
        elif fault == "error":
            route.fulfill(status=502, body="Bad gateway")
        elif fault == "lost":
            route.fetch()
            route.abort()
        else:
            route.fallback()

    page.route("**/judge/**", trouble)
    ledger.judge_many(20, seconds=60)
    page.wait_for_selector('html[data-waiting="0"]', state="attached", timeout=90_000)
    ledger.expect_saved()


def test_offline_and_reloaded_nothing_is_lost(page: Page, ledger: Ledger) -> None:
    ledger.judge_many(2)
    saved(page)
    page.context.set_offline(True)
    ledger.judge_many(3)
    expect(page.locator("#status")).to_have_text("offline, 3 waiting")
    page.on("dialog", lambda dialog: dialog.accept())  # leave all the same
    with pytest.raises(Exception, match="ERR_INTERNET_DISCONNECTED"):
        page.reload()
    page.context.set_offline(False)
    page.goto("/")  # any page sends what waits
    expect(page.locator("#waiting")).to_be_hidden()
    until(page, lambda: len(decisions_of(ledger.assignment)) == 5)
    ledger.check()


NO_SECOND = """() => {
    const add = IDBObjectStore.prototype.add;
    const before = new WeakMap();
    IDBObjectStore.prototype.add = function (...values) {
        const count = before.get(this.transaction) ?? 0;
        before.set(this.transaction, count + 1);
        if (count) throw new DOMException("No room left", "QuotaExceededError");
        return add.apply(this, values);
    };
}"""
"""From now on the browser has no room for the second message of a transaction."""


def test_what_one_key_decides_is_kept_as_a_whole_or_not_at_all(judge: Judge, formulas: Assignment) -> None:
    page = judge(formulas, place_of(formulas, "v1"))
    page.keyboard.press("3")
    saved(page)
    idle(page)
    page.evaluate(NO_SECOND)
    page.keyboard.press("r")  # for two more posts
    expect(page.locator("#status")).to_contain_text("No room left")
    expect(page.locator(".item.current [aria-pressed=true]")).to_have_count(1)
    page.wait_for_timeout(300)  # for what would be sent
    first = met(formulas, "v1")[0]
    assert decisions_of(formulas) == {first: "3"}
    page.reload()
    ready(page)
    expect(page.locator(".item.current [aria-pressed=true]")).to_have_count(1)


def test_leaving_with_what_waits_warns_and_the_page_that_is_opened_goes_on_after_it(page: Page, ledger: Ledger) -> None:
    page.route("**/judge/*/*/", saves(lambda route: route.abort()))
    ledger.judge_many(3)
    page.once("dialog", lambda dialog: dialog.dismiss())  # stay
    with page.expect_event("dialog") as warned:
        page.close(run_before_unload=True)
    assert warned.value.type == "beforeunload"
    expect(page.locator("#status")).to_be_visible()  # the page is still there, and the dialog is not
    assert page.evaluate("document.readyState") == "complete"
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(f"/judge/{ledger.assignment.pk}/1/")
    ready(page)
    at(page, 4)  # 1 to 3 are decided, though the server does not know yet
    expect(page.locator("#judged")).to_have_text("3")
    page.unroute("**/judge/*/*/")
    ledger.judge("1")
    ledger.expect_saved()


def test_a_browser_that_is_killed_has_kept_what_was_decided(
    live_server: LiveServer, sign_in: SignIn, desk: Assignment, tmp_path: Path, browser: Browser
) -> None:
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    port = servers.free_port()
    profile = tmp_path / "profile"
    command = [path, "--headless=new", f"--user-data-dir={profile}", f"--remote-debugging-port={port}"]
    ledger = None
    for is_killed in (True, False):
        with servers.running(
            [*command, *CHROMIUM_FLAGS, "about:blank"], lambda: servers.listens(port), tmp_path / "log"
        ) as process:
            connected = browser.browser_type.connect_over_cdp(f"http://127.0.0.1:{port}")
            context = connected.contexts[0]
            pages.sign_in(context, desk.assessor, live_server.url)
            page = context.new_page()
            if is_killed:
                page.goto(f"{live_server.url}/judge/{desk.pk}/1/")
                ready(page)
                stocked(page, 1)
                ledger = Ledger(page, desk)
                ledger.judge_many(2)
                saved(page)
                page.route("**/judge/**", lambda route: route.abort())
                ledger.judge_many(4)
                process.send_signal(signal.SIGKILL)
                process.wait()
            else:
                assert len(decisions_of(desk)) == 2
                page.goto(live_server.url)
                until(page, lambda: len(decisions_of(desk)) == 6)
                connected.close()
    ledger.check()


ALMOST_A_PAGE = "long " * 999
"""A comment that needs another page of the database, whose size is 4,096 bytes."""

MOST_FAILURES = 5
"""So often in a row a request may fail before the desk asks about it, if the server has a fault (outbox.ts)."""
NO_PAUSE = "void dispatchEvent(new Event('online'))"
"""What waits is tried again at once."""


class Room:
    """How many pages the database may have. SQLite keeps the present size if that is larger, so 1 means full."""

    pages = 1_000_000

    def limit(self, **signal: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA max_page_count = {self.pages}")


@pytest.fixture
def room() -> Iterator[Room]:
    """The limit for each request, whose thread has its own connection."""
    room = Room()
    request_started.connect(room.limit)
    yield room
    room.pages = Room.pages
    room.limit()
    request_started.disconnect(room.limit)


@pytest.mark.sqlite
@pytest.mark.problems_expected
def test_judgments_wait_while_the_disk_is_full(page: Page, ledger: Ledger, room: Room) -> None:
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")  # no page is free
    room.pages = 1
    page.locator(".item.current textarea").fill(ALMOST_A_PAGE)
    answers: list[int] = []
    page.on("response", lambda answer: answers.append(answer.status) if answer.request.method == "POST" else None)
    page.locator(".item.current button[value='3']").click()
    at(page, 2)  # it is kept in the browser
    until(page, lambda: page.evaluate(NO_PAUSE) or len(answers) > MOST_FAILURES)
    assert set(answers) == {503}
    expect(page.locator("#status")).to_have_text("1 waiting")  # the assessor is asked nothing
    assert decisions_of(ledger.assignment) == {}
    room.pages = Room.pages
    page.evaluate(NO_PAUSE)
    saved(page)
    unit = ledger.units[ledger.assignment.order[0]]
    assert decisions_of(ledger.assignment) == {unit: "3"}
    assert JudgmentEvent.objects.count() == 1


MOST_READY = 8


def test_without_a_network_all_that_is_stored_is_judged(page: Page, open_desk: OpenDesk) -> None:
    here: set[str] = set()
    page.on("requestfinished", lambda request: here.update(re.findall(r"\bplace=(\d+)", request.url)))
    ledger = open_desk()
    until(page, lambda: len(here) == COUNT)
    expect(page.locator(".item.ready").nth(MOST_READY - 3)).to_be_attached()
    page.context.set_offline(True)
    for number in range(COUNT - 1):
        ledger.judge(str(number % 4))
        assert page.locator(".item").count() <= MOST_READY + 2
    expect(page.locator("#status")).to_have_text(f"offline, {COUNT - 1} waiting")
    page.context.set_offline(False)
    ledger.expect_saved()
