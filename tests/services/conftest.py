"""What the tests of services share: a pool of answers, its people, a job."""

import pytest

from assess.models import Job, Pool
from assess.services import job_kinds
from assess.services.jobs import job_queue
from tests.cast import Cast, make_campaign, make_cast, make_pool
from tests.kept import kept


@kept
def pool_of_answers() -> Pool:
    return make_pool(make_campaign())


@pytest.fixture
def pool(db: None) -> Pool:
    return pool_of_answers()


@pytest.fixture
def job(db: None) -> Job:
    """It waits."""
    campaign = make_campaign()
    return job_queue.submit(campaign, job_kinds.build_pool, campaign.members.get().user, depth=3)


@pytest.fixture
def cast(pool: Pool) -> Cast:
    return make_cast(pool.campaign)
