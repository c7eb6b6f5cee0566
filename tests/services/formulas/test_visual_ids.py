"""Visual ids come version by version; whatever was judged stays with its formula."""

import pytest

from assess.ir.formulas.repair import JOINED, KEPT_LARGEST, KEPT_RELEVANT, NEW
from assess.models import Job, Ranking, VisualMap
from assess.services import steps
from assess.services.collection.preparing import SourceFile
from assess.services.common.errors import Refused
from assess.services.formulas import keys, lookup, visual_ids
from assess.services.jobs import job_queue
from assess.services.pool import pools, staleness
from assess.services.results import evaluation, qrels
from assess.services.runs import runs
from tests.cast import import_files, make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.formulas import import_index
from tests.lab import judge

pytestmark = pytest.mark.django_db

MIXED = (  # v1 holds two pictures, 7 has one of them too
    ("110", "v1", "x+1"),
    ("120", "v1", "{x}+1"),
    ("210", "v1", "y"),
    ("220", "7", "y"),
    ("310", "8", "z"),
)
RUN = "B.1\t110\t11\t1\t9\talpha\nB.1\t210\t21\t2\t8\talpha\nB.1\t220\t22\t3\t7\talpha\nB.1\t999\t99\t4\t6\talpha\n"


@pytest.fixture
def campaign():
    return make_campaign("arqmath2-task2")


def import_run(campaign, folder, text=RUN):
    (folder / "alpha.tsv").write_text(text)
    meta = runs.RunMeta("alpha.tsv", "Alpha")
    return runs.import_runs(campaign, [runs.RunUpload(folder / "alpha.tsv", meta)], on_progress)[0]


def units(campaign, version=None):
    ids = ["110", "120", "210", "220", "310"]
    return visual_ids.unit_ids(campaign.collection, ids, version)


def ready(campaign):
    return campaign.collection, campaign.members.first().user


def run_of(campaign):
    return dict(runs.load(campaign.runs.get()).select("doc_id", "unit_id").iter_rows())


def do(campaign, kind, **params):
    """Submit a job and do it."""
    _, olga = ready(campaign)
    job = job_queue.claim(job_queue.submit(campaign, kind, olga, **params).pk)
    job_queue.perform(job, steps.STEPS[kind])
    job.refresh_from_db()
    return job


def test_an_index_with_visual_ids_is_the_first_version(campaign, tmp_path):
    import_index(campaign, tmp_path, *MIXED)
    collection, olga = ready(campaign)
    version = visual_ids.current(collection)
    assert (version.number, version.kind, version.counts) == (1, "index", {"formulas": 5, "without": 0, "units": 3})
    assert visual_ids.record_index(collection, olga) == version
    assert units(campaign)["210"] == "v1"


def test_spurious_formulas_count_for_nothing(campaign, tmp_path):
    posts = tmp_path / "Posts.xml"
    body = '&lt;span class="math-container" id="110"&gt;x+1&lt;/span&gt;'.replace('"', "&quot;")
    posts.write_text(f'<posts><row Id="11" PostTypeId="2" ParentId="10" Body="{body}"/></posts>')
    import_files(campaign.collection, [SourceFile("posts", posts.name, posts)], on_progress)
    import_index(campaign, tmp_path, ("110", "v1", "x+1"), ("210", "v2", "y"))  # 210 stands in no post
    version = visual_ids.current(campaign.collection)
    assert version.counts == {"formulas": 1, "without": 0, "units": 1}


def test_ids_are_computed_where_the_index_has_none(campaign, tmp_path):
    import_index(campaign, tmp_path, *((formula, "", tex) for formula, _, tex in reversed(MIXED)))
    import_run(campaign, tmp_path)
    assert set(run_of(campaign).values()) == {""}
    job = do(campaign, Job.Kind.VISUAL_IDS, collection=campaign.collection_id, scope="all", with_latexml=False)
    assert (job.state, job.result["version"], job.error) == ("done", 1, "")
    assert units(campaign) == {"110": "1", "120": "1", "210": "2", "220": "2", "310": "3"}
    assert run_of(campaign) == {"110": "1", "210": "2", "220": "2", "999": ""}
    assert job.result["counts"] == {"formulas": 5, "without": 0, "units": 3}


