"""The benchmark of growth: that copies of a campaign are whole, and that what grows shows."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from assess.models import Campaign, Judgment, JudgmentEvent
from assess.services.rounds import progress
from benchmarks import growth
from tests.lab import make_lab

pytestmark = [pytest.mark.django_db, pytest.mark.engines]


def test_copies_of_a_campaign_are_whole(tmp_path: Path) -> None:
    lab = make_lab(tmp_path)
    growth.Copies(lab.campaign).add(2)
    assert (Campaign.objects.count(), Judgment.objects.count(), JudgmentEvent.objects.count()) == (3, 24, 24)
    copy = Campaign.objects.order_by("pk")[1]
    whole = progress.overview(copy.pools.get())
    assert whole.main_round == progress.overview(lab.pool).main_round
    assert copy.pools.get().qrels.get().lines.count() == lab.release.lines.count()
    client = Client()
    client.force_login(lab.cast.olga)
    assert client.get(reverse("progress", args=[copy.slug])).status_code == 200


@pytest.mark.parametrize(
    ("name", "milliseconds", "queries", "problems"),
    [
        ("pool", 140.0, 10, 0),
        ("pool", 200.0, 10, 1),  # grows
        ("home", 200.0, 10, 0),  # as it may
        ("home", 500.0, 10, 1),  # over its limit
        ("pool", 100.0, 11, 1),
    ],
)
def test_what_grows_shows(name: str, milliseconds: float, queries: int, problems: int) -> None:
    alone = growth.Measured(name, 100.0, 10, 400.0)
    now = growth.Measured(name, milliseconds, queries, 400.0)
    assert len(list(now.problems(alone))) == problems
    assert ("MISSED" in now.line(alone)) is bool(problems)
