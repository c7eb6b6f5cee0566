"""Each topic has one official assessor and any number of dual ones, each with their own order."""

import pytest
from django.db import IntegrityError, transaction

from assess.models import Assignment, Pool
from assess.services.common.errors import Refused
from assess.services.pool import freezing
from assess.services.rounds import assignments
from tests.cast import Cast, make_assignment

pytestmark = [pytest.mark.django_db, pytest.mark.engines]


def test_a_pool_that_has_been_reopened_cannot_be_assigned(pool: Pool, cast: Cast) -> None:
    freezing.unfreeze(Pool.objects.get(pk=pool.pk), cast.olga)
    assert pool.frozen  # as the page that asks still holds it
    with pytest.raises(Refused, match="Freeze"):
        make_assignment(pool, cast.ada)


def test_an_assignment_stores_the_order_its_assessor_will_meet(pool: Pool, cast: Cast) -> None:
    assignment = make_assignment(pool, cast.ada)
    entries = pool.entries.filter(topic=assignment.topic).values_list("pk", flat=True)
    assert sorted(assignment.order) == sorted(entries)
    assert assignment.official


def test_a_topic_has_one_official_assessor(pool: Pool, cast: Cast) -> None:
    make_assignment(pool, cast.ada)
    with pytest.raises(Refused, match="ada's already"):
        make_assignment(pool, cast.emmy)
    assert not make_assignment(pool, cast.emmy, kind="dual").official
    with pytest.raises(Refused, match="emmy has topic"):
        make_assignment(pool, cast.emmy, kind="dual")


def test_the_database_allows_one_official_assessor(pool: Pool, cast: Cast) -> None:
    official = make_assignment(pool, cast.ada)
    with pytest.raises(IntegrityError), transaction.atomic():
        Assignment.objects.create(
            round=official.round, topic=official.topic, assessor=cast.emmy, official=True, order=[], instance_order=[]
        )


def test_only_assessors_and_experts_judge(pool: Pool, cast: Cast) -> None:
    topic = pool.campaign.topics.first()
    for user in (cast.olga, cast.mallory):
        with pytest.raises(Refused, match="not an assessor"):
            assignments.assign_topic(pool, topic, user, "main")
    assert assignments.assign_topic(pool, topic, cast.kurt, "main").assessor == cast.kurt


def test_sharing_topics_leaves_assigned_ones(pool: Pool, cast: Cast) -> None:
    make_assignment(pool, cast.ada, topic="A.2")
    assert [str(topic) for topic in assignments.open_topics(pool)] == ["A.1"]
    said = assignments.spread_open_topics(pool, [cast.ada, cast.emmy], cast.olga)
    assert str(said) == "Assigned 1 topic (Main): A.1 to emmy."  # ada has one already
    assert Assignment.objects.get(assessor=cast.emmy).official
    assert assignments.spread_open_topics(pool, [cast.ada], cast.olga) is None
    assert Assignment.objects.count() == 2


def test_topics_can_be_shared_only_among_assessors(pool: Pool, cast: Cast) -> None:
    with pytest.raises(Refused, match="at least one"):
        assignments.spread_open_topics(pool, [], cast.olga)
    with pytest.raises(Refused, match="not an assessor"):
        assignments.spread_open_topics(pool, [cast.ada, cast.mallory], cast.olga)
    assert not Assignment.objects.exists()


def test_assessors_and_experts_can_have_topics(pool: Pool, cast: Cast) -> None:
    assert list(assignments.assessors_of(pool)) == [cast.ada, cast.emmy, cast.kurt]  # kurt is an expert
