"""The page of the assignments: who gets in, what it says, what it refuses."""

import pytest
from django.urls import reverse

from assess.models import Assignment
from tests.cast import make_assignment, make_campaign, make_cast, make_pool
from tests.lab import client_of, judge
from tests.web.organizer import others, queries_with, text_of, told, url_of

pytestmark = pytest.mark.django_db

POST = ["assign", "spread", "take_back"]


@pytest.mark.parametrize("name", ["assignments", *POST])
@others
def test_assignments_are_the_organizers(name, person, status, campaign, cast):
    assignment = make_assignment(make_pool(campaign), cast.emmy)
    arguments = {"pk": assignment.pk} if name == "take_back" else {}
    client = client_of(person and getattr(cast, person))
    response = getattr(client, "post" if name in POST else "get")(url_of(name, campaign, **arguments))
    assert response.status_code == status
    assert person or response.url.startswith(reverse("login"))
    assert Assignment.objects.count() == 1


@pytest.mark.parametrize("name", POST)
def test_a_look_at_a_button_changes_nothing(name, campaign, cast):
    arguments = {"pk": 1} if name == "take_back" else {}
    assert client_of(cast.olga).get(url_of(name, campaign, **arguments)).status_code == 405


def test_topics_are_assigned_together_or_not_at_all(campaign, cast):
    pool = make_pool(campaign)
    one, two = campaign.topics.all()
    client = client_of(cast.olga)
    chosen = {"topics": [one.pk, two.pk], "assessor": cast.ada.pk, "round": "main"}
    assert told(client.post(url_of("assign", campaign), chosen, follow=True)) == ["ada has 2 more topics."]
    taken = {"topics": [one.pk], "assessor": cast.emmy.pk, "round": "main"}
    assert "ada's already" in told(client.post(url_of("assign", campaign), taken, follow=True))[0]
    assert told(client.post(url_of("assign", campaign), taken | {"round": "dual"}, follow=True)) == [
        "emmy has 1 more topic."
    ]
    both = {"topics": [one.pk, two.pk], "assessor": cast.emmy.pk, "round": "dual"}  # emmy has the first already
    assert "emmy has topic A.1 already" in told(client.post(url_of("assign", campaign), both, follow=True))[0]
    assert Assignment.objects.filter(round__pool=pool, assessor=cast.emmy).count() == 1


def test_all_open_topics_are_assigned_with_one_tick(cast):
    campaign = make_campaign(name="Large", topics=4)
    make_cast(campaign)
    make_assignment(make_pool(campaign), cast.ada, topic="A.1")
    client = client_of(cast.olga)

    def assign(person, kind):
        given = {"all_open": "on", "assessor": person.pk, "round": kind}
        return told(client.post(url_of("assign", campaign), given, follow=True))

    assert assign(cast.emmy, "main") == ["emmy has 3 more topics."]
    assert assign(cast.ada, "dual") == ["ada has 3 more topics."]  # A.1 is ada's in the main round
    assert assign(cast.emmy, "dual") == ["emmy has 1 more topic."]
    response = client.post(url_of("assign", campaign), {"all_open": "on", "assessor": cast.kurt.pk, "round": "dual"})
    assert response.context["form"].errors == {"all_open": ["No such topic is left."]}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"topics": []}, "topics"),
        ({"all_open": "on", "assessor": ""}, "assessor"),
        ({"assessor": ""}, "assessor"),
        ({"assessor": "olga"}, "assessor"),
        ({"round": "x"}, "round"),
    ],
)
def test_a_wrong_assignment_is_refused_at_the_field(change, field, campaign, cast):
    make_pool(campaign)
    topic = campaign.topics.first()
    if change.get("assessor") == "olga":  # an organizer does not judge
        change = {"assessor": cast.olga.pk}
    given = {"topics": [topic.pk], "assessor": cast.ada.pk, "round": "main"} | change
    response = client_of(cast.olga).post(url_of("assign", campaign), given)
    assert response.status_code == 400
    assert list(response.context["form"].errors) == [field]
    ticked = f'value="{topic.pk}" id="t{topic.pk}" checked' in response.content.decode()
    assert ticked == (field != "topics")
    assert not Assignment.objects.exists()


