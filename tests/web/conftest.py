"""What the tests of pages start from."""

import pytest
from django.test import Client
from pytest_django import Settings

from assess.models import Assignment
from tests.cast import Cast, make_assignment, make_campaign, make_cast, make_pool
from tests.kept import kept
from tests.lab import client_of
from tests.web.site import Site, make_site


@kept
def assigned_answers() -> Assignment:
    """A frozen pool of answers: topic A.1 is ada's, which this is; A.2 is emmy's."""
    campaign = make_campaign()
    people, pool = make_cast(campaign), make_pool(campaign)
    assignment = make_assignment(pool, people.ada)
    make_assignment(pool, people.emmy, topic="A.2")
    return assignment


@kept
def assigned_formulas() -> Assignment:
    """A frozen pool of formulas: B.1 is ada's, with v1 (three posts) and v2 (one)."""
    campaign = make_campaign("arqmath3-task2", "Formula lab")
    return make_assignment(make_pool(campaign), make_cast(campaign).ada)


@pytest.fixture
def answers() -> Assignment:
    return assigned_answers()


@pytest.fixture
def formulas() -> Assignment:
    return assigned_formulas()


@pytest.fixture
def people(request: pytest.FixtureRequest) -> Cast:
    """The users, members of whatever campaign the test has made for them, before them: that can be put back then."""
    for name in ("answers", "formulas"):
        if name in request.fixturenames:
            request.getfixturevalue(name)
    return make_cast()


@pytest.fixture
def olga(cast: Cast) -> Client:
    """The organizer of ``campaign``."""
    return client_of(cast.olga)


@pytest.fixture
def ada(people: Cast) -> Client:
    return client_of(people.ada)


@pytest.fixture
def site(db: None, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Site:
    settings.EMAIL_HOST = "mail.example"
    # On a busy machine a job's pulse would wait for the database, which the test has locked.
    monkeypatch.setattr("assess.services.jobs.job_queue.BEAT_SECONDS", 1000)
    return make_site()
