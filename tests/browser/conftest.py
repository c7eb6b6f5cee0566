"""What the tests in a browser start from."""

import pytest

from tests.browser.desk import prepared
from tests.browser.ledger import long_topic


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
