"""While the database is full, judgments wait in the browser; once there is room again they are saved, each once."""

from collections.abc import Iterator

import pytest
from django.core.signals import request_started
from django.db import connection
from playwright.sync_api import Page, expect

from assess.models import JudgmentEvent
from tests.browser.desk.desk import at, saved, until
from tests.browser.desk.ledger import Ledger
from tests.desk import decisions_of

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
