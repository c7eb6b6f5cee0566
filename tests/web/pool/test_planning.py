"""The plan of a pool: access, its numbers at each depth, and setting the protocol."""

import html
import re
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from assess.models import Campaign
from assess.services.pool import freezing, pools
from tests.cast import Cast, make_cast, on_progress
from tests.lab import add_run, client_of, make_formulas, make_shallow_campaign
from tests.web.organizer import messages_of, url_of

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
    assert first["each"] == pytest.approx(2 * 44.1 / 3600 / 3)  # ada, emmy and kurt
    assert [(list(row["sizes"].values()), row["more"]) for row in others] == [([7, 1], 1), ([2, 6], 1)]
    page = page_of(response)
    assert "1 topic, 1 without results (A.2)" in page
    assert "overview of ARQMath-3 (CLEF 2022)" in page
    assert '<p class="message warning" id="judged-at-10">2 runs ' in page
    assert '<span class="badge failed" title="2 of 3">66.7 %</span>' in page
    campaign.members.exclude(role="organizer").delete()
    assert plan_of(campaign, cast).context["costs"][0]["each"] is None
    response = plan_of(campaign, cast, assessors=2)
    assert response.context["costs"][0]["each"] == pytest.approx(44.1 / 3600)
    assert "Nobody can judge yet" not in page_of(response)


def test_values_in_the_address_are_used(campaign: Campaign, cast: Cast) -> None:
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
    assert '<td class="num shade-6">67</td>' in page  # beta has two of alpha's three


@pytest.mark.parametrize(
    ("values", "field", "said"),
    [
        ({"primary_depth": 0}, "primary_depth", "Primary depth: Ensure this value is greater than or equal to 1."),
        ({"alternate_depth": 1001}, "alternate_depth", "Alternate depth: Ensure this value is less than or equal to"),
        ({"seconds": "x"}, "seconds", ""),
    ],
)
def test_impossible_values_are_errors(
    values: dict[str, Any], field: str, said: str, campaign: Campaign, cast: Cast
) -> None:
    response = plan_of(campaign, cast, **values)
    assert (response.status_code, list(response.context["form"].errors)) == (422, [field])
    assert response.context["costs"][0]["sizes"] == {"primary_depth": 2, "alternate_depth": 1}  # those of the protocol
    if said:
        response = client_of(cast.olga).post(url_of("pool_plan_use", campaign), DEEPER | values, follow=True)
        assert messages_of(response)[0].startswith(said)
        campaign.refresh_from_db()
        assert campaign.rules.primary_depth == 2


def test_a_protocol_with_a_pool_size_has_one_number(campaign: Campaign, cast: Cast) -> None:
    campaign.protocol |= {"pool_rule": "votes", "pool_size": 2}
    campaign.save()
    response = plan_of(campaign, cast, pool_size=1)
    assert response.context["costs"][0]["units"] == 1
    assert list(response.context["form"].fields) == ["pool_size", "seconds", "assessors"]
    client_of(cast.olga).post(url_of("pool_plan_use", campaign), {"pool_size": 3})
    campaign.refresh_from_db()
    assert campaign.rules.pool_size == 3


def test_depths_can_be_put_into_the_protocol(campaign: Campaign, cast: Cast) -> None:
    address = f"{url_of('pool_plan_use', campaign)}?plan=&primary_depth=2&assessors=7"
    assert html.escape(address) in page_of(plan_of(campaign, cast, primary_depth=2, assessors=7))
    response = client_of(cast.olga).post(address, DEEPER, follow=True)
    assert messages_of(response) == ["Protocol changed: primary depth 3 and alternate depth 2."]
    assert response.context["form"]["assessors"].value() == "7"
    assert response.context["sizes"] == DEEPER
    campaign.refresh_from_db()
    assert (campaign.rules.primary_depth, campaign.rules.alternate_depth) == (3, 2)


def test_for_a_frozen_pool_an_extension_is_planned(campaign: Campaign, cast: Cast) -> None:
    freezing.freeze(pools.build(campaign, on_progress), on_progress)
    page = page_of(plan_of(campaign, cast, **DEEPER))
    assert url_of("pool_plan_use", campaign) not in page
    assert (
        f'<form id="use" method="get" action="{url_of("pool", campaign)}"> <input type="hidden" name="extend">' in page
    )
    assert '<input type="hidden" name="primary_depth" value="3">' in page
    response = client_of(cast.olga).post(url_of("pool_plan_use", campaign), DEEPER, follow=True)
    assert "frozen" in messages_of(response)[0]


def test_a_run_of_unknown_formulas_is_not_called_judged(tmp_path: Path, settings: Settings) -> None:
    settings.MEDIA_ROOT = tmp_path
    formulas = make_formulas(tmp_path)
    add_run(formulas, tmp_path, "B.1\t880\t88\t1\t9\tgone\nB.1\t890\t89\t2\t8\tgone\n")
    response = plan_of(formulas, make_cast(formulas))
    page = page_of(response)
    assert (response.context["costs"][0]["units"], response.context["costs"][0]["documents"]) == (4, 4)
    assert re.search('id="low-coverage">[^<]*gone .0 of 2.', page)
    assert re.search('id="empty-runs">[^<]*gone', page)
    assert 'class="message success"' not in page
