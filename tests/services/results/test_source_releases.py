"""Sources of judgments in releases: only if an organizer says so, and certified like everything else."""

from pathlib import Path
from typing import Any

import pytest

from assess.ir.results.release_options import ReleaseOptions
from assess.models import Pool, Qrels, SourceLine
from assess.services import pipeline
from assess.services.common.errors import Refused
from assess.services.pool import judgment_sources, source_pool
from assess.services.results import qrels, statistics, topic_set
from assess.services.results.verification import verify
from tests.cast import make_assignment, make_campaign, make_cast, on_progress
from tests.formulas import import_index
from tests.lab import Lab, judge, make_lab
from tests.sources import make_source, qrels_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """Release 1 has A.1 11 3, 12 0 and 21 2 by ada; 99 is a system failure."""
    return make_lab(tmp_path)


def release(pool: Pool, *names: str, **options: Any) -> Qrels:
    return qrels.release(pool, make_cast().olga, on_progress, ReleaseOptions(sources=names, **options))


def lines(made: Qrels, unit: str = "post") -> dict[str, int]:
    return {f"{line.topic_id} {line.unit_id}": line.grade for line in made.lines_of(unit)}


def lines_from(made: Qrels) -> dict[str, dict[str, int]]:
    return {source["name"]: source["lines"] for source in made.manifest["sources"]}


OFFICIAL = {"A.1 11": 3, "A.1 12": 0, "A.1 21": 2}


def test_a_source_enters_no_release_unless_it_is_named(lab: Lab, tmp_path: Path) -> None:
    make_source(lab.campaign, tmp_path, qrels_of({"11": 0, "99": 3}))
    assert lines(release(lab.pool)) == OFFICIAL


def test_a_named_source_counts_where_nobody_has_given_a_grade(lab: Lab, tmp_path: Path) -> None:
    text = qrels_of({"11": 0, "99": 3, "31": 1}) + qrels_of({"21": 1}, "A.2") + qrels_of({"21": 1}, "A.9")
    source = make_source(lab.campaign, tmp_path, text)
    made = release(lab.pool, "other")
    assert lines(made) == OFFICIAL | {"A.1 99": 3, "A.1 31": 1, "A.2 21": 1}  # A.9 is no topic here
    assert made.manifest["sources"][0]["name"] == "other"
    assert made.manifest["sources"][0]["judged_by"] == "machine"
    assert made.manifest["sources"][0]["file_sha256"] == source.sha256
    assert (made.main_round["judged"], made.main_round["documents"]) == (4, 8)  # it stays preliminary
    assert made.manifest["sources"][0]["lines"] == {"post": 3}
    assert judgment_sources.uses(source) == ["1 release"]
    with pytest.raises(Refused, match="used by 1 release"):
        judgment_sources.delete(source)


def test_of_several_sources_the_first_with_a_grade_counts(lab: Lab, tmp_path: Path) -> None:
    table = "topic,document,grade\nA.1,99,Do not know\nA.1,31,3\n"
    make_source(lab.campaign, tmp_path, table, "first")
    make_source(lab.campaign, tmp_path, qrels_of({"99": 1, "31": 0}), "second")
    assert lines(release(lab.pool, "first", "second")) == OFFICIAL | {"A.1 99": 1, "A.1 31": 3}
    assert lines_from(release(lab.pool, "first", "second", outcomes_as_zero=("do_not_know",))) == {
        "first": {"post": 1},
        "second": {"post": 1},
    }


def test_an_unknown_source_and_sums_are_refused(lab: Lab) -> None:
    with pytest.raises(Refused, match="no judgments of nobody"):
        release(lab.pool, "nobody")
    with pytest.raises(ValueError, match="sums are of two assessors"):
        ReleaseOptions.from_dict({"judges": "two_assessors", "sources": ["x"]})


def test_a_release_with_a_source_verifies_until_the_source_is_tampered_with(lab: Lab, tmp_path: Path) -> None:
    make_source(lab.campaign, tmp_path, qrels_of({"99": 3}))
    made = release(lab.pool, "other")
    done = verify(made)
    assert (done.is_intact, done.later, done.effect) == (True, [], [])
    SourceLine.objects.update(grade=1)
    done = verify(made)
    assert "The judgments made elsewhere that it counts are not the same any more." in done.problems
    assert [(change.unit_id, change.before, change.after) for change in done.lines] == [("99", 3, 1)]


