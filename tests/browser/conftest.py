"""What the tests in a browser start from."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings

from assess.models import Assignment
from tests.browser.desk.desk import Judge, OtherTab, Reader, at, open_place, prepared, ready, stocked
from tests.browser.desk.ledger import Ledger, OpenDesk, long_topic
from tests.cast import PASSWORD
from tests.desk import place_of
from tests.pages import SignIn

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Nothing here depends on the database, so SQLite does for all; the server runs in another thread."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.django_db(transaction=True))


@pytest.fixture
def answers(db: None) -> Assignment:
    """ada's topic of four answers."""
    return prepared("arqmath3-task1")


@pytest.fixture
def formulas(db: None) -> Assignment:
    return prepared("arqmath3-task2")


@pytest.fixture
def desk(db: None) -> Assignment:
    """ada's topic of 24 answers."""
    return long_topic()


@pytest.fixture
def nothing_stored(settings: Settings) -> None:
    """The desk has only those items here that are ready."""
    settings.DESK_STORED = 0


@pytest.fixture
def judge(request: pytest.FixtureRequest, sign_in: SignIn) -> Judge:
    """Opens the desk at a place and waits until it hears keys: on ``page``, or on another."""

    def opened(assignment: Assignment, place: int = 1, on: Page | None = None) -> Page:
        page = on or request.getfixturevalue("page")
        sign_in(page, assignment.assessor)
        open_place(page, assignment, place)
        ready(page)
        return page

    return opened


@pytest.fixture
def reader(judge: Judge, answers: Assignment) -> Reader:
    """Opens the place of a unit, when it listens to keys and its formulas are set."""

    def opened(unit: str = "11", on: Page | None = None) -> Page:
        page = judge(answers, place_of(answers, unit), on)
        page.wait_for_selector("html[data-typeset]", state="attached")
        return page

    return opened


@pytest.fixture
def open_desk(judge: Judge, desk: Assignment) -> OpenDesk:
    """Opens a place, with the items that come next."""

    def opened(place: int = 1, assignment: Assignment = desk, on: Page | None = None) -> Ledger:
        page = judge(assignment, place, on)
        at(page, place)
        stocked(page, place)
        return Ledger(page, assignment)

    return opened


@pytest.fixture
def ledger(open_desk: OpenDesk) -> Ledger:
    """The desk at the first place of 24."""
    return open_desk()


@pytest.fixture
def other_tab(page: Page) -> OtherTab:
    """Another tab of the same browser, in which whoever is signed in signs out, and the named person in."""
    other = page.context.new_page()

    def enter(name: str) -> Page:
        other.goto("/")
        if other.get_by_role("button", name="Sign out").is_visible():
            other.get_by_role("button", name="Sign out").click()
            other.wait_for_url("**/login/**")
        other.get_by_label("Username").fill(name)
        other.get_by_label("Password").fill(PASSWORD)
        other.get_by_role("button", name="Sign in").click()
        expect(other.locator(".account")).to_contain_text(name)
        return other

    return enter
