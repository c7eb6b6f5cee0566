"""The pages that archive and delete a campaign."""

import pytest
from django.urls import reverse

from assess.models import Campaign
from tests.cast import Cast, make_assignment, make_pool
from tests.lab import client_as, client_of, judge
from tests.web.organizer import errors_of, messages_of, outsiders, text_of, url_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", ["campaign_archive", "campaign_delete"])
@outsiders
def test_campaigns_are_removed_by_organizers(
    name: str, person: str | None, status: int, campaign: Campaign, cast: Cast
) -> None:
    response = client_as(cast, person).post(url_of(name, campaign), {"name": campaign.name, "archive": "yes"})
    assert response.status_code == status
    campaign.refresh_from_db()
    assert campaign.archived is None


def test_an_archived_campaign_stands_last_until_it_is_brought_back(campaign: Campaign, cast: Cast) -> None:
    make_assignment(make_pool(campaign), cast.ada)
    olga, ada = client_of(cast.olga), client_of(cast.ada)
    assert "A.1" in ada.get("/").content.decode()
    page = olga.post(url_of("campaign_archive", campaign), {"archive": "yes"}, follow=True)
    assert messages_of(page) == [f"{campaign} archived."]
    assert "1 archived campaign" in page.content.decode()
    assert "A.1" not in ada.get("/").content.decode()
    assert "Bring back" in text_of(olga, "campaign_edit", campaign)
    olga.post(url_of("campaign_archive", campaign), {"archive": "no"})
    assert "archived campaign" not in olga.get("/").content.decode()


def test_a_campaign_is_deleted_by_typing_its_name(campaign: Campaign, cast: Cast) -> None:
    judge(make_assignment(make_pool(campaign), cast.ada), {"11": "3"})
    olga = client_of(cast.olga)
    page = text_of(olga, "campaign_delete", campaign)
    assert "1 judgment</strong> with their history" in page
    assert reverse("export_file", args=[campaign.slug, "judgments", "tsv"]) in page
    refused = olga.post(url_of("campaign_delete", campaign), {"name": "another"})
    assert (refused.status_code, "not its name" in errors_of(refused)) == (422, True)
    assert Campaign.objects.exists()
    done = olga.post(url_of("campaign_delete", campaign), {"name": campaign.name}, follow=True)
    assert messages_of(done) == [f"{campaign} deleted."]
    assert not Campaign.objects.exists()
