"""The members of a campaign: invited, changed, removed."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from assess.models import Campaign
from assess.services.campaign import campaigns
from tests.cast import PASSWORD, Cast, make_assignment, make_campaign, make_pool, make_user
from tests.lab import client_of, queries
from tests.web.organizer import messages_of

pytestmark = pytest.mark.django_db


def test_a_new_user_gets_a_link_that_is_shown_once_and_works(campaign: Campaign, cast: Cast) -> None:
    client, url = client_of(cast.olga), reverse("members", args=[campaign.slug])
    page = client.post(url, {"username": "noether", "role": "assessor"}, follow=True).content.decode()
    link = re.search(r"http://testserver(/\S+?)</textarea>", page)[1]
    assert link not in client.get(url).content.decode()  # only once
    newcomer = Client()
    form = newcomer.get(link, follow=True)
    newcomer.post(form.request["PATH_INFO"], {"new_password1": PASSWORD, "new_password2": PASSWORD})
    assert campaign.members.get(user__username="noether").user.check_password(PASSWORD)
    assert client.get(url).context["invitable"] == set()


def test_a_user_with_an_account_gets_no_link(campaign: Campaign, cast: Cast) -> None:
    client, url = client_of(cast.olga), reverse("members", args=[campaign.slug])
    response = client.post(url, {"username": "mallory", "role": "expert"}, follow=True)
    assert messages_of(response) == ["mallory is now expert."]
    assert response.context["invitation"] is None


def test_a_link_can_be_renewed_while_no_other_organizer_has_added_the_user(campaign: Campaign, cast: Cast) -> None:
    member, _ = campaigns.add_member(campaign, "noether", "assessor")
    client, url = client_of(cast.olga), reverse("member", args=[campaign.slug, member.pk])
    assert client.post(url, {"invite": 1}, follow=True).context["invitation"]["user"] == "noether"
    other = campaigns.create(name="Other", preset="arqmath1-task1", by=make_user("otto"))
    campaigns.add_member(other, "noether", "expert")
    assert client.post(url, {"invite": 1}, follow=True).context["invitation"] is None


@pytest.mark.parametrize("name", ["no spaces", "", "ada"])
def test_invalid_empty_and_repeated_names_are_refused_at_the_field(name: str, campaign: Campaign, cast: Cast) -> None:
    response = client_of(cast.olga).post(reverse("members", args=[campaign.slug]), {"username": name, "role": "expert"})
    assert "username" in response.context["form"].errors


def test_roles_change_but_the_last_organizer_stays_organizer(campaign: Campaign, cast: Cast) -> None:
    client = client_of(cast.olga)
    ada, olga = campaign.members.get(user=cast.ada), campaign.members.get(user=cast.olga)
    client.post(reverse("member", args=[campaign.slug, ada.pk]), {"role": "expert"})
    ada.refresh_from_db()
    assert ada.role == "expert"
    client.post(reverse("member", args=[campaign.slug, olga.pk]), {"role": "assessor"})
    olga.refresh_from_db()
    assert olga.role == "organizer"


@pytest.mark.parametrize(("person", "is_removed"), [("emmy", True), ("ada", False)])
def test_members_without_topics_can_be_removed(person: str, is_removed: bool, campaign: Campaign, cast: Cast) -> None:
    make_assignment(make_pool(campaign), cast.ada)
    client, members = client_of(cast.olga), campaign.members.filter(user__username=person)
    url = reverse("member_remove", args=[campaign.slug, members.get().pk])
    assert person in client.get(url).context["title"]
    client.post(url)
    assert members.exists() is not is_removed


def test_members_of_other_campaigns_are_not_found(campaign: Campaign, cast: Cast) -> None:
    other = make_campaign(name="Other")
    url = reverse("member_remove", args=[campaign.slug, other.members.get().pk])
    assert client_of(cast.olga).post(url).status_code == 404


def test_members_take_few_queries(campaign: Campaign, cast: Cast) -> None:
    client, url = client_of(cast.olga), reverse("members", args=[campaign.slug])
    assert queries(client, url) == 12
