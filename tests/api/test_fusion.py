"""Runs are fused by programs under the same rules."""

from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from assess.models import Campaign, Job, Run
from assess.tasks import run_job
from tests.cast import Cast, make_campaign
from tests.lab import add_run, client_as

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    campaign = make_campaign()
    add_run(campaign, tmp_path, "A.1\t11\t1\t9\ta\nA.1\t12\t2\t5\ta\n")
    add_run(campaign, tmp_path, "A.1\t12\t1\t9\tb\nA.1\t21\t2\t5\tb\n")
    return campaign


def post(campaign: Campaign, cast: Cast, person: str | None = "olga", **fields: Any) -> Any:
    keys = list(campaign.runs.order_by("name").values_list("pk", flat=True))
    sent = {"name": "fused", "method": "rrf", "runs": keys, **fields}
    url = reverse("api-fuse", args=[campaign.slug])
    return client_as(cast, person).post(url, sent, content_type="application/json")


def test_a_job_makes_the_run(campaign: Campaign, cast: Cast) -> None:
    response = post(campaign, cast, options={"k": 10})
    assert response.status_code == 202
    run_job(response.json()["id"])
    run = Run.objects.get(pk=Job.objects.get().result["run"])
    assert (run.provenance["options"], run.pool_role) == ({"k": 10}, "none")
    listed = client_as(cast, "olga").get(reverse("api-runs", args=[campaign.slug])).json()["results"]
    assert {row["name"]: row["provenance"] for row in listed}["fused"] == run.provenance


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"options": {"alpha": 1}}, "leave it out"),
        ({"options": {"kk": 1}}, "kk: There is no such option."),
        ({"options": {"k": "many"}}, "k: A valid number is required."),
        ({"method": "borda"}, "borda"),
        ({"method": "regression"}, "Choose a release"),
        ({"runs": [0]}, "1 of the runs"),
        ({"runs": ["a"]}, "A valid integer is required"),
        ({"name": "a\tb"}, "name: Tabs"),
        ({"name": "a"}, "Another run is named a"),
    ],
)
def test_what_does_not_fit_is_refused(campaign: Campaign, cast: Cast, fields: dict[str, Any], reason: str) -> None:
    response = post(campaign, cast, **fields)
    assert response.status_code == 422
    assert reason in response.json()["detail"]
    assert not Job.objects.exists()
