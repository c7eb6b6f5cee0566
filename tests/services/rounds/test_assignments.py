"""Each topic has one official assessor and any number of dual ones, each with their own order; and nobody is given what
they should not judge."""

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from assess.models import Assignment, Member, Pool
from assess.services.common.errors import Refused
from assess.services.pool import freezing
from assess.services.rounds import assignments, progress, rounds
from tests.cast import Cast, make_assignment, make_campaign, make_cast, make_pool
from tests.desk import judge_all
from tests.lab import judge

pytestmark = [pytest.mark.django_db, pytest.mark.engines]


def test_a_pool_that_has_been_reopened_cannot_be_assigned(pool: Pool, cast: Cast) -> None:
    freezing.unfreeze(Pool.objects.get(pk=pool.pk), cast.olga)
    assert pool.frozen  # as the page that asks still holds it
    with pytest.raises(Refused, match="Freeze"):
        make_assignment(pool, cast.ada)


def test_a_topic_has_one_official_assessor(pool: Pool, cast: Cast) -> None:
    official = make_assignment(pool, cast.ada)
    with pytest.raises(Refused, match="ada's already"):
        make_assignment(pool, cast.emmy)
    with pytest.raises(IntegrityError), transaction.atomic():  # the database, too
        Assignment.objects.create(
            round=official.round, topic=official.topic, assessor=cast.emmy, official=True, order=[], instance_order=[]
        )
    assert not make_assignment(pool, cast.emmy, kind="dual").official
    with pytest.raises(Refused, match="emmy has topic"):
        make_assignment(pool, cast.emmy, kind="dual")


def test_only_assessors_and_experts_judge(pool: Pool, cast: Cast) -> None:
    topic = pool.campaign.topics.first()
    for user in (cast.olga, cast.mallory):
        with pytest.raises(Refused, match="not an assessor"):
            assignments.assign_topic(pool, topic, user, "main")
    with pytest.raises(Refused, match="at least one"):
        assignments.spread_open_topics(pool, [], cast.olga)
    with pytest.raises(Refused, match="not an assessor"):
        assignments.spread_open_topics(pool, [cast.ada, cast.mallory], cast.olga)
    assert not Assignment.objects.exists()
    assert list(assignments.assessors_of(pool)) == [cast.ada, cast.emmy, cast.kurt]  # kurt is an expert
    assert assignments.assign_topic(pool, topic, cast.kurt, "main").assessor == cast.kurt


def test_sharing_topics_leaves_assigned_ones(pool: Pool, cast: Cast) -> None:
    make_assignment(pool, cast.ada, topic="A.2")
    for kind, person, topics in (("main", None, "A.1"), ("dual", cast.ada, "A.1"), ("dual", cast.emmy, "A.1 A.2")):
        assert [str(topic) for topic in assignments.open_topics(pool, kind, person)] == topics.split()
    said = assignments.spread_open_topics(pool, [cast.ada, cast.emmy], cast.olga)
    assert str(said) == "Assigned 1 topic (Main): A.1 to emmy."  # ada has one already
    assert Assignment.objects.get(assessor=cast.emmy).official
    assert assignments.spread_open_topics(pool, [cast.ada], cast.olga) is None
    assert Assignment.objects.count() == 2


@pytest.fixture
def judged_by_two(pool: Pool) -> Pool:
    pool.protocol |= {"assessors": 2}
    pool.save()
    return Pool.objects.get(pk=pool.pk)


def seats(pool: Pool) -> set[tuple[str, str, int]]:
    rows = Assignment.objects.filter(round__pool=pool, handed_over=None)
    return set(rows.values_list("topic__topic_id", "assessor__username", "seat"))


def test_a_topic_has_as_many_official_assessors_as_the_protocol_says(judged_by_two: Pool, cast: Cast) -> None:
    pool = judged_by_two
    first, second = make_assignment(pool, cast.ada), make_assignment(pool, cast.emmy)
    assert (first.seat, second.seat, first.official, second.official) == (1, 2, True, True)
    assert len(first.instance_order) == len(second.instance_order)
    with pytest.raises(Refused, match="ada's and emmy's already"):
        make_assignment(pool, cast.kurt)
    assignments.take_back_assignments([first], cast.olga)
    assert not progress.overview(pool).topics[0].is_assigned
    assert make_assignment(pool, cast.kurt).seat == 1
    with pytest.raises(Refused, match="assigned again"):
        assignments.give_back_assignments(pool, [first.pk], cast.olga)
    assert progress.overview(pool).topics[0].is_assigned


