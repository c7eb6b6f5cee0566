"""Pools are built or imported, frozen, and unfrozen until the first judgment."""

import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from django.http import Http404

from assess.ir.common.problems import BadInput
from assess.ir.common.rows import PoolLine
from assess.ir.formats.pools import read_pool
from assess.models import Assignment, Campaign, Instance, Pool, WrittenAnswer
from assess.services import job_kinds
from assess.services.campaign import campaigns
from assess.services.common.errors import Refused
from assess.services.desk import decisions, documents
from assess.services.formulas import visual_ids
from assess.services.jobs import job_queue
from assess.services.pool import extension, freezing, pools
from assess.services.runs import runs, updates
from assess.web.pool.pools import pool_with
from tests.cast import import_index, import_texts, make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.lab import add_run
from tests.lab_steps import FILES
from tests.management.terminal import run

pytestmark = pytest.mark.django_db

PRIMARY = "A.1\t11\t1\t9.0\talpha\nA.1\t12\t2\t8.0\talpha\nA.1\t21\t3\t7.0\talpha\nA.2\t11\t1\t5.0\talpha\n"
TOPIC = b'<Topics><Topic number="A.7"><Title>T</Title><Question>Q</Question><Tags>t</Tags></Topic></Topics>'
ALTERNATE = "A.1\t22\t1\t3.0\tbeta\nA.1\t11\t2\t2.0\tbeta\nA.9\t11\t1\t1.0\tbeta\n"


def as_lines(pool: Pool) -> list[PoolLine]:
    return read_pool(io.BytesIO(pools.pool_as_file(pool).encode()), "pool.tsv")


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    campaign = make_campaign(primary_depth=2, alternate_depth=1)
    add_run(campaign, tmp_path, PRIMARY)
    add_run(campaign, tmp_path, ALTERNATE, pool_role="alternate")
    return campaign


def test_runs_are_pooled_to_the_depth_of_their_role_and_the_file_brings_it_back(campaign: Campaign) -> None:
    other = make_campaign(name="Other")
    with pytest.raises(Refused, match="topics and at least one run"):
        pools.build(other, on_progress)
    make_pool(other)
    pool = pools.build(campaign, on_progress)
    lines = [(line.topic_id, line.doc_id, line.votes, line.runs) for line in as_lines(pool)]
    assert lines == [
        ("A.1", "11", 1.5, 2),  # first of alpha, second of beta: counts although beta is pooled to depth 1
        ("A.1", "22", 1.0, 1),  # first of beta
        ("A.1", "12", 0.5, 1),  # second of alpha
        ("A.2", "11", 1.0, 1),
    ]
    rows = Instance.objects.filter(entry__pool=pool, entry__topic__topic_id="A.1").order_by("pk")
    assert list(rows.values_list("doc_id", "votes")) == [("11", 1.5), ("12", 0.5), ("22", 1.0)]  # keys tell no votes
    sizes = pools.topic_counts(pool)
    assert [(row.topic.topic_id, row.entries, row.documents) for row in sizes] == [("A.1", 3, 3), ("A.2", 1, 1)]
    text = pools.pool_as_file(pool)
    again = pools.import_pool(campaign, io.BytesIO(text.encode()), "pool.tsv")
    assert (pools.pool_as_file(again), again.source) == (text, "pool.tsv")
    pool = pools.build(campaign, on_progress)
    campaign.runs.filter(name="beta").update(pool_role="none")
    with pytest.raises(Refused, match="runs have changed"):
        freezing.freeze(pool, on_progress)
    freezing.freeze(pools.build(campaign, on_progress), on_progress)
    assert campaign.pools.get().entries.count() == 3  # it replaces one that is not frozen


def test_a_pool_takes_runs_up_to_a_priority(campaign: Campaign) -> None:
    for name, priority in (("alpha", "1"), ("beta", "3")):
        campaign.runs.filter(name=name).update(pool_role=priority)
    assert [run["role"] for run in pools.build(campaign, on_progress).runs] == ["1", "3"]
    campaigns.change_settings(campaign, campaign.members.get().user, rules={"priorities": 2})
    pool = pools.build(campaign, on_progress)
    assert [run["name"] for run in pool.runs] == ["alpha"]
    freezing.freeze(pool, on_progress)
    assert [run.name for run in extension.late_runs(pool)] == ["beta"]  # which can still join