def test_only_submitted_formulas_get_ids_on_request_and_keep_them_when_more_come(campaign, tmp_path):
    import_index(campaign, tmp_path, *((formula, "", tex) for formula, _, tex in MIXED))
    import_run(campaign, tmp_path, "B.1\t210\t21\t1\t9\talpha\n")
    params = {"collection": campaign.collection_id, "with_latexml": False}
    do(campaign, Job.Kind.VISUAL_IDS, scope="submitted", **params)
    assert units(campaign) == {"210": "1"}
    assert do(campaign, Job.Kind.VISUAL_IDS, scope="all", **params).result["version"] == 2
    assert units(campaign) == {"110": "2", "120": "2", "210": "1", "220": "1", "310": "3"}
    assert units(campaign, visual_ids.versions(campaign.collection).get(number=1)) == {"210": "1"}


def test_formulas_that_an_index_left_out_join_their_likes(campaign, tmp_path):
    import_index(campaign, tmp_path, ("110", "40", "x"), ("120", "", "{x}"), ("210", "", "y"))
    collection, olga = ready(campaign)
    version = visual_ids.compute(collection, olga, on_progress)
    runs.apply_visual_ids(version, on_progress)
    assert (version.number, version.base.kind) == (2, "index")
    assert units(campaign) == {"110": "40", "120": "40", "210": "41"}


def test_nothing_is_computed_where_every_formula_has_an_id(campaign, tmp_path):
    import_index(campaign, tmp_path, *MIXED)
    with pytest.raises(Refused, match="has a visual id already"):
        visual_ids.compute(*ready(campaign), on_progress)


def test_without_an_index_or_without_ids_there_is_nothing_to_repair(campaign, tmp_path):
    with pytest.raises(Refused, match="no formula index"):
        visual_ids.look_for_mixed(*ready(campaign), on_progress)
    import_index(campaign, tmp_path, ("110", "", "x"))
    with pytest.raises(Refused, match="Compute them first"):
        visual_ids.look_for_mixed(*ready(campaign), on_progress)


@pytest.mark.parametrize("is_in_force", [False, True])
def test_a_job_that_was_cut_short_after_its_version_was_stored_ends_with_that_one(campaign, tmp_path, is_in_force):
    import_index(campaign, tmp_path, ("110", "", "x+1"))
    import_run(campaign, tmp_path, "B.1\t110\t11\t1\t9\talpha\n")
    collection, olga = ready(campaign)
    job = job_queue.submit(
        campaign, Job.Kind.VISUAL_IDS, olga, collection=collection.pk, scope="all", with_latexml=False
    )
    version = visual_ids.compute(collection, olga, on_progress)
    if is_in_force:
        runs.apply_visual_ids(version, on_progress)
    assert steps.compute_visual_ids(job, on_progress)["version"] == 1  # the worker was killed before
    assert run_of(campaign) == {"110": "1"}


def test_computed_ids_that_were_never_in_force_give_way(campaign, tmp_path):
    import_index(campaign, tmp_path, ("110", "", "x"))
    visual_ids.compute(*ready(campaign), on_progress)  # and then the job was cancelled
    assert units(campaign) == {}
    assert visual_ids.draft(campaign.collection) is None  # a repair would be
    visual_ids.compute(*ready(campaign), on_progress)
    assert visual_ids.versions(campaign.collection).count() == 1


