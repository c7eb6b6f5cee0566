"""An assessor leaves: what is left goes to others in one step, after a preview."""

import pytest
from django.urls import reverse

from assess.models import Assignment, Campaign, Member, Pool
from assess.services.common.errors import Refused
from assess.services.rounds.replacement import replace_assessor
from tests.cast import Cast, make_assignment, make_pool
from tests.lab import client_of, judge
from tests.web.organizer import messages_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def pool(campaign: Campaign, cast: Cast) -> Pool:
    """A.1 and A.2 are ada's, who has judged one answer; emmy and kurt can take over."""
    Member.objects.get_or_create(campaign=campaign, user=cast.emmy, defaults={"role": "assessor"})
    pool = make_pool(campaign)
    judge(make_assignment(pool, cast.ada), {"11": "3"})
    make_assignment(pool, cast.ada, topic="A.2")
    return pool


def holders(pool: Pool) -> list[tuple[str, str, bool]]:
    rows = Assignment.objects.filter(round__pool=pool).order_by("topic__topic_id", "pk")
    return [(row.topic.topic_id, row.assessor.username, row.handed_over is not None) for row in rows]


def test_what_is_left_goes_to_others_after_a_preview(pool: Pool, campaign: Campaign, cast: Cast) -> None:
    client = client_of(cast.olga)
    member = campaign.members.get(user=cast.ada)
    address = reverse("replace_member", args=[campaign.slug, member.pk])
    assert address in client.get(reverse("members", args=[campaign.slug])).content.decode()
    before = holders(pool)
    assert "Tick at least one assessor." in client.post(address, {"sent": "yes"}).content.decode()
    chosen = {"successors": [cast.emmy.pk, cast.kurt.pk]}
    plan = client.post(address, chosen).context["plan"]
    assert {(row.assignment.topic.topic_id, row.left) for row in plan} == {("A.1", 3), ("A.2", 4)}
    assert {row.successor for row in plan} == {cast.emmy, cast.kurt}
    assert holders(pool) == before
    said = messages_of(client.post(address, chosen | {"sure": "yes"}, follow=True))
    assert said[0].startswith("Replaced ada: 2 topics handed over: ")
    new = {row.assignment.topic.topic_id: row.successor.username for row in plan}
    assert sorted(holders(pool)) == sorted(
        [("A.1", "ada", True), *((topic, name, False) for topic, name in new.items())]
    )
    assert "nothing left to judge" in client.post(address, chosen).content.decode()


def test_nobody_gets_a_topic_that_they_have_or_should_not_judge(pool: Pool, campaign: Campaign, cast: Cast) -> None:
    make_assignment(pool, cast.emmy, topic="A.2", kind="dual")
    campaign.members.filter(user=cast.kurt).update(own_topics=["A.1"])
    before = holders(pool)
    with pytest.raises(Refused, match="can go to nobody of these"):
        replace_assessor(pool, cast.ada, [cast.emmy], cast.olga)
    assert holders(pool) == before
    replace_assessor(pool, cast.ada, [cast.emmy, cast.kurt], cast.olga)
    assert {("A.1", "emmy", False), ("A.2", "kurt", False)} <= set(holders(pool))
