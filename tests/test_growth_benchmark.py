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
    assert progress.main_round(copy.pools.get()) == progress.main_round(lab.pool)
    assert copy.pools.get().qrels.get().lines.count() == lab.release.lines.count()
    client = Client()
    client.force_login(lab.cast.olga)
    assert client.get(reverse("progress", args=[copy.slug])).status_code == 200