def test_keys_that_a_cancelled_job_computed_are_kept(campaign, tmp_path, monkeypatch):
    import_index(campaign, tmp_path, *((formula, "", tex) for formula, _, tex in MIXED))
    monkeypatch.setattr(keys, "BATCH", 2)

    def cancel(done, total, message):
        if done == 3:
            raise job_queue.Cancelled

    with pytest.raises(job_queue.Cancelled):
        visual_ids.compute(*ready(campaign), cancel)
    heard = []
    visual_ids.compute(*ready(campaign), lambda done, total, message: heard.append((done, total)))
    assert [one for one in heard if one[1]] == [(0, 2), (1, 2), (2, 2)]  # two of four different formulas were there
    assert not visual_ids.versions(campaign.collection).exclude(number=1).exists()


def test_a_look_for_mixed_ids_says_what_it_is_doing_also_where_all_keys_are_known(campaign, tmp_path):
    import_index(campaign, tmp_path, *MIXED)

    def heard():
        messages = []
        visual_ids.look_for_mixed(*ready(campaign), lambda done, total, message: messages.append(message))
        return list(dict.fromkeys(messages))

    said = ["reading the formula index", "drawing layout trees", "comparing the formulas of each visual id"]
    assert heard() == heard() == said


def test_a_repair_is_looked_at_before_it_counts(campaign, tmp_path):
    import_index(campaign, tmp_path, *MIXED)
    import_run(campaign, tmp_path)
    draft = visual_ids.look_for_mixed(*ready(campaign), on_progress)
    assert draft.counts == {
        "formulas": 5, "without": 0, "units": 3, "clusters": 1, "moved": 1, "joined": 1, "new": 0,
    }  # fmt: skip
    assert units(campaign)["210"] == run_of(campaign)["210"] == "v1"
    assert visual_ids.draft(campaign.collection) == draft
    assert do(campaign, Job.Kind.REPAIR, version=draft.pk).state == "done"
    assert units(campaign) == {"110": "v1", "120": "v1", "210": "7", "220": "7", "310": "8"}
    assert run_of(campaign) == {"110": "v1", "210": "7", "220": "7", "999": ""}
    assert visual_ids.draft(campaign.collection) is None
    assert visual_ids.look_for_mixed(*ready(campaign), on_progress) is None  # nothing is mixed any more


def test_a_repair_tells_of_every_formula_why_it_moved(campaign, tmp_path):
    import_index(campaign, tmp_path, *MIXED, ("320", "v1", "w"))
    draft = visual_ids.look_for_mixed(*ready(campaign), on_progress)
    assert lookup.moved_file(draft) == (
        f"formula_id\told_visual_id\tnew_visual_id\treason\n210\tv1\t7\t{JOINED}\n320\tv1\t9\t{NEW}\n"
    )
    found = lookup.partitions(draft)
    assert [(row["lowest"], row["new_id"], row["reason"], row["latex"]) for row in found] == [
        ("110", "v1", KEPT_LARGEST, "x+1"),
        ("210", "7", JOINED, "y"),
        ("320", "9", NEW, "w"),
    ]


def test_another_look_replaces_the_one_before_and_a_discarded_one_leaves_nothing(
    campaign, tmp_path, django_capture_on_commit_callbacks
):
    import_index(campaign, tmp_path, *MIXED)
    first = visual_ids.look_for_mixed(*ready(campaign), on_progress)
    second = visual_ids.look_for_mixed(*ready(campaign), on_progress)
    assert not VisualMap.objects.filter(pk=first.pk).exists()
    with django_capture_on_commit_callbacks(execute=True):
        visual_ids.discard(campaign, second)
    assert [version.kind for version in visual_ids.versions(campaign.collection)] == ["index"]
    assert not visual_ids.folder(second, "map").exists()


def test_visual_ids_and_runs_change_together_or_not_at_all(campaign, tmp_path):
    import_index(campaign, tmp_path, *MIXED)
    import_run(campaign, tmp_path)
    draft = visual_ids.look_for_mixed(*ready(campaign), on_progress)
    ranking = Ranking.objects.get()
    whole = bytes(ranking.packed)
    Ranking.objects.update(packed=b"damaged")
    assert do(campaign, Job.Kind.REPAIR, version=draft.pk).state == "failed"
    assert (units(campaign)["210"], visual_ids.draft(campaign.collection)) == ("v1", draft)
    Ranking.objects.update(packed=whole)
    assert do(campaign, Job.Kind.REPAIR, version=draft.pk).state == "done"
    assert (units(campaign)["210"], run_of(campaign)["210"]) == ("7", "7")