def test_open_topics_are_spread_evenly(cast):
    campaign = make_campaign(name="Large", topics=5)
    make_cast(campaign)
    pool = make_pool(campaign)
    make_assignment(pool, cast.ada, topic="A.3")
    chosen = {"assessors": [cast.ada.pk, cast.emmy.pk]}
    response = client_of(cast.olga).post(url_of("spread", campaign), chosen, follow=True)
    assert told(response) == ["4 topics assigned."]
    found = Assignment.objects.filter(round__pool=pool).values_list("topic__topic_id", "assessor__username")
    # ada had one, so emmy begins
    assert sorted(found) == [("A.1", "emmy"), ("A.2", "ada"), ("A.3", "ada"), ("A.4", "emmy"), ("A.5", "ada")]


def test_spreading_over_nobody_is_refused(campaign, cast):
    make_pool(campaign)
    response = client_of(cast.olga).post(url_of("spread", campaign))
    assert response.status_code == 400
    assert response.context["spread"].errors == {"assessors": ["Tick at least one assessor."]}


def test_only_untouched_topics_are_taken_back(campaign, cast):
    pool = make_pool(campaign)
    judged, fresh = make_assignment(pool, cast.ada), make_assignment(pool, cast.ada, topic="A.2")
    judge(judged, {"11": "3"})
    client = client_of(cast.olga)
    page = text_of(client, "assignments", campaign)
    assert url_of("take_back", campaign, pk=fresh.pk) in page
    assert url_of("take_back", campaign, pk=judged.pk) not in page
    assert "1 of 4" in page
    assert "that work stays" in told(client.post(url_of("take_back", campaign, pk=judged.pk), follow=True))[0]
    client.post(url_of("take_back", campaign, pk=fresh.pk))
    assert list(Assignment.objects.all()) == [judged]


def test_what_arrives_after_a_topic_was_taken_back_is_told(campaign, cast):
    pool = make_pool(campaign)
    mine = make_assignment(pool, cast.ada)
    olga = client_of(cast.olga)
    olga.post(url_of("take_back", campaign, pk=mine.pk))
    assert "arrived after" not in text_of(olga, "assignments", campaign)
    judge(mine, {"11": "3", "12": "0"})
    make_assignment(pool, cast.emmy)
    page = text_of(olga, "assignments", campaign)
    assert "ada: 2 judgments arrived after it was taken back" in page
    assert "0 of 4" in page  # emmy's
    make_assignment(pool, cast.ada, kind="dual")
    assert "ada: 2 judgments arrived" in text_of(olga, "assignments", campaign)


def test_a_topic_given_again_comes_with_what_arrived_meanwhile(campaign, cast):
    mine = make_assignment(make_pool(campaign), cast.ada)
    olga = client_of(cast.olga)
    olga.post(url_of("take_back", campaign, pk=mine.pk))
    judge(mine, {"11": "3"})
    assert "ada: 1 judgment arrived after" in text_of(olga, "assignments", campaign)
    form = {"topics": [mine.topic.pk], "assessor": cast.ada.pk, "round": "main"}
    olga.post(url_of("assign", campaign), form)
    page = text_of(olga, "assignments", campaign)
    assert "arrived after" not in page
    assert "1 of 4" in page


def test_assignments_of_another_campaign_cannot_be_taken_back_here(campaign, cast):
    other = make_campaign(name="Other")
    foreign = make_assignment(make_pool(other), cast.ada)
    assert client_of(cast.olga).post(url_of("take_back", campaign, pk=foreign.pk)).status_code == 404


def test_assignments_wait_for_a_frozen_pool(campaign, cast):
    make_pool(campaign, frozen=False)
    client = client_of(cast.olga)
    assert "once the pool is frozen" in text_of(client, "assignments", campaign)
    assert client.post(url_of("assign", campaign), {}).status_code == 404


def test_more_topics_ask_no_more_queries():
    assert queries_with(12, "assignments") == queries_with(2, "assignments")
