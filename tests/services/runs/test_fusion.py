"""Fused runs are imported like run files, not pooled, with all that it takes to make them again."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from assess.ir.common.problems import BadInput
from assess.models import Campaign, Job, Qrels, QrelsLine, Run
from assess.services import job_kinds
from assess.services.common.errors import Refused
from assess.services.formulas import visual_ids
from assess.services.jobs import job_queue
from assess.services.pool import pools
from assess.services.releases import qrels
from assess.services.runs import fusion, runs
from tests.cast import make_campaign, on_progress
from tests.lab import add_run, make_lab
from tests.services.runs.test_baselines import INDEX, lab

pytestmark = pytest.mark.django_db


def job_for(
    campaign: Campaign, method: str, keys: list[int], name: str = "fused", release: int | None = None, **options: Any
) -> Job:
    by = campaign.members.get(role="organizer").user
    wanted = fusion.Fusion(name, method, keys, options, release)
    return job_queue.submit(campaign, job_kinds.fuse_runs, by, **wanted._asdict())


def fuse(campaign: Campaign, method: str, *sources: Run, **options: Any) -> Run:
    job = job_for(campaign, method, [run.pk for run in sources], **options)
    run = Run.objects.get(pk=job_kinds.fuse_runs.step(job, on_progress)["run"])
    Job.objects.filter(pk=job.pk).update(state=Job.State.DONE, result={"run": run.pk})
    return run


def scores(run: Run) -> list[tuple[str, float]]:
    return [(doc, round(score, 4)) for doc, score in runs.load_ranking(run).select("doc_id", "score").iter_rows()]


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Campaign, Run, Run]:
    campaign = lab(tmp_path)
    first = add_run(campaign, tmp_path, "A.1\t11\t1\t9\ta\nA.1\t12\t2\t5\ta\nA.1\t21\t3\t1\ta\n")
    second = add_run(campaign, tmp_path, "A.1\t12\t1\t0\tb\nA.1\t21\t2\t0\tb\n", order="rank")
    return campaign, first, second


def test_a_fused_run_is_not_pooled_and_says_how_it_was_made(pair: tuple[Campaign, Run, Run]) -> None:
    campaign, first, second = pair
    run = fuse(campaign, "mean", first, second, name="My mean")
    assert (run.name, run.team, run.kind, run.pool_role, run.format) == (
        "My mean", "Organizers", "alternate", "none", "task1",
    )  # fmt: skip
    assert scores(run) == [("12", 0.75), ("11", 0.5), ("21", 0.0)]  # the second goes by its ranks
    assert {name: run.provenance[name] for name in ("method", "options", "seed", "by", "unit", "runs")} == {
        "method": "Mean", "options": {}, "seed": 7, "by": "olga", "unit": "document",
        "runs": [
            {"name": "a", "sha256": first.sha256, "order": "score"},
            {"name": "b", "sha256": second.sha256, "order": "rank"},
        ],
    }  # fmt: skip
    assert [row["name"] for row in pools.build(campaign, on_progress).runs] == ["a", "b"]


def test_options_order_method_and_data_are_recorded(pair: tuple[Campaign, Run, Run]) -> None:
    campaign, first, second = pair
    assert fuse(campaign, "rrf", first, second).provenance["options"] == {"k": 60}  # the default
    ensemble = fuse(campaign, "ensemble", first, second, name="other", last_key="list").provenance
    assert ensemble["options"] == {"last_key": "list"}
    assert list(ensemble["tied"].values())[-1] == 0
    run = fuse(campaign, "hybrid", second, first, name="hybrid", top=1)
    assert [doc for doc, _ in scores(run)] == ["12", "11", "21"]
    assert [source["name"] for source in run.provenance["runs"]] == ["b", "a"]
    Run.objects.filter(pk=first.pk).update(method="manual", data="text")
    run = fuse(campaign, "mean", first, second, name="m")
    assert (run.method, run.data) == ("manual", "both")
    Run.objects.filter(pk=second.pk).update(data="text")
    assert fuse(campaign, "sum", first, second, name="s").data == "text"


def test_formulas_are_fused_by_visual_id_with_their_posts(tmp_path: Path) -> None:
    index = INDEX + "310\t12\t10\tanswer\t\t\tv2\t\tn^2\n"
    campaign = lab(tmp_path, "arqmath3-task2", formulas=index)
    first = add_run(campaign, tmp_path, "B.1\t210\t21\t1\t9\ta\nB.1\t110\t11\t2\t5\ta\nB.1\t999\t12\t3\t5\ta\n")
    second = add_run(campaign, tmp_path, "B.1\t310\t12\t1\t9\tb\n")  # looks like 110
    run = fuse(campaign, "rrf", first, second)
    assert runs.load_ranking(run).select("doc_id", "unit_id").rows() == [("310", "v2"), ("210", "v1"), ("999", "")]
    assert run.provenance["unit"] == "visual id"
    text = runs.text_of_made_run(run)
    assert text is not None
    assert [line.split("\t")[1:3] for line in text.splitlines()] == [["310", "12"], ["210", "21"], ["999", "unknown"]]
    campaign = lab(tmp_path, "ntcir12-formula", formulas=INDEX)  # judges them one by one
    first = add_run(campaign, tmp_path, "B.1\t210\t21\t1\t9\ta\n")
    second = add_run(campaign, tmp_path, "B.1\t220\t21\t1\t9\tb\n")
    assert len(runs.load_ranking(fuse(campaign, "rrf", first, second))) == 2


def test_regression_records_its_release_and_its_split(tmp_path: Path) -> None:
    judged = make_lab(tmp_path)
    lines = [
        QrelsLine(qrels=judged.release, unit="post", topic_id="A.2", unit_id=doc, grade=grade)
        for doc, grade in (("11", 3), ("12", 0))
    ]
    QrelsLine.objects.bulk_create(lines)
    sources = []
    for name in ("late", "later"):
        text = f"A.1\t11\t1\t9\t{name}\nA.2\t11\t1\t3\t{name}\nA.2\t12\t2\t{len(name)}\t{name}\n"
        sources.append(add_run(judged.campaign, tmp_path, text, pool_role="none"))
    run = fuse(judged.campaign, "regression", *sources, release=1, folds=2, seed=7)
    provenance = run.provenance
    released = qrels.as_file(judged.release, "post")
    assert provenance["qrels"] == {"release": 1, "sha256": sha256(released.encode()).hexdigest()}
    assert provenance["options"] == {"folds": 2, "seed": 7}
    assert [(model["training"], model["scored"]) for model in provenance["models"]] in (
        [(["A.1"], ["A.2"]), (["A.2"], ["A.1"])],
        [(["A.2"], ["A.1"]), (["A.1"], ["A.2"])],
    )


def test_what_does_not_fit_is_refused_before_a_job_starts(pair: tuple[Campaign, Run, Run], tmp_path: Path) -> None:
    campaign, first, second = pair
    other = make_campaign(name="Other")
    for wanted, reason in (
        (fusion.Fusion("a", "rrf", [first.pk, second.pk], {}), "Another run is named a"),
        (fusion.Fusion("new", "rrf", [first.pk], {}), "at least two"),
        (fusion.Fusion("new", "rrf", [first.pk, first.pk], {}), "chosen twice"),
        (fusion.Fusion("new", "rrf", [first.pk, 0], {}), "1 of the runs"),
        (fusion.Fusion("new", "hybrid", [first.pk], {}), "at least two"),
        (fusion.Fusion("new", "regression", [first.pk, second.pk], {}), "Choose a release"),
        (fusion.Fusion("new", "regression", [first.pk, second.pk], {}, 9), "Choose a release"),
        (fusion.Fusion("new", "sum", [first.pk, second.pk], {"weights": [1]}), "1 for 2 runs"),
    ):
        with pytest.raises((Refused, BadInput), match=reason):
            fusion.check_fusion(campaign, wanted)
    written = add_run(campaign, tmp_path, "A.1\t1\t0.9\tw\t\tAn answer.\n")
    assert written.is_written
    assert written not in fusion.fusible(campaign)
    with pytest.raises(Refused, match="no longer exist"):
        fusion.check_fusion(other, fusion.Fusion("new", "rrf", [first.pk, second.pk], {}))


def test_qrels_of_other_visual_ids_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = lab(tmp_path, "arqmath3-task2", formulas=INDEX)
    add_run(campaign, tmp_path, "B.1\t210\t21\t1\t9\ta\n")
    pool = pools.build(campaign, on_progress)
    Qrels.objects.create(pool=pool, version=1, protocol={}, released_by=campaign.members.get(role="organizer").user)
    monkeypatch.setattr(visual_ids, "is_current", lambda *_: False)
    with pytest.raises(Refused, match="other visual ids"):
        fusion.release_of(campaign, fusion.Fusion("n", "regression", [], {}, 1))
