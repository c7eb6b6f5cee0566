"""A topic that is long enough for things to go wrong, and a ledger of what its assessor decided."""

from collections.abc import Callable
from typing import Any

from django.test import Client
from playwright.sync_api import Page, Route

from assess.ir.common.rows import PoolLine
from assess.models import Assignment, JudgmentEvent, PoolEntry, Post
from assess.services.pool import freezing, pools
from tests import cast
from tests.browser.desk.desk import idle, saved
from tests.desk import decisions_of, press

COUNT = 24


def long_topic() -> Assignment:
    """ada's topic of 24 answers."""
    campaign = cast.make_campaign(topics=1)
    people = cast.make_cast(campaign)
    units = [str(number) for number in range(1001, 1001 + COUNT)]
    Post.objects.bulk_create(
        Post(
            collection=campaign.collection,
            post_id=unit,
            kind="answer",
            thread_id="10",
            body=f"<p>Answer {unit} says {cast.math('q_9', f'x^{{{unit}}}+1')}.</p>",
        )
        for unit in units
    )
    pool = pools.store_pool(campaign, [PoolLine("A.1", unit, unit, 1.0, 1) for unit in units], source="by hand")
    return cast.make_assignment(freezing.freeze(pool, cast.on_progress), people.ada)


class Ledger:
    """Judges by keys and writes down what was decided: unit -> word."""

    def __init__(self, page: Page, assignment: Assignment) -> None:
        self.page, self.assignment = page, assignment
        self.decided: dict[str, str] = {}
        self.units = dict(PoolEntry.objects.filter(pool=assignment.round.pool).values_list("pk", "unit_id"))

    def place(self) -> int:
        return int(self.page.locator("html").get_attribute("data-painted"))

    def unit_at(self, place: int) -> str:
        return self.units[self.assignment.order[place - 1]]

    def judge(self, key: str, seconds: int = 30) -> None:
        idle(self.page)
        place = self.place()
        self.page.wait_for_timeout(float(self.page.locator("#desk").get_attribute("data-early")))
        self.page.keyboard.press(key)
        self.page.wait_for_selector(
            f'html:not([data-painted="{place}"])[data-painted]', state="attached", timeout=1000 * seconds
        )
        self.decided[self.unit_at(place)] = key

    def judge_many(self, count: int, seconds: int = 30) -> None:
        for number in range(count):
            self.judge(str(number % 4), seconds)

    def check(self) -> None:
        """The database holds what was decided, each once."""
        assert decisions_of(self.assignment) == self.decided
        assert JudgmentEvent.objects.filter(assignment=self.assignment).count() == len(self.decided)

    def expect_saved(self) -> None:
        """As soon as the desk has sent everything."""
        saved(self.page)
        self.check()


OpenDesk = Callable[..., Ledger]


def saves(action: Callable[..., Any]) -> Callable[..., Any]:
    """Does something to each decision on its way; everything else goes on."""
    return lambda route: action(route) if route.request.method == "POST" else route.fallback()


def held(page: Page, address: str) -> Callable[..., Any]:
    """Requests get no answer until the test calls what this returns."""
    waiting: list[Route] = []
    is_over: list[bool] = []
    page.route(address, lambda route: route.fallback() if is_over else waiting.append(route))

    def let_go() -> None:
        is_over.append(True)
        for route in waiting:
            route.fallback()

    return let_go


def judged_elsewhere(client: Client, ledger: Ledger, place: int, word: str, **more: Any) -> None:
    client.force_login(ledger.assignment.assessor)
    press(client, ledger.assignment, ledger.unit_at(place), word, **more)
