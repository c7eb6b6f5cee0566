"""Extending a frozen pool makes a new version. Judgments are kept, and nothing is judged twice."""

from pathlib import Path

import pytest

from assess.models import Assignment, Campaign, Instance, Judgment, JudgmentEvent, Pool, Run, Topic
from assess.services.common.errors import Refused
from assess.services.desk import decisions
from assess.services.formulas import repairs, visual_ids
from assess.services.pool import extension, freezing, pools
from assess.services.pool.extension import Extension
from assess.services.releases import qrels
from assess.services.rounds import assignments
from assess.services.runs import runs, updates
from assess.services.scores import evaluation
from tests.cast import Cast, import_index, make_campaign, make_cast, on_progress
from tests.lab import add_run, judge

pytestmark = pytest.mark.django_db

ALPHA = "A.1\t11\t1\t9\talpha\nA.1\t12\t2\t8\talpha\nA.1\t21\t3\t7\talpha\nA.3\t31\t1\t1\talpha\n"
Lab = tuple[Cast, Pool, Assignment, Run]
LATE = "A.1\t22\t1\t9\tlate\nA.1\t11\t2\t8\tlate\nA.2\t31\t1\t9\tlate\n"


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """A frozen pool with alpha at depth 1 (A.1: 11), which ada judged; and a late run."""
    campaign = make_campaign(primary_depth=1, alternate_depth=1)
    cast = make_cast(campaign)
    add_run(campaign, tmp_path, ALPHA)
    pool = freezing.freeze(pools.build(campaign, on_progress), on_progress)
    assignment = assignments.assign_topic(pool, campaign.topics.get(topic_id="A.1"), cast.ada, "main")
    judge(assignment, {"11": "3"})
    late = add_run(campaign, tmp_path, LATE, pool_role="none")
    return cast, pool, assignment, late


def units(pool: Pool) -> list[tuple[str, str, int]]:
    return sorted(pool.entries.values_list("topic__topic_id", "unit_id", "version"))


def test_a_late_run_brings_in_its_prefix_as_a_new_version(lab: Lab) -> None:
    cast, pool, assignment, late = lab
    lines = extension.new_lines(pool, Extension({late.pk: "primary"}, {"primary_depth": 3}), on_progress)
    assert sorted(line[:2] for line in lines) == [("A.1", "12"), ("A.1", "21"), ("A.1", "22"), ("A.2", "31")]
    assert units(pool) == [("A.1", "11", 1)]
    extension.extend(pool, Extension({late.pk: "primary"}, {}, "late"), cast.olga, on_progress)
    pool.refresh_from_db()
    assert units(pool) == [("A.1", "11", 1), ("A.1", "22", 2), ("A.2", "31", 2)]
    assert (pool.version, pool.reason, pool.extended_by) == (2, "late", cast.olga)
    assert [(run["name"], run["role"]) for run in pool.runs] == [("alpha", "primary"), ("late", "primary")]
    assert [(old["version"], old["entries"], old["runs"]) for old in pool.history] == [(1, 1, 1)]
    assert Run.objects.get(pk=late.pk).pool_role == "primary"
    new = Instance.objects.get(entry__pool=pool, doc_id="22")
    assert len(new.content_hash) == 64  # sealed like the others
    stale = decisions.Decision(new.pk, "another text", "3", "", 0)
    with pytest.raises(Refused, match="another text"):
        decisions.save_decisions(assignment.pk, assignment.assessor, [stale])


def test_judgments_and_their_history_are_kept_and_new_entries_follow_the_old(lab: Lab) -> None:
    cast, pool, assignment, late = lab
    judgments, events = list(Judgment.objects.values()), list(JudgmentEvent.objects.values())
    before = assignment.order
    extension.extend(pool, Extension({late.pk: "primary"}, {"primary_depth": 3}), cast.olga, on_progress)
    assert (list(Judgment.objects.values()), list(JudgmentEvent.objects.values())) == (judgments, events)
    assignment.refresh_from_db()
    assert assignment.order[: len(before)] == before
    new = pool.entries.filter(topic=assignment.topic, version=2)
    assert set(assignment.order[len(before) :]) == set(new.values_list("pk", flat=True))
    assert new.count() == 3  # 12 and 21 of alpha, 22 of the late run
    assert len(assignments.assign_topic(pool, assignment.topic, cast.emmy, "dual").order) == 4
    judge(assignment, {"12": "0", "21": "1", "22": "2"})
    assert Judgment.objects.count() == 4
    release = qrels.release(pool, cast.olga, on_progress)
    assert sorted(release.lines.values_list("unit_id", "grade")) == [("11", 3), ("12", 0), ("21", 1), ("22", 2)]