def test_visual_ids_leave_the_runs_of_answers_alone(campaign, tmp_path):
    import_index(campaign, tmp_path, *MIXED)
    answers = make_campaign(name="Answers")
    answers.collection = campaign.collection
    answers.save()
    import_run(answers, tmp_path, "A.1\t11\t1\t9\talpha\n")
    answers.runs.update(coverage={"documents": 1, "known": 7, "questions": 0})  # anything else would be looked up
    runs.apply_visual_ids(visual_ids.look_for_mixed(*ready(campaign), on_progress), on_progress)
    assert answers.runs.get().coverage["known"] == 7


def test_a_repair_is_not_thrown_away_while_another_campaign_on_the_collection_applies_it(campaign, tmp_path):
    import_index(campaign, tmp_path, *MIXED)
    draft = visual_ids.look_for_mixed(*ready(campaign), on_progress)
    sibling = make_campaign("arqmath3-task2")
    sibling.collection = campaign.collection
    sibling.save()
    job = job_queue.submit(sibling, Job.Kind.REPAIR, draft.created_by, version=draft.pk)
    with pytest.raises(Refused, match="has not ended"):
        visual_ids.discard(campaign, draft)
    job_queue.cancel(job)
    visual_ids.discard(campaign, draft)
    assert visual_ids.draft(campaign.collection) is None


def test_a_repair_of_ids_that_have_changed_since_is_refused(campaign, tmp_path):
    import_index(campaign, tmp_path, *MIXED)
    draft = visual_ids.look_for_mixed(*ready(campaign), on_progress)
    VisualMap.objects.filter(pk=draft.pk).update(base=None)
    draft.refresh_from_db()
    with pytest.raises(Refused, match="have changed since"):
        visual_ids.apply(draft)


def test_a_new_index_starts_anew(campaign, tmp_path):
    import_index(campaign, tmp_path, ("110", "", "x"))
    visual_ids.compute(*ready(campaign), on_progress)
    import_index(campaign, tmp_path, ("110", "5", "x"))
    assert units(campaign) == {"110": "5"}
    version = visual_ids.current(campaign.collection)
    assert (version.number, version.kind) == (2, "index")


def test_grades_decide_which_of_equal_parts_keeps_the_id(campaign, tmp_path):
    import_index(campaign, tmp_path, ("110", "v1", "x"), ("120", "v1", "y"), ("210", "v1", "x"), ("220", "v1", "y"))
    cast = make_cast(campaign)
    pool = make_pool(campaign)
    judge(make_assignment(pool, cast.ada), {"110": "1", "120": "0", "210": "1", "220": "3"})
    judge(make_assignment(pool, cast.emmy, kind="dual"), {"110": "3", "120": "0", "210": "3"})  # does not count
    draft = visual_ids.look_for_mixed(*ready(campaign), on_progress)
    kept = lookup.partitions(draft)[0]
    assert (kept["lowest"], kept["relevance"], kept["reason"]) == ("120", 3, KEPT_RELEVANT)


