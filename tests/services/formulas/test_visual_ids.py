"""Versions of visual ids: from the index, computed and repaired. Judgments stay with their formulas."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoCaptureOnCommitCallbacks

from assess.ir.formulas.repair import JOINED, KEPT, NEW
from assess.ir.releases.release_options import ReleaseOptions
from assess.models import Campaign, Collection, Job, JobKind, Ranking, Run, VisualMap
from assess.services import job_kinds
from assess.services.common.errors import Refused
from assess.services.formulas import repairs, visual_ids
from assess.services.jobs import job_queue
from assess.services.pool import freezing, pools
from assess.services.releases import qrels, verification
from assess.services.runs import runs, updates
from assess.services.scores import evaluation
from tests.cast import import_index, make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.lab import judge

pytestmark = pytest.mark.django_db

MIXED = (  # the formulas of v1 look in two ways; one of them is also that of 7
    ("110", "v1", "x+1"),
    ("120", "v1", "{x}+1"),
    ("210", "v1", "y"),
    ("220", "7", "y"),
    ("310", "8", "z"),
)
RUN = "B.1\t110\t11\t1\t9\talpha\nB.1\t210\t21\t2\t8\talpha\nB.1\t220\t22\t3\t7\talpha\nB.1\t999\t99\t4\t6\talpha\n"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("arqmath2-task2")


@pytest.fixture
def mixed(campaign: Campaign, tmp_path: Path) -> Campaign:
    """With the index ``MIXED``."""
    import_index(campaign, tmp_path, *MIXED)
    return campaign


def import_run(campaign: Campaign, folder: Path, text: str = RUN, pool_role: str = "") -> Run:
    (folder / "alpha.tsv").write_text(text)
    meta = runs.RunMeta("alpha.tsv", "Alpha", pool_role=pool_role)
    return runs.import_runs(campaign, [runs.RunUpload(folder / "alpha.tsv", meta)], on_progress)[0]


def units(campaign: Campaign, version: VisualMap | None = None) -> dict[str, str]:
    ids = ["110", "120", "210", "220", "310"]
    return visual_ids.unit_ids(campaign.collection, ids, version)


def collection_and_user(campaign: Campaign) -> tuple[Collection, User]:
    assert campaign.collection
    return campaign.collection, User.objects.get(username="olga")


def propose(campaign: Campaign) -> VisualMap:
    return repairs.propose_repair(*collection_and_user(campaign), on_progress)


def compute(campaign: Campaign) -> VisualMap:
    return visual_ids.compute_version(*collection_and_user(campaign), on_progress)


def run_units(campaign: Campaign) -> dict[str, str]:
    return dict(runs.load_ranking(campaign.runs.get()).select("doc_id", "unit_id").iter_rows())


def run_job(campaign: Campaign, kind: JobKind, **params: Any) -> Job:
    _, olga = collection_and_user(campaign)
    job = job_queue.claim(job_queue.submit(campaign, kind, olga, **params).pk)
    assert job
    job_queue.perform(job, kind.step)
    job.refresh_from_db()
    return job


def test_an_index_with_visual_ids_is_the_first_version_and_a_new_one_the_next(mixed: Campaign, tmp_path: Path) -> None:
    collection, olga = collection_and_user(mixed)
    version = visual_ids.current_version(collection)
    assert (version.number, version.kind, version.counts) == (1, "index", {"formulas": 5, "without": 0, "units": 3})
    assert visual_ids.record_index(collection, olga) == version
    assert units(mixed)["210"] == "v1"
    import_index(mixed, tmp_path, ("110", "5", "x"))
    assert units(mixed) == {"110": "5"}
    version = visual_ids.current_version(collection)
    assert (version.number, version.kind) == (2, "index")


def test_ids_are_computed_if_the_index_has_none(campaign: Campaign, tmp_path: Path) -> None:
    import_index(campaign, tmp_path, *((formula, "", tex) for formula, _, tex in reversed(MIXED)))
    import_run(campaign, tmp_path)
    assert set(run_units(campaign).values()) == {""}
    job = run_job(campaign, job_kinds.compute_visual_ids, collection=campaign.collection_id, scope="all")
    assert (job.state, job.result["version"], job.error) == ("done", 1, "")
    assert units(campaign) == {"110": "1", "120": "1", "210": "2", "220": "2", "310": "3"}
    assert run_units(campaign) == {"110": "1", "210": "2", "220": "2", "999": ""}
    assert job.result["counts"] == {"formulas": 5, "without": 0, "units": 3}


def test_submitted_formulas_get_ids_first_then_the_others_join_those_that_look_alike(
    campaign: Campaign, tmp_path: Path
) -> None:
    import_index(campaign, tmp_path, *((formula, "", tex) for formula, _, tex in MIXED))
    import_run(campaign, tmp_path, "B.1\t210\t21\t1\t9\talpha\n")
    params = {"collection": campaign.collection_id}
    run_job(campaign, job_kinds.compute_visual_ids, scope="submitted", **params)
    assert units(campaign) == {"210": "1"}
    compute(campaign)  # and the job was cancelled
    assert units(campaign) == {"210": "1"}
    assert repairs.draft_repair(campaign.collection) is None  # only repairs are drafts
    assert run_job(campaign, job_kinds.compute_visual_ids, scope="all", **params).result["version"] == 2
    assert units(campaign) == {"110": "2", "120": "2", "210": "1", "220": "1", "310": "3"}
    versions = visual_ids.versions(campaign.collection)
    assert [(version.number, version.base and version.base.number) for version in versions] == [(2, 1), (1, None)]
    assert units(campaign, versions.get(number=1)) == {"210": "1"}


def test_there_is_nothing_to_compute_or_repair_without_index_or_ids(campaign: Campaign, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="no formula index"):
        propose(campaign)
    import_index(campaign, tmp_path, ("110", "", "x"))
    with pytest.raises(Refused, match="Compute them first"):
        propose(campaign)
    import_index(campaign, tmp_path, *MIXED)
    with pytest.raises(Refused, match="already has a visual id"):
        compute(campaign)


def test_a_cancelled_job_keeps_its_keys(campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import_index(campaign, tmp_path, *((formula, "", tex) for formula, _, tex in MIXED))
    monkeypatch.setattr(visual_ids, "BATCH", 2)

    def cancel(done: int, total: int, message: str) -> None:
        if done == 3:
            raise job_queue.Cancelled

    with pytest.raises(job_queue.Cancelled):
        visual_ids.compute_version(*collection_and_user(campaign), cancel)
    reports: list[tuple[int, int]] = []
    visual_ids.compute_version(*collection_and_user(campaign), lambda done, total, _: reports.append((done, total)))
    assert [report for report in reports if report[1]] == [(0, 2), (1, 2), (2, 2)]  # the keys of two were stored
    assert not visual_ids.versions(campaign.collection).exclude(number=1).exists()


def test_a_repair_takes_effect_only_when_it_is_applied(mixed: Campaign, tmp_path: Path) -> None:
    import_run(mixed, tmp_path)
    draft = propose(mixed)
    assert draft.counts == {
        "formulas": 5, "without": 0, "units": 3, "clusters": 1, "moved": 1, "joined": 1, "new": 0,
    }  # fmt: skip
    assert units(mixed)["210"] == run_units(mixed)["210"] == "v1"
    assert repairs.draft_repair(mixed.collection) == draft
    assert run_job(mixed, job_kinds.repair_visual_ids, version=draft.pk).state == "done"
    assert units(mixed) == {"110": "v1", "120": "v1", "210": "7", "220": "7", "310": "8"}
    assert run_units(mixed) == {"110": "v1", "210": "7", "220": "7", "999": ""}
    assert repairs.draft_repair(mixed.collection) is None
    assert propose(mixed) is None  # nothing is mixed now


def test_a_new_repair_replaces_the_previous_one(
    mixed: Campaign, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    first = propose(mixed)
    assert visual_ids.version_folder(first, "map").exists()
    with django_capture_on_commit_callbacks(execute=True):
        visual_ids.drop_pending(mixed.collection)
    assert not visual_ids.version_folder(first, "map").exists()
    second = propose(mixed)
    assert repairs.moved_file(second) == f"formula_id\told_visual_id\tnew_visual_id\treason\n210\tv1\t7\t{JOINED}\n"
    assert propose(mixed) != second
    assert [version.kind for version in visual_ids.versions(mixed.collection)] == ["repair", "index"]


def test_visual_ids_and_runs_change_together_or_not_at_all(mixed: Campaign, tmp_path: Path) -> None:
    answers = make_campaign(name="Answers")
    answers.collection = mixed.collection
    answers.save()
    import_run(answers, tmp_path, "A.1\t11\t1\t9\talpha\n")
    answers.runs.update(coverage={"documents": 1, "known": 7, "questions": 0})  # unlike a new lookup
    import_run(mixed, tmp_path)
    draft = propose(mixed)
    rankings = Ranking.objects.filter(run__campaign=mixed)
    whole = bytes(rankings.get().packed)
    rankings.update(packed=b"damaged")
    assert run_job(mixed, job_kinds.repair_visual_ids, version=draft.pk).state == "failed"
    assert (units(mixed)["210"], repairs.draft_repair(mixed.collection)) == ("v1", draft)
    rankings.update(packed=whole)
    assert run_job(mixed, job_kinds.repair_visual_ids, version=draft.pk).state == "done"
    assert (units(mixed)["210"], run_units(mixed)["210"]) == ("7", "7")
    assert answers.runs.get().coverage["known"] == 7
    draft.refresh_from_db()
    with pytest.raises(Refused, match="have changed since"):
        visual_ids.apply_version(draft)


def test_grades_decide_which_of_equally_large_parts_keeps_the_id(campaign: Campaign, tmp_path: Path) -> None:
    rows = [("110", "v1", "x"), ("120", "v1", "y"), ("210", "v1", "x"), ("220", "v1", "y"), ("320", "v1", "w")]
    import_index(campaign, tmp_path, *rows)
    cast = make_cast(campaign)
    pool = make_pool(campaign)
    judge(make_assignment(pool, cast.ada), {"110": "1", "120": "0", "210": "1", "220": "3"})
    judge(make_assignment(pool, cast.emmy, kind="dual"), {"110": "3", "120": "0", "210": "3"})  # does not count
    draft = propose(campaign)
    rows_of_parts = repairs.read_partitions(draft).to_dicts()
    assert [(row["lowest"], row["relevance"], row["new_id"], row["reason"], row["latex"]) for row in rows_of_parts] == [
        ("120", 3, "v1", KEPT, "y"),
        ("110", 2, "1", NEW, "x"),
        ("320", 0, "2", NEW, "w"),
    ]


def test_judgments_follow_their_formula_into_the_next_release(mixed: Campaign, tmp_path: Path) -> None:
    """A repair moves 210 from v1 to 7; the third release has the ids of before."""
    judged = make_pool(mixed)
    judge(make_assignment(judged, make_cast(mixed).ada), {"110": "1", "120": "0", "210": "3", "220": "2"})
    import_run(mixed, tmp_path, RUN.replace("\t9\t", "\t1\t"), pool_role="none")  # 210 is ahead of 110
    _, olga = collection_and_user(mixed)
    before = qrels.release(judged, olga, on_progress)
    means = evaluation.evaluate(before, "qrels", on_progress).means
    updates.apply_visual_ids(propose(mixed), on_progress)
    after, again = (qrels.release(judged, olga, on_progress, ReleaseOptions(visual_ids=chosen)) for chosen in (None, 1))
    assert before.lines_of("visual") == again.lines_of("visual") == [("B.1", "7", 2), ("B.1", "v1", 3)]
    assert after.lines_of("visual") == [("B.1", "7", 3), ("B.1", "v1", 1)]
    assert after.lines_of("instance") == before.lines_of("instance")
    assert qrels.topics_left_out(judged, 2) == ["B.1"]  # 210 and 220, one unit now
    assert [release.visual_map.number for release in (before, after, again)] == [1, 2, 1]
    assert {entry.unit_id for entry in judged.entries.all()} == {"v1", "v2"}  # a frozen pool stays as it is
    with pytest.raises(Refused, match="no version 9"):
        qrels.release(judged, olga, on_progress, ReleaseOptions(visual_ids=9))
    assert evaluation.evaluate(before, "qrels", on_progress).means == means
    assert [release.units for release in (before, after)] == [{"220": "7"}, {"210": "7", "220": "7"}]
    assert [verification.verify(release).problems for release in (before, after, again)] == [[], [], []]
    before.units = {}
    assert any("visual ids" in problem for problem in verification.verify(before).problems)


def test_a_pool_of_another_index_is_out_of_date(campaign: Campaign, tmp_path: Path) -> None:
    import_index(campaign, tmp_path, *MIXED)
    first = visual_ids.current_version(campaign.collection)
    import_run(campaign, tmp_path)
    pool = pools.build(campaign, on_progress)
    assert (pool.visual_map, freezing.reason_to_rebuild(pool)) == (first, "")
    import_index(campaign, tmp_path, *((formula, f"w{visual}", tex) for formula, visual, tex in MIXED))
    second = visual_ids.current_version(campaign.collection)
    assert (first.kind, second.kind) == ("index", "index")
    assert visual_ids.is_current(campaign.collection, second)
    pool = type(pool).objects.get(pk=pool.pk)
    with pytest.raises(Refused, match="visual ids have changed since"):
        freezing.freeze(pool, on_progress)
    import_index(campaign, tmp_path, *((formula, "", tex) for formula, _, tex in MIXED))  # no ids at all
    assert not visual_ids.is_current(campaign.collection, second)
