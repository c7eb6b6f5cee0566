"""What counts of a document that several assessors judge officially: the same in counts, releases and reports."""

from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from assess.models import Assignment, Instance, Pool
from assess.services.agreement import disagreements
from assess.services.agreement.disagreements import Chosen
from assess.services.releases import export, qrels, topic_set, verification
from assess.services.rounds import adjudication
from assess.services.scores import evaluation, influence, reliability
from tests.cast import Cast, make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.lab import import_runs, judge

pytestmark = [pytest.mark.django_db, pytest.mark.engines]

JUDGED = {
    "ada": {"11": "3", "12": "0", "21": "2", "99": "system_failure"},
    "emmy": {"11": "1", "12": "1", "21": "2", "99": "1"},
    "kurt": {"11": "1", "12": "0", "21": "0"},
}


class Case(NamedTuple):
    """``grades``: what counts; ``counts``: documents, those that are relevant, and those above 0; ``categories``: how
    many documents have each grade; ``others``: the grades of each document that do not count."""

    assessors: int
    rule: str
    grades: dict[str, int]
    counts: tuple[int, int, int]
    categories: tuple[int, ...]
    others: dict[str, set[str]]


CASES = [
    Case(2, "highest", {"11": 3, "12": 1, "21": 2, "99": 1}, (4, 2, 4), (1, 1, 2, 0), {"11": {"1"}, "12": {"0"}}),
    Case(2, "first", {"11": 3, "12": 0, "21": 2, "99": 1}, (4, 2, 3), (1, 1, 1, 1), {"11": {"1"}, "12": {"1"}}),
    Case(2, "sum", {"11": 3, "12": 1, "21": 4}, (3, 2, 3), (1, 1, 0, 1, 0), {"11": {"3", "1"}, "12": {"0", "1"}}),
    Case(
        *(3, "highest", {"11": 1, "12": 0, "21": 2, "99": 1}, (4, 1, 3), (0, 1, 2, 1)),
        {"11": {"3"}, "12": {"1"}, "21": {"0"}},
    ),
]


def make(folder: Path, assessors: int, rule: str) -> tuple[Pool, Cast]:
    campaign = make_campaign()
    import_runs(campaign, folder)
    pool, cast = make_pool(campaign), make_cast(campaign)
    pool.protocol |= {"assessors": assessors, "official_grade": rule}
    pool.save()
    given = {name: make_assignment(pool, getattr(cast, name)) for name in list(JUDGED)[:assessors]}
    for name, assignment in reversed(given.items()):  # seats count, not who is the first to judge
        judge(assignment, JUDGED[name])
    return pool, cast


@pytest.fixture(params=CASES, ids=lambda case: f"{case.assessors} {case.rule}")
def case(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_counts_statistics_and_release_agree(case: Case, tmp_path: Path) -> None:
    pool, cast = make(tmp_path, case.assessors, case.rule)
    release = qrels.release(pool, cast.olga, on_progress)
    assert {line.unit_id: line.grade for line in release.lines_of("post")} == case.grades
    assert (release.manifest["official_grade"], release.is_sum) == (case.rule, case.rule == "sum")
    assert release.protocol["level"] == (3 if case.rule == "sum" else 2)
    assert not verification.verify(release).problems
    row = topic_set.count_topics(pool.campaign, pool)[0]
    assert (row.counts.documents, row.counts.hm_documents, row.counts.hml_documents) == case.counts
    assert (row.counts.units, row.counts.hm_units, row.counts.hml_units) == case.counts
    assert qrels.topics_left_out(pool, case.counts[1]) == []
    assert qrels.topics_left_out(pool, case.counts[1] + 1) == ["A.1"]
    pool.campaign.topics.update(kind="test", kind_reason="x")
    statistics = topic_set.campaign_statistics(pool.campaign)
    assert statistics
    assert statistics.categories[0][2:] == case.categories


def test_a_settled_grade_counts_before_any_rule(tmp_path: Path) -> None:
    for rule in ("highest", "sum"):
        (tmp_path / rule).mkdir()
        pool, cast = make(tmp_path / rule, 2, rule)
        adjudication.adjudicate(pool, cast.kurt, cast.olga)
        judge(Assignment.objects.get(round__pool=pool, round__kind="adjudication"), {"11": "0"})
        release = qrels.release(pool, cast.olga, on_progress)
        assert ("A.1", "11", 0) in release.lines_of("post")
        assert topic_set.count_topics(pool.campaign, pool)[0].counts.hm_documents == 1
        assert release.chosen.judges == "adjudicated"


def test_the_grades_that_do_not_count_have_an_influence(case: Case, tmp_path: Path) -> None:
    pool, cast = make(tmp_path, case.assessors, case.rule)
    evaluation.evaluate(qrels.release(pool, cast.olga, on_progress), "qrels", on_progress)
    known = influence.influence_of_disagreements(pool)["documents"]
    names = {str(pk): doc_id for pk, doc_id in Instance.objects.filter(entry__pool=pool).values_list("pk", "doc_id")}
    assert {names[pk]: set(grades) for pk, grades in known.items()} == case.others
    pairs = disagreements.pairs_in_order(pool, Chosen(), "distance", known)
    rows = {row.instance.doc_id: row for row in disagreements.list_disagreements(pairs)}
    assert all(rows[document].influence for document in case.others)


@pytest.mark.parametrize(
    ("assessors", "rule", "judges"),
    [
        (2, "highest", [["ada", "emmy", "official"]]),
        (2, "sum", [["ada", "emmy"]]),
        (3, "highest", [["first", "second", "official"], *([*pair, "official"] for pair in combinations(JUDGED, 2))]),
    ],
)
def test_runs_are_ranked_under_each_of_several_assessors(
    assessors: int, rule: str, judges: list[list[str]], tmp_path: Path
) -> None:
    pool, cast = make(tmp_path, assessors, rule)
    scored = evaluation.evaluate(qrels.release(pool, cast.olga, on_progress), "qrels", on_progress)
    report = reliability.report_reliability(scored, on_progress).assessors
    assert [row["judges"] for row in report] == judges
    assert (report[0]["documents"], report[0]["apart"]) == (3, 2)  # 99 has one grade


def test_training_triples_are_of_what_counts(tmp_path: Path) -> None:
    pool, cast = make(tmp_path, 2, "sum")
    adjudication.adjudicate(pool, cast.kurt, cast.olga)
    judge(Assignment.objects.get(round__kind="adjudication"), {"11": "0"})
    targets = {item: target for _, item, target in export.exported_triples(pool.campaign)}
    assert targets == {"11": 0.0, "12": 0.5, "21": 1.0}
