"""The demo's lab of household tips: its files are consistent, and every step of a campaign takes them."""

from pathlib import Path

import pytest
from django.urls import reverse

from assess.models import Instance, Judgment
from assess.services import demo
from tests.lab import client_of

KITCHEN = Path(__file__).parent.parent / "fixtures" / "kitchen"


@pytest.mark.django_db
def test_it_is_judged_in_part_and_reads_like_no_lab_of_mathematics() -> None:
    olga = demo.make_demo_account(demo.ORGANIZER, is_staff=True)
    campaign = demo.load_kitchen(KITCHEN)
    pool = campaign.frozen_pool()
    assert (pool.missing, Instance.objects.filter(entry__pool=pool).count()) == ([], 25)
    assert Judgment.objects.filter(assignment__topic__campaign=campaign).count() == 21
    [pair] = pool.agreement_reports.get().pairs
    assert (pair["n"], pair["agreement"]) == (8, 0.75)  # two of eight differ by one grade
    assert pool.qrels.get().counts["document"]["lines"] == 12  # of K1 and K2, without one that emmy does not know
    for name in ("campaign", "topics", "campaign_edit", "statistics"):
        page = client_of(olga).get(reverse(name, args=[campaign.slug])).content.decode()
        main = page[page.index("<main") :]
        assert [word for word in ("formula", "ARQMath", "H+M") if word in main] == [], name
