"""Whatever fails below /api/ is JSON by RFC 9457."""

from typing import Any
from unittest.mock import patch

import pytest
from django.core.cache import cache
from django.test import Client
from rest_framework.throttling import UserRateThrottle

from assess.models import Campaign
from tests.cast import make_campaign, make_cast
from tests.lab import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga() -> Client:
    client = client_of(make_cast(make_campaign(name="Small")).olga)
    client.raise_request_exception = False
    return client


def problem_of(answer: Any) -> dict[str, Any]:
    assert answer["Content-Type"] == "application/problem+json"
    problem: dict[str, Any] = answer.json()
    assert (problem["type"], problem["status"]) == ("about:blank", answer.status_code)
    assert problem["title"]
    assert problem["detail"]
    return problem


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/api/nothing", 404),
        ("/api/campaigns/other/", 404),
        ("/api/campaigns/\0/", 400),
        ("/api/campaigns/?page=9", 404),
        ("/api/assignments/1/judgments/", 405),
    ],
)
def test_addresses_that_fail(address: str, status: int, olga: Client) -> None:
    assert problem_of(olga.get(address))["status"] == status


def test_errors_of_ours_other_hosts_and_large_bodies(olga: Client) -> None:
    with patch.object(Campaign.objects, "visible_to", side_effect=ValueError("secret")):
        answer = olga.get("/api/campaigns/")
    assert problem_of(answer)["status"] == 500
    assert b"secret" not in answer.content
    assert problem_of(olga.options("/api/campaigns/small/collection/"))["status"] == 405  # the schema describes it
    assert problem_of(olga.get("/api/campaigns/", headers={"host": "evil.example"}))["status"] == 400
    large = Client().post("/api/campaigns/", b"x" * 1_100_000, content_type="application/json")
    assert problem_of(large)["status"] == 413


def test_fields_are_named(olga: Client) -> None:
    sent = {"method": "rrf", "name": "a\tb", "runs": ["x"], "options": {"k": "many", "bad": 1}}
    answer = problem_of(olga.post("/api/campaigns/small/runs/fuse/", sent, content_type="application/json"))
    assert answer["status"] == 422
    assert answer["errors"] == {
        "name": ["Tabs, line breaks and other control characters are not allowed."],
        "runs.0": ["A valid integer is required."],
        "options.bad": ["There is no such option."],
    }
    assert "options.bad: There is no such option." in answer["detail"]


def test_too_many_requests_have_to_wait(olga: Client) -> None:
    cache.clear()
    with patch.object(UserRateThrottle, "THROTTLE_RATES", {"user": "2/min"}):
        answers = [olga.get("/api/campaigns/") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert 0 < int(answers[-1]["Retry-After"]) <= 60
    assert "throttled" in problem_of(answers[-1])["detail"]
