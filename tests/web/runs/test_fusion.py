"""The page that fuses runs, its job, and the page of the run it makes."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from assess.models import Campaign, Job, Run
from tests.cast import make_campaign, make_cast
from tests.lab import add_run, client_of
from tests.web.organizer import run_made_after, text_of, url_of

pytestmark = pytest.mark.django_db

FIELDS = {"name": "fused", "method": "rrf", "k": "60", "alpha": "0.5", "top": "500", "folds": "5", "last_key": "name"}


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    campaign = make_campaign()
    make_cast(campaign)
    add_run(campaign, tmp_path, "A.1\t11\t1\t9\ta\nA.1\t12\t2\t5\ta\n")
    add_run(campaign, tmp_path, "A.1\t12\t1\t9\tb\nA.1\t21\t2\t5\tb\n")
    return campaign


def olga(campaign: Campaign) -> Client:
    return client_of(campaign.members.get(role="organizer").user)


def page_of(campaign: Campaign, run: Run) -> str:
    return " ".join(olga(campaign).get(run.get_absolute_url()).content.decode().split())


def keys(campaign: Campaign) -> list[int]:
    return list(campaign.runs.order_by("name").values_list("pk", flat=True))


def submit(campaign: Campaign, chosen: list[int] | None = None, **fields: object) -> Any:
    chosen = keys(campaign) if chosen is None else chosen
    places = {f"place{key}": str(place) for place, key in enumerate(chosen, start=1)}
    weights = {f"weight{key}": "1" for key in chosen}
    return olga(campaign).post(url_of("fuse", campaign), {**FIELDS, **places, **weights, "run": chosen, **fields})


def fuse(campaign: Campaign, **fields: Any) -> Run:
    response = submit(campaign, **fields)
    assert response.status_code == 302, response.context["form"].errors
    return run_made_after(response)


def test_a_fused_run_has_a_page_that_says_how_it_was_made(campaign: Campaign) -> None:
    run = fuse(campaign, method="hybrid", top="1")
    page = page_of(campaign, run)
    for fact in (
        "Top-k hybrid, by olga, seed 7",
        "<dd>k: 1</dd>",
        "1 a <code",
        "2 b <code",
        "<dt>What was fused</dt> <dd>Documents</dd>",
        "Not pooled",
        "Download run",
    ):
        assert fact in page
    assert "Fuse runs</a>: fused <span" in text_of(olga(campaign), "history", campaign)
    listed = text_of(olga(campaign), "runs", campaign)
    assert f'href="{run.get_absolute_url()}">fused</a>' in listed
    assert '<span class="quiet">Top-k hybrid</span>' in listed


def test_places_set_the_order_and_weights_follow_their_runs(campaign: Campaign) -> None:
    first, second = keys(campaign)
    run = fuse(campaign, method="sum", **{f"place{first}": "2", f"place{second}": "1", f"weight{first}": "3"})
    assert [source["name"] for source in run.provenance["runs"]] == ["b", "a"]
    assert run.provenance["options"]["weights"] == [1, 3]
    assert "2 a, weight 3 <code" in page_of(campaign, run)


def test_the_page_of_a_regression_shows_the_coefficients_of_each_model(campaign: Campaign) -> None:
    run = fuse(campaign)
    model = {"training": ["A.1", "A.2"], "scored": ["A.3"], "units": 30, "intercept": 0.25}
    run.provenance |= {
        "options": {"folds": 5, "seed": 7},
        "qrels": {"release": 1, "sha256": "0" * 64},
        "models": [model | {"weights": [1.5, -0.125, 0.5, 0]}],
    }
    run.save()
    page = page_of(campaign, run)
    assert "<dd>Folds: 5</dd>" in page
    run.provenance["options"]["training"] = ["A.1", "A.2"]
    run.provenance.pop("job")  # as in an imported campaign
    run.save()
    assert "<dd>Training topics instead: A.1 A.2</dd>" in page_of(campaign, run)
    cells = ["2", "30", "0.2500", "1.5000", "−0.1250", "0.5000", "0.0000"]
    assert " ".join(f'<td class="num">{cell}</td>' for cell in cells) in page


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"name": "a"}, "Another run is named a"),
        ({"method": "borda"}, "not one of the available choices"),
        ({"k": "-1"}, "greater than or equal to 0"),
        ({"alpha": "nan"}, "Enter a number"),
    ],
)
def test_what_does_not_fit_starts_no_job(campaign: Campaign, fields: dict[str, Any], reason: str) -> None:
    response = submit(campaign, **fields)
    assert response.status_code == 422
    assert reason in response.context["form"].errors.as_text()
    assert not Job.objects.exists()


def test_a_number_may_be_0(campaign: Campaign) -> None:
    assert fuse(campaign, k="0").provenance["options"] == {"k": 0}
