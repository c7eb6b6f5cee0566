"""The organizer's screens of a campaign: who gets in, what is made, changed and said."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from assess.models import Campaign, Job, Member
from assess.services import campaigns, jobs
from tests.cast import PASSWORD, make_assignment, make_campaign, make_cast, make_pool, make_user
from tests.lab import judge
from tests.web.organizer import client_of, make_run

pytestmark = pytest.mark.django_db

ORGANIZERS_ONLY = {
    "campaign_edit": {},
    "members": {},
    "member": {"pk": "member"},
    "member_remove": {"pk": "member"},
    "topics_delete": {},
    "collection": {},
    "collection_images": {},
    "runs": {},
    "run": {"pk": "run"},
    "run_delete": {"pk": "run"},
    "job": {"pk": "job"},
    "job_cancel": {"pk": "job"},
}
POST_ONLY = {"member", "job_cancel"}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


@pytest.fixture
def cast(campaign):
    return make_cast(campaign)


@pytest.fixture
def address(campaign, cast):
    """The address of a door, with things that exist behind it."""
    pks = {
        "member": campaign.members.get(user=cast.ada).pk,
        "run": make_run(campaign).pk,
        "job": jobs.submit(campaign, Job.Kind.POOL, cast.olga).pk,
    }

    def build(name: str) -> str:
        arguments = {key: pks[value] for key, value in ORGANIZERS_ONLY[name].items()}
        return reverse(name, kwargs=arguments if name.startswith("job") else {"slug": campaign.slug, **arguments})

    return build


@pytest.mark.parametrize("name", ORGANIZERS_ONLY)
@pytest.mark.parametrize(
    ("person", "status"), [("olga", 200), ("mallory", 404), ("ada", 403), ("kurt", 403), (None, 302)]
)
def test_only_organizers_come_through_their_doors(name, person, status, address, cast):
    client = client_of(getattr(cast, person)) if person else Client()
    for method in ("post",) if name in POST_ONLY else ("get",) if person == "olga" else ("get", "post"):
        response = getattr(client, method)(address(name))
        assert response.status_code == (302 if name in POST_ONLY and person == "olga" else status), method
        if not person:
            assert response.url.startswith(reverse("login"))


@pytest.mark.parametrize("name", POST_ONLY)
def test_a_look_changes_nothing(name, address, cast):
    assert client_of(cast.olga).get(address(name)).status_code == 405


@pytest.mark.parametrize(("person", "status"), [("olga", 200), ("ada", 200), ("kurt", 200), ("mallory", 404)])
def test_every_member_sees_overview_and_topic(person, status, campaign, cast):
    client = client_of(getattr(cast, person))
    assert client.get(reverse("campaign", args=[campaign.slug])).status_code == status
    assert client.get(reverse("topic", args=[campaign.slug, "A.1"])).status_code == status


@pytest.mark.parametrize(("person", "get", "post"), [("kurt", 200, 403), ("ada", 403, 403), ("mallory", 404, 404)])
def test_experts_read_the_topics_and_change_none(person, get, post, campaign, cast):
    client, url = client_of(getattr(cast, person)), reverse("topics", args=[campaign.slug])
    assert (client.get(url).status_code, client.post(url).status_code) == (get, post)
    assert b"Import topics" not in client.get(url).content


@pytest.mark.parametrize("name", ["campaign", "topics"])
def test_strangers_without_account_are_asked_to_sign_in(name, campaign):
    assert Client().get(reverse(name, args=[campaign.slug])).url.startswith(reverse("login"))


def test_staff_make_campaigns_and_nobody_else(cast):
    url = reverse("campaign_new")
    assert client_of(cast.kurt).get(url).status_code == 403
    assert Client().get(url).status_code == 302
    page = client_of(cast.olga).get(url).content.decode()
    assert "ARQMath-2 Task 2: formulas, 5 instances each at most, pooled to depth 20 (alternate runs 10)" in page


def test_a_new_campaign_takes_preset_and_shared_collection(campaign, cast):
    given = {"name": "Formulas", "preset": "arqmath3-task2", "share": campaign.collection.pk}
    response = client_of(cast.olga).post(reverse("campaign_new"), given)
    made = Campaign.objects.get(name="Formulas")
    assert response.url == made.get_absolute_url()
    assert (made.protocol["preset"], made.collection) == ("arqmath3-task2", campaign.collection)
    assert made.members.get().user == cast.olga


def test_a_collection_is_shared_by_its_organizers_only(campaign):
    other = make_user("otto", is_staff=True)
    Member.objects.create(campaign=campaign, user=other, role="assessor")
    given = {"name": "Formulas", "preset": "arqmath3-task2", "share": campaign.collection.pk}
    response = client_of(other).post(reverse("campaign_new"), given)
    assert "share" in response.context["form"].errors
    assert not Campaign.objects.filter(name="Formulas").exists()


def test_the_overview_names_the_next_step(campaign, cast):
    client, url = client_of(cast.olga), campaign.get_absolute_url()
    campaign.collection.counts = {"answers": 6}
    campaign.collection.save()

    def following() -> str | None:
        step = client.get(url).context["next"]
        return step and step.name

    assert following() == "Runs"
    make_run(campaign)
    assert following() == "Pool"
    pool = make_pool(campaign, frozen=False)
    assert following() == "Pool"
    assert "Freeze the pool" in client.get(url).content.decode()
    pool.delete()
    pool = make_pool(campaign)
    assert following() == "Assignments"
    make_assignment(pool, cast.ada, topic="A.1")
    make_assignment(pool, cast.ada, topic="A.2")
    assert following() == "Judging"


def test_after_the_pool_members_are_asked_for_as_long_as_nobody_can_judge(campaign, cast):
    campaign.collection.counts = {"answers": 6}
    campaign.collection.save()
    make_pool(campaign)
    campaign.members.exclude(role="organizer").delete()
    response = client_of(cast.olga).get(campaign.get_absolute_url())
    assert response.context["next"].name == "Members"
    assert "no assessor yet: add members" in response.content.decode()
    Member.objects.create(campaign=campaign, user=cast.kurt, role="expert")
    assert client_of(cast.olga).get(campaign.get_absolute_url()).context["next"].name == "Assignments"


def test_the_overview_counts_runs_of_which_the_collection_holds_little_or_nothing(campaign, cast):
    for known in (0, 94, 95):
        make_run(campaign, name=f"r{known}", coverage={"documents": 100, "known": known})
    assert (
        "3 runs of 1 team, 2 with low coverage"
        in client_of(cast.olga).get(campaign.get_absolute_url()).content.decode()
    )


def test_a_pool_made_elsewhere_needs_no_runs(campaign, cast):
    campaign.collection.counts = {"answers": 6}
    campaign.collection.save()
    make_pool(campaign, frozen=False)
    assert client_of(cast.olga).get(campaign.get_absolute_url()).context["next"].name == "Pool"


def test_assessors_see_their_own_topics_and_nothing_of_the_runs(campaign, cast):
    make_run(campaign, name="secret-run")
    pool = make_pool(campaign)
    make_assignment(pool, cast.ada, topic="A.1")
    make_assignment(pool, cast.emmy, topic="A.2")
    page = client_of(cast.ada).get(campaign.get_absolute_url()).content.decode()
    assert ">A.1</a>" in page
    assert "A.2" not in page
    assert "secret-run" not in page
    assert "0 of 4" in page


def edited(campaign: Campaign, **changes: object) -> dict[str, object]:
    """The edit form as the browser sends it."""
    fields = ("primary_depth", "alternate_depth", "level", "min_relevant", "max_instances", "instance_rule")
    rules = {name: campaign.protocol[name] for name in fields}
    about = {"name": campaign.name, "edition": campaign.edition, "seed": campaign.seed, "guidelines": "Be fair."}
    return {**rules, **about, **changes}


def test_rules_are_edited_and_guidelines_are_lines(campaign, cast):
    url = reverse("campaign_edit", args=[campaign.slug])
    given = edited(campaign, primary_depth=30, seed=99, guidelines="One.\n\n  Two. \n", written="on")
    assert client_of(cast.olga).post(url, given).status_code == 302
    campaign.refresh_from_db()
    assert (campaign.rules.primary_depth, campaign.seed, campaign.rules.written) == (30, 99, True)
    assert campaign.rules.guidelines == ("One.", "Two.")


def test_an_impossible_rule_is_said_at_its_field(campaign, cast):
    url = reverse("campaign_edit", args=[campaign.slug])
    form = client_of(cast.olga).post(url, edited(campaign, alternate_depth=0)).context["form"]
    assert form.errors == {"alternate_depth": ["a whole number from 1 to 1000 is needed, found 0"]}


def test_a_frozen_pool_locks_the_rules_and_says_why(campaign, cast):
    make_pool(campaign)
    client, url = client_of(cast.olga), reverse("campaign_edit", args=[campaign.slug])
    page = client.get(url).content.decode()
    assert "The pool was frozen on" in page
    assert re.search(r'name="primary_depth"[^>]*disabled', page)
    client.post(url, edited(campaign, name="New name", primary_depth=1, seed=1))
    before = campaign.protocol
    campaign.refresh_from_db()
    assert (campaign.name, campaign.seed, campaign.protocol) == ("New name", 7, before)


def test_once_judging_has_begun_it_is_too_late_to_change_the_rules(campaign, cast):
    assignment = make_assignment(make_pool(campaign), cast.ada)
    client, url = client_of(cast.olga), reverse("campaign_edit", args=[campaign.slug])
    assert "Unfreeze the pool" in client.get(url).content.decode()
    judge(assignment, {"11": "3"})
    page = client.get(url).content.decode()
    assert "too late to change them" in page
    assert "Unfreeze the pool" not in page


@pytest.mark.parametrize(("alternate", "warned"), [(30, False), (31, True)])
def test_a_deeper_alternate_than_primary_depth_is_saved_with_a_warning(alternate, warned, campaign, cast):
    url = reverse("campaign_edit", args=[campaign.slug])
    given = edited(campaign, primary_depth=30, alternate_depth=alternate)
    page = client_of(cast.olga).post(url, given, follow=True).content.decode()
    assert ("Alternate runs are pooled deeper (31) than primary ones (30)." in page) == warned
    campaign.refresh_from_db()
    assert campaign.rules.alternate_depth == alternate


def test_only_the_rules_of_its_task_are_asked(campaign, cast):
    def asked(one: Campaign) -> set[str]:
        form = client_of(cast.olga).get(reverse("campaign_edit", args=[one.slug])).context["form"]
        return {"written", "max_instances", "instance_rule"} & set(form.fields)

    assert asked(campaign) == {"written"}
    formulas = make_campaign("arqmath3-task2", name="Formulas")
    assert asked(formulas) == {"max_instances", "instance_rule"}


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


def test_the_overview_takes_as_many_queries_however_much_there_is(campaign, cast, django_assert_num_queries):
    client, url = client_of(cast.olga), campaign.get_absolute_url()
    pool = make_pool(campaign)
    make_assignment(pool, cast.ada)
    client.get(url)
    for n in range(5):
        make_run(campaign, name=f"run {n}")
        jobs.submit(campaign, Job.Kind.RUNS, cast.olga)
    with django_assert_num_queries(16):
        client.get(url)


def test_the_member_list_takes_few_queries(campaign, cast, django_assert_num_queries):
    client, url = client_of(cast.olga), reverse("members", args=[campaign.slug])
    with django_assert_num_queries(6):
        client.get(url)
