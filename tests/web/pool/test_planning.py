"""The plan of a pool, and the report on one."""

import re
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from assess.models import Campaign
from assess.services.pool import pools
from tests.cast import Cast, make_cast, make_pool, on_progress
from tests.lab import add_run, client_of, make_formulas, make_shallow_campaign
from tests.web.organizer import text_of, url_of

pytestmark = pytest.mark.django_db

DEEPER = {"primary_depth": 3, "alternate_depth": 2}


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    campaign = make_shallow_campaign(tmp_path)
    make_cast(campaign)
    return campaign


@pytest.fixture
def cast(campaign: Campaign) -> Cast:
    return make_cast()


def plan_of(campaign: Campaign, cast: Cast, **values: Any) -> Any:
    return client_of(cast.olga).get(url_of("pool", campaign), {"plan": "", **values})


def page_of(response: Any) -> str:
    return " ".join(response.content.decode().split())


def test_the_page_starts_with_the_depths_of_the_protocol_and_those_who_can_judge(
    campaign: Campaign, cast: Cast
) -> None:
    response = plan_of(campaign, cast)
    first, *others = response.context["costs"]
    assert (list(first["sizes"].values()), first["units"], first["is_protocol"]) == ([2, 1], 2, True)
    assert first["each"] == pytest.approx(2 * 60 / 3600 / 3)  # ada, emmy and kurt
    assert [(list(row["sizes"].values()), row["more"]) for row in others] == [([7, 1], 1), ([2, 6], 1)]
    page = page_of(response)
    assert "1 topic, 1 without results (A.2)" in page
    assert "Assumed: nothing was measured yet." in page
    assert '<p class="message warning" id="judged-at-10">2 runs ' in page
    assert '<span class="badge failed" title="2 of 3">66.7 %</span>' in page
    campaign.members.exclude(role="organizer").delete()
    assert plan_of(campaign, cast).context["costs"][0]["each"] is None
    response = plan_of(campaign, cast, assessors=2)
    assert response.context["costs"][0]["each"] == pytest.approx(60 / 3600)
    assert "Nobody can judge yet" not in page_of(response)


def test_values_in_the_address_are_used_of_the_sizes_that_the_protocol_has(campaign: Campaign, cast: Cast) -> None:
    response = plan_of(campaign, cast, **DEEPER, seconds=3600, assessors=2)
    first, *_, last = response.context["costs"]
    assert (first["units"], first["hours"], first["each"]) == (3, 3, 1.5)
    assert (list(last["sizes"].values()), last["more"], last["is_protocol"]) == ([2, 1], -1, True)
    # alpha 11 12 21, beta 12 21, floor 12: only 11 is unique
    run, role, contribution = response.context["runs"][0]
    assert (run.name, role) == ("alpha", "primary")
    assert (contribution.units, contribution.unique) == (3, 1)
    page = page_of(response)
    assert '<p class="message success" id="judged-at-10">' in page
    assert '<td class="num">67</td>' in page  # beta has two of alpha's three
    campaign.protocol |= {"pool_rule": "votes", "pool_size": 2}
    campaign.save()
    response = plan_of(campaign, cast, pool_size=1)
    assert response.context["costs"][0]["units"] == 1
    assert list(response.context["form"].fields) == ["pool_size", "seconds", "assessors"]


def test_impossible_values_are_errors(campaign: Campaign, cast: Cast) -> None:
    for field, value in (("primary_depth", 0), ("alternate_depth", 1001), ("seconds", "x")):
        response = plan_of(campaign, cast, **{field: value})
        assert (response.status_code, list(response.context["form"].errors)) == (422, [field])
        assert list(response.context["costs"][0]["sizes"].values()) == [2, 1]  # those of the protocol


def test_a_run_of_unknown_formulas_is_not_called_judged(tmp_path: Path, settings: Settings) -> None:
    settings.MEDIA_ROOT = tmp_path
    formulas = make_formulas(tmp_path)
    add_run(formulas, tmp_path, "B.1\t880\t88\t1\t9\tgone\nB.1\t890\t89\t2\t8\tgone\n")
    response = plan_of(formulas, make_cast(formulas))
    page = page_of(response)
    assert (response.context["costs"][0]["units"], response.context["costs"][0]["documents"]) == (4, 4)
    assert re.search('id="empty-runs">[^<]*gone', page)
    assert 'class="message success"' not in page


def test_the_report_has_sizes_contributions_and_checks(campaign: Campaign, cast: Cast) -> None:
    pool = pools.build(campaign, on_progress)
    page = text_of(client_of(cast.olga), "pool_report", campaign, version=pool.version)
    for said in ("2 answers for 1 topic, 2.00 on average", "alpha (2 of 3), beta (2 of 3)"):
        assert said in page
    assert re.search(r'<th scope="row">alpha</th>\s*<td>Alpha</td>\s*<td>primary</td>', page)
    pools.discard_pool(campaign, cast.olga)
    page = text_of(client_of(cast.olga), "pool_report", campaign, version=make_pool(campaign).version)
    assert "their contributions are unknown" in page