@pytest.mark.parametrize(
    ("line", "reason"),
    [("A.301\t5\t5", r"pool.tsv:3: .*A.301"), ("A.1\t11\t12", r"pool.tsv:3: .* 11 .* 12 ")],  # an unknown topic, a unit
)
def test_a_file_that_does_not_fit_is_refused_whole(line: str, reason: str, campaign: Campaign) -> None:
    text = f"topic\tunit\tdoc\tvotes\truns\nA.1\t11\t11\t1.0\t1\n{line}\t1.0\t1\n"
    with pytest.raises(BadInput, match=reason):
        pools.import_pool(campaign, io.BytesIO(text.encode()), "pool.tsv")
    assert not Pool.objects.exists()


def test_once_a_pool_is_frozen_its_runs_cannot_change(campaign: Campaign, tmp_path: Path) -> None:
    freezing.freeze(pools.build(campaign, on_progress), on_progress)
    for change in (
        lambda: pools.build(campaign, on_progress),
        lambda: add_run(campaign, tmp_path, PRIMARY.replace("alpha", "gamma")),
        lambda: runs.delete_run(campaign.runs.first(), make_cast().olga),
    ):
        with pytest.raises(Refused, match="frozen"):
            change()
    late = add_run(campaign, tmp_path, PRIMARY.replace("alpha", "late"), pool_role="none")  # only scored
    runs.delete_run(late, make_cast().olga)
    assert campaign.runs.count() == 2


def test_while_a_job_works_on_a_pool_nothing_it_is_made_from_can_change(campaign: Campaign) -> None:
    rules, pool = campaign.protocol, pools.build(campaign, on_progress)
    run, olga = campaign.runs.first(), campaign.members.get().user
    job = job_queue.submit(campaign, job_kinds.freeze_pool, olga)
    for change in (
        lambda: runs.delete_run(run, olga),
        lambda: runs.change_run(run, runs.RunMeta(run.file_name, run.team, run.name, pool_role="none"), olga),
        lambda: campaigns.change_settings(campaign, olga, seed=8, rules=rules),
        lambda: campaigns.import_topics(campaign, io.BytesIO(TOPIC), "topics.xml", olga),
        lambda: campaigns.delete_topics(campaign, olga),
        lambda: campaigns.use_collection(campaign, make_campaign().collection, olga),
        lambda: pools.discard_pool(campaign, olga),
        lambda: freezing.unfreeze(pool, olga),
    ):
        with pytest.raises(Refused, match="Freeze pool"):
            change()
    job_queue.cancel_job(job, job.created_by)
    pools.discard_pool(campaign, olga)
    runs.delete_run(run, olga)


def test_a_pool_can_be_unfrozen_until_its_first_judgment_even_if_that_is_undone(campaign: Campaign) -> None:
    pool, cast = freezing.freeze(pools.build(campaign, on_progress), on_progress), make_cast(campaign)
    make_assignment(pool, cast.ada)
    freezing.unfreeze(pool, cast.olga)
    assert pool.frozen is None
    assert not Assignment.objects.exists()
    assignment = make_assignment(freezing.freeze(pool, on_progress), cast.ada)
    shown = documents.open_item(assignment, 1).cards[0]
    for word in ("0", ""):
        decision = decisions.Decision(shown.instance.pk, shown.content_hash, word)
        decisions.save_decisions(assignment.pk, assignment.assessor, [decision])
        assert assignment.judgments.exists() == (word == "0")
        with pytest.raises(Refused, match="judged"):
            freezing.unfreeze(pool, cast.olga)


def test_written_answers_are_pooled_with_the_others(campaign: Campaign, tmp_path: Path) -> None:
    text = "A.1\t1\t1.0\tgpt\tnone\tIt is $n^2$, since <b> is no tag.\n"
    add_run(campaign, tmp_path, text, name="writer")
    add_run(campaign, tmp_path, text.replace("It is", "It  is").replace("gpt", "other"), name="another")
    pool = freezing.freeze(pools.build(campaign, on_progress), on_progress)
    written = Instance.objects.get(kind="written")
    assert (written.entry.topic.topic_id, written.runs) == ("A.1", 2)  # the same answer of two teams
    body = WrittenAnswer.objects.get(doc_id=written.doc_id).body
    assert 'data-formula-id="">n^2</span>' in body
    assert "&lt;b&gt;" in body
    assert written.doc_id not in pool.missing


def test_if_each_instance_is_a_unit_visual_ids_do_not_matter(tmp_path: Path) -> None:
    campaign = make_campaign("ntcir12-formula")
    looks = [("110", "v1", "x"), ("120", "v1", "x"), ("210", "v2", "y")]
    import_index(campaign, tmp_path, *looks)
    add_run(campaign, tmp_path, "B.1\t110\t11\t1\t9\tr\nB.1\t210\t21\t2\t8\tr\n")
    pool = pools.build(campaign, on_progress)
    assert pool.visual_map is None
    olga = campaign.members.get().user
    version = visual_ids.create_version(campaign.collection, "computed", {}, counts={"formulas": 3}, created_by=olga)
    updates.apply_visual_ids(version, on_progress)
    assert freezing.reason_to_rebuild(pool) == ""
    text = pools.pool_as_file(pool)
    assert pools.pool_as_file(pools.import_pool(campaign, io.BytesIO(text.encode()), "pool.tsv")) == text


