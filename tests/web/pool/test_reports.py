"""The page of the report on a pool."""

import re
from pathlib import Path

import pytest

from assess.models import Campaign
from assess.services.pool import pools
from tests.cast import make_cast, make_pool, on_progress
from tests.lab import client_of, make_shallow_campaign
from tests.web.organizer import text_of

pytestmark = pytest.mark.django_db


def test_the_page_has_sizes_contributions_and_checks(tmp_path: Path) -> None:
    campaign = make_shallow_campaign(tmp_path)
    olga = client_of(make_cast(campaign).olga)
    pool = pools.build(campaign, on_progress)
    page = text_of(olga, "pool_report", campaign, version=pool.version)
    assert "2 answers for 1 topic" in page
    assert "2.00 on average" in page
    assert re.search(r'<th scope="row">alpha</th>\s*<td>Alpha</td>\s*<td>primary</td>', page)
    assert "alpha (2 of 3), beta (2 of 3)" in page
    assert '<a href="?topic=A.1">A.1</a>' in page


def test_an_imported_pool_has_no_contributions(campaign: Campaign) -> None:
    pool = make_pool(campaign)
    page = text_of(client_of(make_cast(campaign).olga), "pool_report", campaign, version=pool.version)
    assert "their contributions are unknown" in page
