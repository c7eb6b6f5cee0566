"""What the tests of services share: a pool of answers, and its people."""

import pytest

from assess.models import Pool
from tests.cast import Cast, make_campaign, make_cast, make_pool


@pytest.fixture
def pool(db: None) -> Pool:
    return make_pool(make_campaign())


@pytest.fixture
def cast(pool: Pool) -> Cast:
    return make_cast(pool.campaign)
