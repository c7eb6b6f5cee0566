"""The pages that archive, clone and delete a campaign."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from assess.models import Campaign, Job
from assess.services import job_kinds
from assess.services.campaign import campaigns
from assess.services.common.errors import Refused
from assess.services.desk import rulings
from assess.services.jobs import job_queue
from tests.cast import Cast, make_assignment, make_pool
from tests.lab import client_as, client_of, judge, make_lab
from tests.web.organizer import messages_of, text_of, url_of

pytestmark = pytest.mark.django_db


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
    page = text_of(olga, "campaign_edit", campaign)
    assert "1 judgment</strong> with their history" in page
    assert reverse("export_file", args=[campaign.slug, "judgments", "csv"]) in page
    refused = olga.post(url_of("campaign_delete", campaign), {"name": "another"})
    assert (refused.status_code, "Type the campaign" in refused.content.decode()) == (422, True)
    assert Campaign.objects.exists()
    done = olga.post(url_of("campaign_delete", campaign), {"name": campaign.name}, follow=True)
    assert messages_of(done) == [f"{campaign} deleted."]
    assert not Campaign.objects.exists()


def test_nothing_changes_in_an_archived_campaign(campaign: Campaign, cast: Cast) -> None:
    pool = make_pool(campaign)
    olga = client_as(cast, "olga")
    olga.post(url_of("campaign_archive", campaign), {"archive": "yes"})
    badge = '<span class="badge">archived</span>'
    members = olga.get(url_of("members", campaign)).content.decode()
    assert badge in members
    assert "nothing in it can change" in members
    page = olga.post(url_of("agreement_start", campaign))
    assert (page.status_code, "is archived, so nothing in it can change" in page.content.decode()) == (403, True)
    with pytest.raises(Refused, match="archived"):
        make_assignment(pool, cast.ada)
    with pytest.raises(Refused, match="archived"):
        campaigns.change_settings(campaign, cast.olga, rules={}, name="New")
    olga.post(url_of("campaign_archive", campaign), {"archive": "no"})
    make_assignment(pool, cast.ada)


def test_releases_of_an_archived_campaign_can_be_verified_and_it_says_where_to_bring_it_back(tmp_path: Path) -> None:
    lab = make_lab(tmp_path)
    Campaign.objects.filter(pk=lab.campaign.pk).update(archived=timezone.now())
    olga, emmy = client_of(lab.cast.olga), client_of(lab.cast.emmy)
    settings = f'href="{url_of("campaign_edit", lab.campaign)}">Bring it back'
    assert settings in text_of(olga, "campaign", lab.campaign)
    assert settings not in text_of(emmy, "campaign", lab.campaign)
    olga.post(url_of("verification_start", lab.campaign, version=1))
    assert Job.objects.filter(campaign=lab.campaign, kind="verify").exists()


def test_a_campaign_is_cloned_for_the_next_year(campaign: Campaign, cast: Cast) -> None:
    User.objects.filter(pk=cast.olga.pk).update(is_staff=True)
    campaign.protocol |= {"primary_depth": 33, "guidelines": ["Read the question first."]}
    campaign.save()
    rulings.store_ruling(campaign, cast.olga, "Proofs count.")
    data = {"name": "Next year", "edition": "Lab 2027", "with_people": "on", "with_collection": "on"}
    olga = client_as(cast, "olga")
    without = olga.post(url_of("campaign_clone", campaign), data | {"edition": ""})
    assert (without.status_code, set(without.context["clone_form"].errors)) == (
        422,
        {"edition"},
    )  # that of the original is not taken
    members = olga.post(url_of("campaign_clone", campaign), data, follow=True)
    made = Campaign.objects.get(name="Next year")
    assert (made.edition, made.protocol, made.collection) == (
        "Lab 2027",
        campaign.protocol | {"edition": "Lab 2027"},
        campaign.collection,
    )
    assert [ruling.text for ruling in made.rulings.all()] == ["Proofs count."]
    assert not made.topics.exists()
    assert not made.invitations.exists(), "nobody is invited by itself"
    people = members.context["form"]["people"].value()
    assert sorted(people.splitlines()) == ["ada,,,assessor", "emmy,,,assessor", "kurt,,,expert"]
    olga.post(url_of("members", made), {"people": people, "role": "assessor"})
    assert [member.user for member in made.members.all()] == [cast.olga]
    assert "no assessors yet: 3 invited, nobody has accepted" in text_of(olga, "campaign", made)
    make_pool(made)
    assert "experts yet: 3 people are invited, and nobody has accepted." in text_of(olga, "assignments", made)


def test_what_is_changed_put_away_and_cancelled_is_in_the_history(campaign: Campaign, cast: Cast) -> None:
    job = job_queue.submit(campaign, job_kinds.build_pool, cast.olga)
    olga = client_of(cast.olga)
    for _ in range(2):  # the second time, nothing is left to cancel
        olga.post(reverse("job_cancel", args=[job.pk]))
    olga.post(reverse("job_delete", args=[job.pk]))
    olga.post(url_of("topic_delete", campaign, topic_id="A.1"))
    olga.post(url_of("topics_delete", campaign))
    olga.post(url_of("campaign_archive", campaign))
    assert [(str(action), action.place["page"]) for action in reversed(campaign.actions.all())] == [
        ("Cancelled: Build pool.", "jobs"),
        ("Deleted: Build pool.", "jobs"),
        ("Topic A.1 deleted.", "topics"),
        ("1 topic deleted.", "topics"),
        (f"{campaign} archived.", "campaign"),
    ]
