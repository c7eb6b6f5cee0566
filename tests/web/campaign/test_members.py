"""The members of a campaign: invited, changed, removed."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from assess.services.campaign import campaigns
from tests.cast import PASSWORD, make_assignment, make_campaign, make_pool, make_user
from tests.web.organizer import client_of

pytestmark = pytest.mark.django_db


def test_a_new_person_gets_a_link_that_is_shown_once_and_works(campaign, cast):
    client, url = client_of(cast.olga), reverse("members", args=[campaign.slug])
    page = client.post(url, {"username": "noether", "role": "assessor"}, follow=True).content.decode()
    link = re.search(r"http://testserver(/\S+?)</textarea>", page)[1]
    assert link not in client.get(url).content.decode()  # only once
    newcomer = Client()
    form = newcomer.get(link, follow=True)
    newcomer.post(form.request["PATH_INFO"], {"new_password1": PASSWORD, "new_password2": PASSWORD})
    assert Client().login(username="noether", password=PASSWORD)
    assert "no password yet" not in client.get(url).content.decode()


def test_a_known_person_gets_no_link(campaign, cast):
    client, url = client_of(cast.olga), reverse("members", args=[campaign.slug])
    page = client.post(url, {"username": "mallory", "role": "expert"}, follow=True).content.decode()
    assert "mallory is now expert." in page
    assert "shown only now" not in page


def test_a_link_can_be_renewed_while_nobody_else_relies_on_the_account(campaign, cast):
    member, _ = campaigns.add_member(campaign, "noether", "assessor")
    client, url = client_of(cast.olga), reverse("member", args=[campaign.slug, member.pk])
    assert "shown only now" in client.post(url, {"invite": 1}, follow=True).content.decode()
    theirs = campaigns.create(name="Theirs", preset="arqmath1-task1", by=make_user("otto"))
    campaigns.add_member(theirs, "noether", "expert")
    assert "shown only now" not in client.post(url, {"invite": 1}, follow=True).content.decode()


@pytest.mark.parametrize("name", ["no spaces", "", "ada"])
def test_bad_unknown_and_double_names_are_refused_at_the_field(name, campaign, cast):
    response = client_of(cast.olga).post(reverse("members", args=[campaign.slug]), {"username": name, "role": "expert"})
    assert "username" in response.context["form"].errors


def test_roles_change_and_the_last_organizer_stays(campaign, cast):
    client = client_of(cast.olga)
    ada, olga = campaign.members.get(user=cast.ada), campaign.members.get(user=cast.olga)
    client.post(reverse("member", args=[campaign.slug, ada.pk]), {"role": "expert"})
    ada.refresh_from_db()
    assert ada.role == "expert"
    page = client.post(reverse("member", args=[campaign.slug, olga.pk]), {"role": "assessor"}, follow=True)
    assert "needs an organizer" in page.content.decode()
    olga.refresh_from_db()
    assert olga.role == "organizer"


def test_members_are_removed_after_a_question_unless_they_have_topics(campaign, cast):
    client = client_of(cast.olga)
    make_assignment(make_pool(campaign), cast.ada)

    def remove(user) -> str:
        url = reverse("member_remove", args=[campaign.slug, campaign.members.get(user=user).pk])
        assert f"Remove {user}?" in client.get(url).content.decode()
        return client.post(url, follow=True).content.decode()

    assert "emmy is no longer a member" in remove(cast.emmy)
    assert "has topics assigned" in remove(cast.ada)
    assert not campaign.members.filter(user=cast.emmy).exists()
    assert campaign.members.filter(user=cast.ada).exists()


def test_a_member_of_another_campaign_is_not_found_here(campaign, cast):
    other = make_campaign(name="Other")
    url = reverse("member_remove", args=[campaign.slug, other.members.get().pk])
    assert client_of(cast.olga).post(url).status_code == 404


def test_the_member_list_takes_few_queries(campaign, cast, django_assert_num_queries):
    client, url = client_of(cast.olga), reverse("members", args=[campaign.slug])
    with django_assert_num_queries(12):
        client.get(url)
