"""What the tests in a browser start from."""

import pytest

from tests.browser.desk import prepared


@pytest.fixture
def answers(db):
    return prepared("arqmath3-task1")


@pytest.fixture
def formulas(db):
    return prepared("arqmath3-task2")
