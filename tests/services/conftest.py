"""What the tests of services share: a pool of answers, and its people."""

import pytest

from assess.models import Pool
from tests.cast import Cast, make_campaign, make_cast, make_pool
from tests.kept import kept


@kept
def pool_of_answers() -> Pool:
    return make_pool(make_campaign())


@pytest.fixture
def pool(db: None) -> Pool:
    return pool_of_answers()


@pytest.fixture
def cast(pool: Pool) -> Cast:
    return make_cast(pool.campaign)
