"""The demo's lab of household tips: its files are consistent, and every step of a campaign takes them."""

import re
from pathlib import Path

import pytest
from django.urls import reverse

from assess.models import Instance, Judgment
from assess.services import demo
from benchmarks.parts import address_of
from tests.lab import client_of

KITCHEN = Path(__file__).parent.parent / "fixtures" / "kitchen"


@pytest.mark.django_db
def test_it_is_judged_in_part_and_has_no_page_of_mathematics() -> None:
    olga = demo.make_demo_account(demo.ORGANIZER, is_staff=True)
    campaign = demo.load_kitchen(KITCHEN)
    pool = campaign.frozen_pool()
    assert (pool.missing, Instance.objects.filter(entry__pool=pool).count()) == ([], 25)
    assert Judgment.objects.filter(assignment__topic__campaign=campaign).count() == 21
    [pair] = pool.agreement_reports.get().pairs
    assert (pair["n"], pair["agreement"]) == (8, 0.75)  # two of eight differ by one grade
    assert pool.qrels.get().counts["document"]["lines"] == 12  # of K1 and K2, without one that emmy does not know
    reader = client_of(olga)
    for file_format in ("csv", "tex"):
        table = reader.get(reverse("results_file", args=[campaign.slug, file_format]))
        assert re.findall(r"data|math", table.content.decode()) == []
    for name in ("topic_threads", "written_report", "formulas"):
        assert reader.get(address_of(name, slug=campaign.slug)).status_code == 404