def test_more_depth_and_later_topics_add_entries_and_keep_the_votes_of_the_old_ones(lab: Lab) -> None:
    cast, pool, _, _ = lab
    before = list(Instance.objects.filter(entry__pool=pool).values("doc_id", "votes", "runs"))
    topic = Topic.objects.create(campaign=pool.campaign, topic_id="A.3", number=3, title="T", body="<p>B</p>")
    extension.extend(pool, Extension({}, {"primary_depth": 2}), cast.olga, on_progress)
    assert units(pool) == [("A.1", "11", 1), ("A.1", "12", 2), ("A.3", "31", 2)]
    old = Instance.objects.filter(entry__pool=pool, version=1)
    assert list(old.values("doc_id", "votes", "runs")) == before
    assert pool.campaign.rules.primary_depth == pool.rules.primary_depth == 2
    assert len(assignments.assign_topic(pool, topic, cast.emmy, "main").order) == 1


def formula_lab(folder: Path, preset: str, rows: list[tuple[str, str, str]], **depths: int) -> tuple[Campaign, Cast]:
    """A campaign with one topic and an index of formulas, all of which a run retrieves in order."""
    campaign = make_campaign(preset, "", topics=1, **depths)
    import_index(campaign, folder, *rows)
    add_run(campaign, folder, "".join(f"B.1\t{row[0]}\t1\t{rank}\t{-rank}\tone\n" for rank, row in enumerate(rows)))
    return campaign, make_cast(campaign)


def instances_of(pool: Pool) -> list[tuple[str, str, int]]:
    rows = Instance.objects.filter(entry__pool=pool).order_by("doc_id")
    return list(rows.values_list("entry__unit_id", "doc_id", "version"))


def test_a_formula_of_the_pool_keeps_its_instances(tmp_path: Path) -> None:
    campaign, cast = formula_lab(tmp_path, "arqmath3-task2", [("110", "v1", "x+1")], primary_depth=1)
    import_index(campaign, tmp_path, ("110", "v1", "x+1"), ("120", "v1", "x+1"), ("210", "v2", "y"))
    pool = freezing.freeze(pools.build(campaign, on_progress), on_progress)
    late = add_run(campaign, tmp_path, "B.1\t120\t12\t1\t9\tlate\nB.1\t210\t21\t2\t8\tlate\n", pool_role="none")
    extension.extend(pool, Extension({late.pk: "primary"}, {"primary_depth": 2}), cast.olga, on_progress)
    assert instances_of(pool) == [("v1", "110", 1), ("v2", "210", 2)]


def test_after_a_repair_of_the_index_a_pool_is_extended_with_its_own_visual_ids(tmp_path: Path) -> None:
    rows = [("110", "v1", "x+1"), ("120", "v1", "y"), ("210", "v1", "x+1"), ("220", "v2", "z")]
    campaign, cast = formula_lab(tmp_path, "arqmath3-task2", rows, primary_depth=1)
    pool = freezing.freeze(pools.build(campaign, on_progress), on_progress)
    repair = repairs.propose_repair(campaign.collection, cast.olga, on_progress)
    visual_ids.apply_version(repair)
    updates.store_updates(updates.prepare_updates(campaign, on_progress))
    assert set(runs.load_ranking(campaign.runs.get())["unit_id"]) > {"v1", "v2"}  # y has its own id now
    extension.extend(pool, Extension({}, {"primary_depth": 2}), cast.olga, on_progress)
    assert instances_of(pool) == [("v1", "110", 1), ("v2", "220", 2)]


def test_if_each_instance_is_judged_qrels_and_scores_are_of_instances(tmp_path: Path) -> None:
    campaign, cast = formula_lab(tmp_path, "ntcir12-formula", [("110", "v1", "x"), ("120", "v1", "x")])
    pool = freezing.freeze(pools.build(campaign, on_progress), on_progress)
    assert sorted(pool.entries.values_list("unit_id", flat=True)) == ["110", "120"]
    for assessor in (cast.ada, cast.kurt):
        judge(assignments.assign_topic(pool, campaign.topics.get(), assessor, "main"), {"110": "2", "120": "1"})
    release = qrels.release(pool, cast.olga, on_progress)  # the sum of two, as the protocol says
    assert sorted(release.lines.filter(unit="visual").values_list("unit_id", "grade")) == [("110", 4), ("120", 2)]
    scored = evaluation.evaluate(release, "qrels", on_progress)
    assert scored.scores.get(measure="nDCG'").value == 1.0


def test_an_extension_that_adds_nothing_or_shrinks_the_pool_or_of_an_open_pool_is_refused(lab: Lab) -> None:
    cast, pool, _, late = lab
    alpha = Run.objects.get(name="alpha")
    pool.left_out = [["A.1", "12", "12"]]  # the second of alpha
    for change, reason in (
        (Extension({}, {"primary_depth": 2}), "adds nothing"),
        (Extension({}, {"primary_depth": 0}), "can only grow"),
        (Extension({alpha.pk: "primary"}, {}), "already in the pool"),
    ):
        with pytest.raises(Refused, match=reason):
            extension.extend(pool, change, cast.olga, on_progress)
    pool.frozen = None
    with pytest.raises(Refused, match="not frozen"):
        extension.extend(pool, Extension({late.pk: "primary"}, {}), cast.olga, on_progress)
    assert units(pool) == [("A.1", "11", 1)]
