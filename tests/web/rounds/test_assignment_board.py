"""Assigning on a board."""

import re

import pytest

from assess.models import Assignment, Campaign, Member, Pool
from assess.services.rounds import assignments
from tests.cast import Cast, make_assignment, make_campaign, make_pool
from tests.lab import client_of
from tests.web.organizer import messages_of, text_of, url_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(topics=4)


@pytest.fixture
def pool(campaign: Campaign) -> Pool:
    return make_pool(campaign)


def key(campaign: Campaign, topic: str) -> str:
    return f"topic-{campaign.topics.get(topic_id=topic).pk}"


def test_chosen_topics_are_assigned_and_the_rest_stays_open(campaign: Campaign, cast: Cast, pool: Pool) -> None:
    chosen = {key(campaign, "A.1"): cast.ada.pk, key(campaign, "A.3"): cast.emmy.pk, key(campaign, "A.2"): ""}
    client_of(cast.olga).post(url_of("assignment_board", campaign), chosen)
    given = {str(each.topic): each.assessor.username for each in Assignment.objects.all()}
    assert given == {"A.1": "ada", "A.3": "emmy"}
    html = text_of(client_of(cast.olga), "assignment_board", campaign)
    assert "4 topics, 2 open." in html
    assert re.findall(r"<output[^>]*>(\d+)<", html) == ["4", "4", "0"]  # documents of ada, emmy and kurt
    assert html.count('type="radio"') == 2 * 4  # nobody, ada, emmy, kurt


def test_somebody_with_a_topic_in_two_rounds_has_both_on_the_board(campaign: Campaign, cast: Cast, pool: Pool) -> None:
    main = make_assignment(pool, cast.ada, topic="A.1")
    round = assignments.latest_round(pool, "adjudication")
    assignments.give_more_documents(round, main.topic, cast.ada, set(main.instance_order))
    html = text_of(client_of(cast.olga), "assignment_board", campaign)
    assert '<span class="badge">main</span><span class="badge">adjudication</span>' in html


def test_all_are_assigned_or_none(campaign: Campaign, cast: Cast, pool: Pool) -> None:
    make_assignment(pool, cast.emmy, topic="A.2")  # meanwhile
    chosen = {key(campaign, "A.1"): cast.ada.pk, key(campaign, "A.2"): cast.ada.pk}
    page = client_of(cast.olga).post(url_of("assignment_board", campaign), chosen)
    assert "already" in messages_of(page)[0]
    assert Assignment.objects.count() == 1


def test_a_conflict_of_interest_leaves_no_choice(campaign: Campaign, cast: Cast, pool: Pool) -> None:
    Member.objects.filter(campaign=campaign, user=cast.ada).update(own_topics=["A.1"])
    html = text_of(client_of(cast.olga), "assignment_board", campaign)
    assert html.count('type="radio"') == 4 * 4 - 1
    client_of(cast.olga).post(url_of("assignment_board", campaign), {key(campaign, "A.1"): cast.ada.pk})
    assert not Assignment.objects.exists()
