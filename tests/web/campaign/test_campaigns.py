"""New campaigns, the overview with its counts and next steps; campaigns archived, cloned and deleted."""

import re

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from assess.models import Campaign, Job, Member
from assess.services import job_kinds
from assess.services.common.errors import Refused
from assess.services.desk import rulings
from assess.services.jobs import job_queue
from tests.cast import Cast, make_assignment, make_pool
from tests.lab import Lab, client_as, client_of, judge
from tests.web.organizer import errors_of, file, make_run, messages_of, text_of, url_of

pytestmark = pytest.mark.django_db


def test_presets_of_any_lab_come_first_and_the_edition_is_no_option(cast: Cast) -> None:
    page = client_of(cast.olga).get(reverse("campaign_new")).content.decode()
    assert re.search(r">Edition\s*</label>", page)  # not “optional”
    places = [page.index(f"{name}: ") for name in ("Documents", "Documents, binary", "Passages", "ARQMath-1 Task 1")]
    assert places == sorted(places)
    assert "Documents, binary: documents in 2 grades, pooled to depth 20" in page
    assert "answers" not in page[places[0] : page.index("ARQMath")]


def test_a_campaign_needs_an_edition_of_its_own(cast: Cast) -> None:
    data, client = {"name": "Web", "preset": "arqmath3-task1"}, client_of(cast.olga)
    assert "edition" in client.post(reverse("campaign_new"), data).context["form"].errors
    assert client.post(reverse("campaign_new"), data | {"edition": "Course 2026"}).status_code == 302
    campaign = Campaign.objects.get(name="Web")
    assert campaign.edition == campaign.rules.edition == "Course 2026"


def test_a_campaign_is_made_from_a_file(cast: Cast) -> None:
    lab = 'like = "passages"\nedition = "Track"\nlevel = 1\n[campaign]\ntopics = "t.tsv"\n'
    data = {"name": "Own", "edition": "", "file": file("lab.toml", lab)}
    page = client_of(cast.olga).post(reverse("campaign_new"), data, follow=True).content.decode()
    campaign = Campaign.objects.get(name="Own")
    assert (campaign.edition, campaign.rules.level, campaign.rules.words.document) == ("Track", 1, "passage")
    assert "topics of [campaign] in lab.toml were not read" in page


def test_a_bad_file_is_refused_at_its_field(cast: Cast) -> None:
    for content, reason in (
        ("campaign = 1", "campaign: must be a table"),
        ('like = "passages"\nmeasures = ["F1"]', "measures: no measure"),
    ):
        sent = {"name": "Own", "file": file("lab.toml", content)}
        response = client_of(cast.olga).post(reverse("campaign_new"), sent)
        assert (response.status_code, list(response.context["form"].errors)) == (422, ["file"])
        assert reason in errors_of(response)


def test_a_new_campaign_has_the_preset_and_the_shared_collection(campaign: Campaign, cast: Cast) -> None:
    data = {"name": "Formulas", "edition": "ARQMath-3", "preset": "arqmath3-task2", "share": campaign.collection.pk}
    User.objects.filter(pk=cast.ada.pk).update(is_staff=True)
    refused = client_as(cast, "ada").post(reverse("campaign_new"), data)
    assert "share" in refused.context["form"].errors, "only organizers share a collection"
    response = client_of(cast.olga).post(reverse("campaign_new"), data)
    formulas = Campaign.objects.get(name="Formulas")
    assert response["Location"] == formulas.get_absolute_url()
    assert (formulas.protocol["preset"], formulas.collection) == ("arqmath3-task2", campaign.collection)
    assert formulas.members.get().user == cast.olga


def test_the_overview_names_the_next_step(campaign: Campaign, cast: Cast) -> None:
    campaign.collection.counts = {"answers": 6}
    campaign.collection.save()

    def following() -> str | None:
        step = client_of(cast.olga).get(campaign.get_absolute_url()).context["next"]
        return step and step.name

    assert following() == "Runs"
    make_run(campaign, coverage={"documents": 100, "known": 94})
    assert "1 run of 1 team, 1 with low coverage" in text_of(client_of(cast.olga), "campaign", campaign)
    assert following() == "Pool"
    pool = make_pool(campaign, frozen=False)
    assert following() == "Pool"
    campaign.runs.all().delete()  # a pool made elsewhere needs none
    assert following() == "Pool"
    pool.delete()
    pool = make_pool(campaign)
    campaign.members.exclude(role="organizer").delete()
    assert following() == "Members"  # nobody can judge
    Member.objects.create(campaign=campaign, user=cast.kurt, role="expert")
    assert following() == "Assignments"
    for topic in ("A.1", "A.2"):
        make_assignment(pool, cast.ada, topic=topic)
    assert following() == "Progress"