def test_topics_are_shared_among_different_people(judged_by_two: Pool, cast: Cast) -> None:
    pool = judged_by_two
    make_assignment(pool, cast.ada, topic="A.2")
    assert assignments.open_topics(pool).count() == 2
    assert assignments.spread_open_topics(pool, [cast.ada], cast.olga) is not None  # of A.2 she has a seat already
    assert seats(pool) == {("A.1", "ada", 1), ("A.2", "ada", 1)}
    assignments.spread_open_topics(pool, [cast.ada, cast.emmy, cast.kurt], cast.olga)
    assert seats(pool) - {("A.1", "ada", 1), ("A.2", "ada", 1)} == {("A.1", "emmy", 2), ("A.2", "kurt", 2)}
    assert not assignments.open_topics(pool)
    view = progress.overview(pool)
    assert view.is_going_on
    assert progress.kinds_going_on(pool) == {"main"}
    main = progress.main_round(pool)
    assert (main.judged, main.documents) == (view.whole.judged, view.whole.total)
    assert main.documents == 2 * sum(topic.documents for topic in view.topics)


def test_who_hands_over_leaves_the_seat_to_the_next(judged_by_two: Pool, cast: Cast) -> None:
    judge(first := make_assignment(judged_by_two, cast.ada), {"11": "3"})
    assignments.hand_over_topic(first, cast.kurt, cast.olga)
    second = make_assignment(judged_by_two, cast.emmy)  # who has judged no part of it, and judges all in another seat
    assert len(second.instance_order) == 4
    assert seats(judged_by_two) == {("A.1", "kurt", 1), ("A.1", "emmy", 2)}


def many_topics(count: int) -> Pool:
    return make_pool(make_campaign(topics=count))


def test_many_topics_take_as_many_queries_as_few(cast: Cast) -> None:
    taken = []
    for count in (2, 12):
        pool = many_topics(count)
        make_cast(pool.campaign)
        people = list(assignments.assessors_of(pool))
        with CaptureQueriesContext(connection) as queries:
            assignments.spread_open_topics(pool, people, cast.olga)
        assert Assignment.objects.filter(round__pool=pool, official=True).count() == count
        taken.append(len(queries))
    assert taken[1] <= taken[0] < 25


def test_a_topic_is_not_given_twice_to_one_person_at_once(pool: Pool, cast: Cast) -> None:
    topic = pool.campaign.topics.all()[0]
    for kind in ("main", "dual"):
        with pytest.raises(Refused, match=r"ada has topic A\.1 already"):
            assignments.assign_topics(pool, [(topic, cast.ada)] * 2, cast.olga, kind)
    assert not Assignment.objects.exists()


def concern(pool: Pool, user: User, **interests: object) -> None:
    Member.objects.filter(campaign=pool.campaign, user=user).update(**interests)


def with_team_in_pool(pool: Pool) -> Pool:
    pool.runs = [{"team": "Tangent", "name": "r", "role": "primary"}]
    pool.save()
    return pool


def test_a_member_of_a_team_in_the_pool_is_given_nothing(pool: Pool, cast: Cast) -> None:
    concern(with_team_in_pool(pool), cast.ada, team="Tangent")
    concern(pool, cast.emmy, team="No runs here")
    for kind in ("main", "dual"):
        with pytest.raises(Refused, match="belongs to the team Tangent"):
            make_assignment(pool, cast.ada, kind=kind)
    assignments.spread_open_topics(pool, [cast.ada, cast.emmy], cast.olga)
    assert {each.assessor for each in Assignment.objects.all()} == {cast.emmy}


def test_own_topics_go_to_others(pool: Pool, cast: Cast) -> None:
    concern(pool, cast.ada, own_topics=["A.1"])
    with pytest.raises(Refused, match="own topics"):
        make_assignment(pool, cast.ada, topic="A.1")
    with pytest.raises(Refused, match=r"none of these assessors should judge topic A\.1"):
        assignments.spread_open_topics(pool, [cast.ada], cast.olga)
    assignments.spread_open_topics(pool, [cast.ada, cast.emmy], cast.olga)
    assert {(str(each.topic), each.assessor) for each in Assignment.objects.all()} == {
        ("A.1", cast.emmy), ("A.2", cast.ada),
    }  # fmt: skip


def test_hand_over_and_dual_rounds_keep_to_it(pool: Pool, cast: Cast) -> None:
    first = make_assignment(pool, cast.emmy, topic="A.1")
    concern(pool, cast.ada, own_topics=["A.1"])
    with pytest.raises(Refused, match="own topics"):
        assignments.hand_over_topic(first, cast.ada, cast.olga)
    judge_all(first, "1")
    with pytest.raises(Refused, match="No topic can be assigned"):
        rounds.assign_dual(pool, [cast.ada], 1, cast.olga)
