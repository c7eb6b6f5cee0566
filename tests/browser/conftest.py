"""What the tests in a browser start from."""

import pytest

from tests.browser.judging.desk import open_place, prepared, ready
from tests.browser.judging.ledger import long_topic
from tests.desk import place_of


@pytest.fixture
def answers(db):
    return prepared("arqmath3-task1")


@pytest.fixture
def formulas(db):
    return prepared("arqmath3-task2")


@pytest.fixture
def desk(db):
    """ada, with a topic of 24 answers."""
    return long_topic()


@pytest.fixture
def mine(answers):
    """ada's topic of four answers."""
    return answers[1]


@pytest.fixture
def reader(page, live_server, sign_in, answers):
    """Opens the place of a unit, when it listens to keys and its formulas are set."""

    def opened(unit="11", on=page):
        sign_in(on, answers[0])
        open_place(on, live_server, answers[1], place_of(answers[1], unit))
        ready(on)
        on.wait_for_selector("html[data-typeset]", state="attached")
        return on

    return opened


@pytest.fixture
def judge(page, live_server, sign_in):
    """Opens ada's desk at a place and waits until it hears keys."""

    def opened(cast, place=1):
        ada, mine = cast
        sign_in(page, ada)
        open_place(page, live_server, mine, place)
        ready(page)
        return page, mine

    return opened