def test_verifying_checks_the_number_of_lines_if_the_manifest_has_it(lab: Lab, tmp_path: Path) -> None:
    make_source(lab.campaign, tmp_path, qrels_of({"99": 3}))
    made = release(lab.pool, "other")
    [about] = made.manifest["sources"]
    about["lines"] = {"post": 2}
    assert verify(made).problems == ["The number of lines with a judgment of other is not the same any more."]
    del about["lines"]  # as releases had it at first
    assert verify(made).is_intact


def test_formulas_of_a_source_count_under_the_visual_ids_of_the_release(tmp_path: Path) -> None:
    campaign = make_campaign("arqmath3-task2")
    import_index(campaign, tmp_path, ("110", "v1", "x"), ("120", "v1", "x"), ("210", "v2", "y"), ("310", "v3", "z"))
    cast = make_cast(campaign)
    source = make_source(campaign, tmp_path, qrels_of({"110": 1, "120": 3, "210": 0}, "B.1"))
    pool = source_pool.make(campaign, source, cast.olga, on_progress)
    made = release(pool, "other")
    assert lines(made, "visual") == {"B.1 v1": 3, "B.1 v2": 0}
    assert lines(made, "instance") == {"B.1 110": 1, "B.1 120": 3, "B.1 210": 0}
    beyond = make_source(campaign, tmp_path, qrels_of({"310": 2, "110": 3, "999": 3}, "B.2"), "beyond")
    made = release(pool, "beyond", "other")
    assert lines(made, "visual") == {"B.1 v1": 3, "B.1 v2": 0, "B.2 v1": 3, "B.2 v3": 2}  # 999 has no visual id
    assert lines_from(made) == {"beyond": {"visual": 2, "instance": 2}, "other": {"visual": 2, "instance": 3}}
    assert verify(made).is_intact
    assert beyond.counts["items"] == 3


def test_grades_of_visual_ids_are_released_by_visual_id_only(tmp_path: Path) -> None:
    campaign = make_campaign("arqmath3-task2")
    cast = make_cast(campaign)
    source = make_source(campaign, tmp_path, qrels_of({"v1": 3, "v2": 0}, "B.1"), items="unit")
    made = release(source_pool.make(campaign, source, cast.olga, on_progress), "other")
    assert (lines(made, "visual"), lines(made, "instance")) == ({"B.1 v1": 3, "B.1 v2": 0}, {})
    assert lines_from(made) == {"other": {"visual": 2, "instance": 0}}
    assert (made.main_round["judged"], made.main_round["documents"]) == (2, 2)


def test_topic_set_and_statistics_count_the_source_until_somebody_judges(tmp_path: Path) -> None:
    campaign = make_campaign()
    cast = make_cast(campaign)
    text = qrels_of({"11": 3, "12": 2, "21": 0}) + qrels_of({"11": 3, "12": 0}, "A.2")
    source = make_source(campaign, tmp_path, text, "published", "human")
    pool = source_pool.make(campaign, source, cast.olga, on_progress)

    def kinds() -> list[tuple[str, int, int]]:
        rows = topic_set.topic_set(campaign, pool)
        return [(row.kind, row.counts.documents, row.counts.hm_documents) for row in rows]

    assert kinds() == [("test", 3, 2), ("removed", 2, 1)]
    assert qrels.left_out(pool, 2) == ["A.2"]
    shown = statistics.statistics(campaign, pool)
    assert shown
    assert [(row.topics, row.high, row.medium, row.not_relevant) for row in shown.categories] == [(1, 1, 1, 1)]
    judge(make_assignment(pool, cast.ada), {"11": "0"})
    assert kinds() == [("removed", 1, 0), ("", 0, 0)]


def test_once_somebody_is_assigned_only_official_judgments_are_progress(tmp_path: Path) -> None:
    campaign = make_campaign()
    cast = make_cast(campaign)
    pool = source_pool.make(campaign, make_source(campaign, tmp_path, qrels_of({"11": 3})), cast.olga, on_progress)
    assert release(pool, "other").main_round["judged"] == 1
    make_assignment(pool, cast.ada)
    assert release(pool, "other").main_round["judged"] == 0


def test_a_campaign_of_published_files_needs_nobody(tmp_path: Path) -> None:
    campaign = make_campaign()
    campaign.collection = None
    campaign.save()
    cast = make_cast(campaign)
    source = make_source(campaign, tmp_path, qrels_of({"11": 3, "12": 2}), "published", "human")
    pool = source_pool.make(campaign, source, cast.olga, on_progress)
    waiting = [step.key for step in pipeline.steps(campaign) if step.is_needed and not step.is_done]
    assert waiting == ["runs", "releases", "results"]
    release(pool, "published")
    steps = {step.key: step for step in pipeline.steps(campaign)}
    assert steps["releases"].is_done
    assert steps["progress"].text == "those of published"
