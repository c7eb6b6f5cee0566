"""New campaigns, and the overview with its counts and next steps."""

import pytest
from django.urls import reverse

from assess.models import Campaign, Member
from tests.cast import Cast, make_assignment, make_pool, make_user
from tests.lab import client_of
from tests.web.organizer import errors_of, file, make_run

pytestmark = pytest.mark.django_db


def test_a_preset_is_described_by_its_depths(cast: Cast) -> None:
    page = client_of(cast.olga).get(reverse("campaign_new")).content.decode()
    assert "ARQMath-2 Task 2: formulas, at most 5 instances each, pooled to depth 20 (alternate runs 10)" in page


def test_presets_of_any_lab_come_first(cast: Cast) -> None:
    page = client_of(cast.olga).get(reverse("campaign_new")).content.decode()
    places = [
        page.index(text)
        for text in (
            "Documents: ",
            "Documents, binary: ",
            "Passages: passages in 4 grades",
            "ARQMath-1 Task 1:",
            "NTCIR-10: ",
        )
    ]
    assert places == sorted(places)
    assert "Documents, binary: documents in 2 grades, pooled to depth 20" in page
    assert "answers" not in page[places[0] : page.index("ARQMath")]
    assert "NTCIR-10: formulas in 3 grades, each instance separately" in page


@pytest.mark.parametrize("preset", ["documents", "arqmath3-task1"])
def test_a_campaign_needs_an_edition_of_its_own(preset: str, cast: Cast) -> None:
    data, client = {"name": "Web", "preset": preset}, client_of(cast.olga)
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


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("level = ", "is not TOML"),
        ("campaign = 1", "campaign: must be a table"),
        ('like = "x"', "no such preset"),
        ('like = "passages"\nlevel = 7', "level: choose"),
        ('like = "passages"\nmeasures = ["F1"]', "measures: no measure"),
    ],
)
def test_a_bad_file_is_refused_at_its_field(content: str, reason: str, cast: Cast) -> None:
    response = client_of(cast.olga).post(reverse("campaign_new"), {"name": "Own", "file": file("lab.toml", content)})
    assert (response.status_code, list(response.context["form"].errors)) == (422, ["file"])
    assert reason in errors_of(response)


def test_a_new_campaign_has_the_preset_and_the_shared_collection(campaign: Campaign, cast: Cast) -> None:
    data = {"name": "Formulas", "edition": "ARQMath-3", "preset": "arqmath3-task2", "share": campaign.collection.pk}
    response = client_of(cast.olga).post(reverse("campaign_new"), data)
    formulas = Campaign.objects.get(name="Formulas")
    assert response["Location"] == formulas.get_absolute_url()
    assert (formulas.protocol["preset"], formulas.collection) == ("arqmath3-task2", campaign.collection)
    assert formulas.members.get().user == cast.olga


def test_only_organizers_share_a_collection(campaign: Campaign) -> None:
    other = make_user("otto", is_staff=True)
    Member.objects.create(campaign=campaign, user=other, role="assessor")
    data = {"name": "Formulas", "edition": "ARQMath-3", "preset": "arqmath3-task2", "share": campaign.collection.pk}
    response = client_of(other).post(reverse("campaign_new"), data)
    assert "share" in response.context["form"].errors
    assert not Campaign.objects.filter(name="Formulas").exists()


def test_the_overview_names_the_next_step(campaign: Campaign, cast: Cast) -> None:
    campaign.collection.counts = {"answers": 6}
    campaign.collection.save()

    def following() -> str | None:
        step = client_of(cast.olga).get(campaign.get_absolute_url()).context["next"]
        return step and step.name

    assert following() == "Runs"
    make_run(campaign)
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


def test_the_overview_counts_runs_with_low_coverage(campaign: Campaign, cast: Cast) -> None:
    for known in (0, 94, 95):
        make_run(campaign, name=f"r{known}", coverage={"documents": 100, "known": known})
    page = client_of(cast.olga).get(campaign.get_absolute_url()).content.decode()
    assert "3 runs of 1 team, 2 with low coverage" in page


def test_assessors_see_their_own_topics_and_nothing_of_the_runs(campaign: Campaign, cast: Cast) -> None:
    make_run(campaign, name="secret-run")
    pool = make_pool(campaign)
    make_assignment(pool, cast.ada, topic="A.1")
    make_assignment(pool, cast.emmy, topic="A.2")
    page = client_of(cast.ada).get(campaign.get_absolute_url()).content.decode()
    assert ">A.1</a>" in page
    assert "A.2" not in page
    assert "secret-run" not in page
    assert "0 of 4" in page


@pytest.mark.parametrize("name", ["a\tb", "a\nb", "\x1b[0m"])
def test_names_hold_no_control_characters(name: str, campaign: Campaign, cast: Cast) -> None:
    answer = client_of(cast.olga).post(reverse("campaign_edit", args=[campaign.slug]), {"name": name, "edition": "E"})
    assert answer.context["form"].errors["name"] == ["Tabs, line breaks and other control characters are not allowed."]