def test_an_archived_campaign_stands_last_until_it_is_brought_back(campaign: Campaign, cast: Cast) -> None:
    assignment = make_assignment(make_pool(campaign), cast.ada)
    olga, ada = client_of(cast.olga), client_of(cast.ada)
    assert "A.1" in ada.get("/").content.decode()
    page = olga.post(url_of("campaign_archive", campaign), {"archive": "yes"}, follow=True)
    assert messages_of(page) == [f"{campaign} archived."]
    assert "1 archived campaign" in olga.get("/").content.decode()
    assert "A.1" not in ada.get("/").content.decode()
    with pytest.raises(Refused, match="archived"):
        judge(assignment, {"11": "3"})  # waits in its browser
    assert "Bring back" in text_of(olga, "campaign_edit", campaign)
    olga.post(url_of("campaign_archive", campaign), {"archive": "no"})
    assert "archived campaign" not in olga.get("/").content.decode()
    judge(assignment, {"11": "3"})


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


def test_releases_of_an_archived_campaign_can_be_verified_and_it_says_where_to_bring_it_back(lab: Lab) -> None:
    Campaign.objects.filter(pk=lab.campaign.pk).update(archived=timezone.now())
    olga, emmy = client_of(lab.cast.olga), client_of(lab.cast.emmy)
    settings = f'href="{url_of("campaign_edit", lab.campaign)}">Bring it back'
    assert settings in text_of(olga, "campaign", lab.campaign)
    assert settings not in text_of(emmy, "campaign", lab.campaign)
    with pytest.raises(Refused, match="archived"):
        make_assignment(lab.pool, lab.cast.ada, topic="A.2")
    olga.post(url_of("verification_start", lab.campaign, version=1))
    assert Job.objects.filter(campaign=lab.campaign, kind="verify").exists()


def test_a_campaign_is_cloned_for_the_next_year(campaign: Campaign, cast: Cast) -> None:
    User.objects.filter(pk=cast.olga.pk).update(is_staff=True)
    campaign.protocol |= {"primary_depth": 33, "guidelines": ["Read the question first."]}
    campaign.save()
    rulings.store_ruling(campaign, cast.olga, "Proofs count.")
    data = {"name": "Next year", "edition": "Lab 2027", "with_collection": "on"}
    olga = client_as(cast, "olga")
    without = olga.post(url_of("campaign_clone", campaign), data | {"edition": ""})
    refused = set(without.context["clone_form"].errors)
    assert (without.status_code, refused) == (422, {"edition"}), "that of the original is not taken"
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
    made.members.create(user=cast.mallory, role="assessor")
    assert "3 invited people have not accepted yet" in text_of(olga, "assignments", made)


def test_what_is_changed_put_away_and_cancelled_is_in_the_history(campaign: Campaign, cast: Cast) -> None:
    job = job_queue.submit(campaign, job_kinds.build_pool, cast.olga)
    olga = client_of(cast.olga)
    for _ in range(2):  # the second time, nothing is left to cancel
        olga.post(reverse("job_cancel", args=[job.pk]))
    olga.post(reverse("job_delete", args=[job.pk]))
    olga.post(url_of("topic_delete", campaign, topic_id="A.1"), {"sure": "yes"})
    olga.post(url_of("topics_delete", campaign), {"sure": "yes"})
    olga.post(url_of("campaign_archive", campaign))
    assert [(str(action), action.place["page"]) for action in reversed(campaign.actions.all())] == [
        ("Cancelled: Build pool.", "jobs"),
        ("Deleted: Build pool.", "jobs"),
        ("Deleted 1 topic: A.1.", "topics"),
        ("Deleted 1 topic: A.2.", "topics"),
        (f"{campaign} archived.", "campaign"),
    ]