def test_judgments_follow_their_formula_into_the_next_release(campaign, tmp_path):
    import_index(campaign, tmp_path, *MIXED)
    import_run(campaign, tmp_path)
    cast = make_cast(campaign)
    pool = make_pool(campaign)  # v1: 110, 120, 210; v2: 220
    judge(make_assignment(pool, cast.ada), {"110": "1", "120": "0", "210": "3", "220": "2"})
    olga = cast.olga
    before = qrels.release(pool, olga, "host:1", on_progress)
    runs.apply_visual_ids(visual_ids.look_for_mixed(campaign.collection, olga, on_progress), on_progress)
    after = qrels.release(pool, olga, "host:1", on_progress)
    again = qrels.release(pool, olga, "host:1", on_progress, visual_map=1)
    assert qrels.lines(before, "visual") == [("B.1", "7", 2), ("B.1", "v1", 3)]
    assert qrels.lines(after, "visual") == [("B.1", "7", 3), ("B.1", "v1", 1)]
    assert qrels.lines(again, "visual") == qrels.lines(before, "visual")
    assert qrels.lines(after, "instance") == qrels.lines(before, "instance")
    assert [one.visual_map.number for one in (before, after, again)] == [1, 2, 1]
    assert {entry.unit_id for entry in pool.entries.all()} == {"v1", "v2"}  # a frozen pool stays as it is
    with pytest.raises(Refused, match="no version 9"):
        qrels.release(pool, olga, "host:1", on_progress, visual_map=9)


def test_runs_are_scored_under_the_visual_ids_of_the_release(campaign, tmp_path):
    import_index(campaign, tmp_path, *MIXED)
    import_run(campaign, tmp_path)
    cast = make_cast(campaign)
    pool = make_pool(campaign)
    judge(make_assignment(pool, cast.ada), {"110": "1", "120": "0", "210": "3", "220": "2"})
    before = qrels.release(pool, cast.olga, "host:1", on_progress)

    def score():
        found = evaluation.evaluate(before, "qrels", "host:1", on_progress)
        return {mean["measure"]: mean["value"] for mean in found.means}

    first = score()
    runs.apply_visual_ids(visual_ids.look_for_mixed(campaign.collection, cast.olga, on_progress), on_progress)
    assert score() == first


def test_a_pool_keeps_the_version_it_was_made_with_and_is_out_of_date_after_a_repair(campaign, tmp_path):
    import_index(campaign, tmp_path, *MIXED)
    version = visual_ids.current(campaign.collection)
    pool = make_pool(campaign, frozen=False)
    assert pool.visual_map == version
    assert staleness.outdated(pool) == ""
    visual_ids.apply(visual_ids.look_for_mixed(*ready(campaign), on_progress))
    with pytest.raises(Refused, match="visual ids have changed"):
        pools.freeze(pool, on_progress)


@pytest.mark.parametrize("kind", [Job.Kind.POOL, Job.Kind.RUNS, Job.Kind.MIXED, Job.Kind.VISUAL_IDS])
def test_a_repair_waits_for_jobs_that_stand_on_visual_ids(campaign, kind):
    _, olga = ready(campaign)
    job_queue.submit(campaign, kind, olga)
    with pytest.raises(Refused, match="has not ended"):
        job_queue.submit(campaign, Job.Kind.REPAIR, olga)


def test_a_look_for_mixed_ids_is_in_the_way_of_nothing_but_changes_of_the_collection(campaign):
    _, olga = ready(campaign)
    job_queue.submit(campaign, Job.Kind.MIXED, olga)
    job_queue.submit(campaign, Job.Kind.POOL, olga)
    with pytest.raises(Refused):
        job_queue.submit(campaign, Job.Kind.MIXED, olga)


def test_a_pool_of_another_index_is_out_of_date(campaign, tmp_path):
    import_index(campaign, tmp_path, *MIXED)
    first = visual_ids.current(campaign.collection)
    import_run(campaign, tmp_path)
    pool = pools.build(campaign, on_progress)
    import_index(campaign, tmp_path, *((formula, f"w{visual}", tex) for formula, visual, tex in MIXED))
    second = visual_ids.current(campaign.collection)
    assert (first.kind, second.kind) == ("index", "index")
    assert visual_ids.is_current(campaign.collection, second)
    pool = type(pool).objects.get(pk=pool.pk)
    assert staleness.outdated(pool) == "visual ids have changed since"
    import_index(campaign, tmp_path, *((formula, "", tex) for formula, _, tex in MIXED))  # no ids at all
    assert not visual_ids.is_current(campaign.collection, second)