def words_of_command(campaign: Campaign, folder: Path, formulas: Iterable[object], index: Path) -> list[Any]:
    """Of the command that makes the pool of this run from the same files; the run is also imported."""
    rows = [f"B.1\t{formula}\t1\t{place}\t{-place}\tone\n" for place, formula in enumerate(formulas, start=1)]
    (folder / "run").write_text("".join(rows))
    (folder / "roles").write_text("one primary\n")
    runs.import_runs(campaign, [runs.RunUpload(folder / "run", runs.RunMeta("run", "team"))], on_progress)
    words = ["pool", "--run", folder / "run", "--roles", folder / "roles", "--preset", campaign.rules.preset]
    return [*words, "--seed", campaign.seed, "--formula-index", index]


@pytest.mark.parametrize("preset", ["arqmath3-task2", "ntcir12-formula"])
def test_formulas_of_comments_do_not_count_toward_depth_here_and_in_the_command(preset: str, tmp_path: Path) -> None:
    campaign = make_campaign(preset, primary_depth=2)
    kinds = {"110": "comment", "120": "answer", "210": "comment", "220": "answer", "310": "answer"}
    lines = [f"{n}\t{n[:-1]}\t{n[0]}0\t{kind}\tv{n}\tx\n" for n, kind in kinds.items()]
    index = "id\tpost_id\tthread_id\ttype\tvisual_id\tformula\n" + "".join(lines)
    import_texts(campaign.collection, tmp_path, formulas=index)
    words = words_of_command(campaign, tmp_path, kinds, tmp_path / "formulas")
    pool = pools.build(campaign, on_progress)
    lines_of_pool = [(line.doc_id, line.votes) for line in as_lines(pool)]
    assert lines_of_pool == [("120", 0.5), ("220", 0.25)]  # second and fourth of the run: comments keep their ranks
    assert run(*words, "--primary-depth", 2).out == pools.pool_as_file(pool)


def test_a_pool_is_outdated_once_posts_show_that_formulas_are_spurious_as_the_command_says(tmp_path: Path) -> None:
    campaign = make_campaign("arqmath3-task2")
    texts = {kind: FILES[kind].replace('id="120"', "") for kind in ("posts", "comments")}  # 120 is in no text
    import_texts(campaign.collection, tmp_path, formulas=FILES["formulas"])
    words = words_of_command(campaign, tmp_path, (110, 120, 210, 220, 310), tmp_path / "formulas")
    pool = pools.build(campaign, on_progress)
    assert "120" in {line.doc_id for line in as_lines(pool)}
    assert "\t120\t" in run(*words).out
    updates.store_updates(updates.prepare_updates(campaign, on_progress))
    assert freezing.reason_to_rebuild(pool) == ""  # nothing new
    assert import_texts(campaign.collection, tmp_path, **texts)["spurious"] == 1
    with pytest.raises(Refused, match="runs have changed"):
        freezing.freeze(pool, on_progress)
    pool = freezing.freeze(pools.build(campaign, on_progress), on_progress)
    assert "120" not in {line.doc_id for line in as_lines(pool)}
    assert run(*words, "--posts", tmp_path / "posts", "--comments", tmp_path / "comments").out == pools.pool_as_file(
        pool
    )


def test_the_latest_pool_is_the_current_one_and_others_are_found_by_any_version_they_had(campaign: Campaign) -> None:
    other = make_pool(make_campaign(name="Other"))  # version 1, too
    first = make_pool(campaign)
    assert first.missing == ["99"]
    hashes = set(Instance.objects.filter(entry__pool=first).values_list("content_hash", flat=True))
    assert len(hashes) == 8  # the hash includes the topic
    Pool.objects.filter(pk=first.pk).update(version=3, history=[{"version": 2}])
    second = make_pool(campaign)
    assert [pool.version for pool in campaign.pools.all()] == [4, 3]
    assert (campaign.current_pool(), campaign.frozen_pool()) == (second, second)
    assert [row[1:] for row in pools.topic_counts(first)] == [(4, 4)] * 2
    assert [pool_with(campaign, version) for version in (2, 3, 4)] == [first, first, second]
    with pytest.raises(Http404):
        pool_with(campaign, 1)
    assert other.campaign.current_pool() == other
