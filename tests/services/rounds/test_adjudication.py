"""Dual rounds by rule, and the settling of disagreements."""

import pytest
from django.contrib.auth.models import User

from assess.ir.common.rows import PoolLine
from assess.ir.releases.release_options import ReleaseOptions
from assess.models import Assignment, Pool, Round
from assess.services.agreement import agreement
from assess.services.common.errors import Refused
from assess.services.common.wording import number
from assess.services.pool import extension, pools
from assess.services.releases import qrels
from assess.services.rounds import adjudication, assignments, rounds
from tests.cast import Cast, make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.desk import documents_of, judge_all
from tests.lab import judge

pytestmark = [pytest.mark.django_db, pytest.mark.engines]


@pytest.fixture
def judged(pool: Pool, cast: Cast) -> tuple[Assignment, Assignment]:
    """A.1, judged by ada and emmy: apart by three, one and no grades, and once by an outcome."""
    main, dual = make_assignment(pool, cast.ada), make_assignment(pool, cast.emmy, kind="dual")
    judge(main, {"11": "3", "12": "1", "21": "2", "99": "system_failure"})
    judge(dual, {"11": "0", "12": "0", "21": "2", "99": "1"})
    return main, dual


@pytest.mark.parametrize(("least", "expected"), [(1, {"11", "12"}), (2, {"11"}), (3, {"11"})])
def test_an_expert_gets_what_is_far_enough_apart(
    pool: Pool, cast: Cast, judged: object, least: int, expected: set[str]
) -> None:
    said = adjudication.adjudicate(pool, cast.kurt, cast.olga, least)
    assert str(said) == f"Gave kurt {number(len(expected), 'answer')} of A.1 to settle."
    given = Assignment.objects.get(assessor=cast.kurt)
    assert documents_of(given) == expected
    assert (given.round.kind, given.official) == (Round.Kind.ADJUDICATION, False)


def test_who_judged_a_document_twice_does_not_disagree(pool: Pool, cast: Cast) -> None:
    first = make_assignment(pool, cast.ada, kind="dual")
    judge(first, {"11": "3"})
    assignments.hand_over_topic(first, cast.emmy, cast.olga)
    rounds.open_round(pool, "dual", "")
    judge(make_assignment(pool, cast.ada, kind="dual"), {"11": "0"})
    assert adjudication.grade_distances(pool) == {}


def test_later_disagreements_come_at_the_end_and_places_stay(
    pool: Pool, cast: Cast, judged: tuple[Assignment, Assignment]
) -> None:
    adjudication.adjudicate(pool, cast.kurt, cast.olga, 2)
    first = Assignment.objects.get(assessor=cast.kurt)
    with pytest.raises(Refused, match="nothing to settle"):
        adjudication.adjudicate(pool, cast.kurt, cast.olga, 2)
    adjudication.adjudicate(pool, cast.kurt, cast.olga, 1)
    later = Assignment.objects.get(assessor=cast.kurt)
    assert (later.pk, later.order[:1], documents_of(later)) == (first.pk, first.order, {"11", "12"})


def test_only_experts_settle_and_not_what_they_judged(pool: Pool, cast: Cast) -> None:
    judge(make_assignment(pool, cast.kurt), {"11": "3"})
    judge(make_assignment(pool, cast.emmy, kind="dual"), {"11": "0"})
    for person in (cast.ada, cast.kurt):
        with pytest.raises(Refused):
            adjudication.adjudicate(pool, person, cast.olga)


def test_settled_grades_enter_only_releases_that_use_them(pool: Pool, cast: Cast, judged: object) -> None:
    before = agreement.report(pool, on_progress)
    adjudication.adjudicate(pool, cast.kurt, cast.olga)
    judge(Assignment.objects.get(assessor=cast.kurt), {"11": "1", "12": "do_not_know"})
    after = agreement.report(pool, on_progress)
    assert (after.pairs, after.judgments) == (before.pairs, before.judgments)
    for judges, grade in (("official", 3), ("adjudicated", 1)):
        release = qrels.release(pool, cast.olga, on_progress, ReleaseOptions(judges=judges))
        assert {line.unit_id: line.grade for line in release.lines_of("post")} == {"11": grade, "12": 1, "21": 2}
    assert release.made_with["settled"] == 1


def test_an_extension_adds_nothing_to_what_is_settled(pool: Pool, cast: Cast, judged: object) -> None:
    adjudication.adjudicate(pool, cast.kurt, cast.olga)
    line = PoolLine("A.1", "22", "22", 1.0, 1)
    change = extension.Extension({}, {}, "late")
    extension.store_version(pool, change, cast.olga, [line], pools.as_instances(pool.campaign, [line]))
    assert documents_of(Assignment.objects.get(assessor=cast.kurt)) == {"11", "12"}
    assert "22" in documents_of(Assignment.objects.get(assessor=cast.emmy))


@pytest.fixture
def finished() -> tuple[Pool, list[User]]:
    """Four topics, judged completely by ada (A.1, A.2) and emmy (A.3, A.4); ada found less in A.2, emmy in A.3."""
    campaign = make_campaign(topics=5)
    people, pool = make_cast(campaign), make_pool(campaign)
    for topic, person, word in (
        ("A.1", people.ada, "3"),
        ("A.2", people.ada, "0"),
        ("A.3", people.emmy, "1"),
        ("A.4", people.emmy, "2"),
    ):
        judge_all(make_assignment(pool, person, topic=topic), word)
    judge(make_assignment(pool, people.ada, topic="A.5"), {"11": "3"})  # not judged completely
    return pool, [people.ada, people.emmy]


def given_in_dual(pool: Pool) -> set[tuple[str, str]]:
    rows = Assignment.objects.filter(round__pool=pool, round__kind="dual", official=False)
    return {(str(each.topic), str(each.assessor)) for each in rows}


def test_each_judges_the_topic_of_the_other_with_the_fewest_relevant(finished: tuple[Pool, list[User]]) -> None:
    pool, people = finished
    rounds.assign_dual(pool, people, 1, people[0], fewest_relevant=True)
    assert given_in_dual(pool) == {("A.2", "emmy"), ("A.3", "ada")}


def test_relevant_formulas_are_counted_once_whatever_their_instances() -> None:
    pool = make_pool(campaign := make_campaign("arqmath3-task2"))  # v1 has three instances, v2 one
    judge_all(make_assignment(pool, make_cast(campaign).ada, topic="B.1"), "2")
    assert rounds.judged_topics(pool)["B.1"].relevant == 2


def test_a_second_dual_round_takes_other_topics(finished: tuple[Pool, list[User]]) -> None:
    pool, people = finished
    for name in ("", "Dual in May"):
        rounds.assign_dual(pool, people, 1, people[0], name=name)
    assert len({topic for topic, _ in given_in_dual(pool)}) == 4
    assert [str(each) for each in Round.objects.filter(pool=pool, kind="dual")] == ["Dual 1", "Dual in May"]
    with pytest.raises(Refused, match="No topic can be assigned"):
        rounds.assign_dual(pool, people, 1, people[0])
    assert Round.objects.filter(pool=pool, kind="dual").count() == 2


def test_additional_topics_are_official_and_taken_once(pool: Pool, cast: Cast) -> None:
    additional = make_assignment(pool, cast.ada, kind="additional")
    assert additional.official
    with pytest.raises(Refused, match="already"):
        make_assignment(pool, cast.emmy, kind="main")
    judge_all(additional, "2")
    release = qrels.release(pool, cast.olga, on_progress)
    assert len(release.lines_of("post")) == 4
