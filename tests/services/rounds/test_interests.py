"""Nobody is given what they should not judge."""

import pytest
from django.contrib.auth.models import User

from assess.models import Assignment, Member, Pool
from assess.services.common.errors import Refused
from assess.services.rounds import assignments, dual
from tests.cast import Cast, make_assignment
from tests.desk import judge_all

pytestmark = pytest.mark.django_db


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
    assignments.spread_open_topics(pool, [cast.ada, cast.emmy], cast.olga)
    assert {(str(each.topic), each.assessor) for each in Assignment.objects.all()} == {
        ("A.1", cast.emmy), ("A.2", cast.ada),
    }  # fmt: skip


def test_a_topic_that_all_are_barred_from_is_named(pool: Pool, cast: Cast) -> None:
    concern(pool, cast.ada, own_topics=["A.2"])
    with pytest.raises(Refused, match=r"none of these assessors should judge topic A\.2"):
        assignments.spread_open_topics(pool, [cast.ada], cast.olga)


def test_hand_over_and_dual_rounds_keep_to_it(pool: Pool, cast: Cast) -> None:
    first = make_assignment(pool, cast.emmy, topic="A.1")
    concern(pool, cast.ada, own_topics=["A.1"])
    with pytest.raises(Refused, match="own topics"):
        assignments.hand_over_topic(first, cast.ada, cast.olga)
    judge_all(first, "1")
    with pytest.raises(Refused, match="No topic can be assigned"):
        dual.assign_dual(pool, [cast.ada], 1, cast.olga)
