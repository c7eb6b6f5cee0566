"""What the tests of pages start from."""

from pathlib import Path

import pytest

from assess.models import Campaign
from tests.cast import Cast, Judging, make_assignment, make_campaign, make_cast, make_pool
from tests.lab import Lab, make_lab


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


@pytest.fixture
def cast(campaign: Campaign) -> Cast:
    return make_cast(campaign)


@pytest.fixture
def answers() -> Judging:
    """A frozen pool of answers: topic A.1 is ada's, A.2 emmy's."""
    campaign = make_campaign()
    people = make_cast(campaign)
    pool = make_pool(campaign)
    assignment = make_assignment(pool, people.ada)
    make_assignment(pool, people.emmy, topic="A.2")
    return people, assignment


@pytest.fixture
def formulas() -> Judging:
    """A frozen pool of formulas: B.1 is ada's, with v1 (three posts) and v2 (one)."""
    campaign = make_campaign("arqmath3-task2", "Formula lab")
    people = make_cast(campaign)
    return people, make_assignment(make_pool(campaign), people.ada)


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return make_lab(tmp_path)
