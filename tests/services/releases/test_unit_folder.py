"""The folder of a release of documents opens in the field's tools, and they score a run alike."""

from math import log2
from pathlib import Path

import ir_measures
import pytest
import pytrec_eval

from assess.ir.campaign.protocol import Protocol
from assess.models import Post, Qrels, Topic
from assess.services.releases import qrels, verification
from assess.services.scores import evaluation
from tests.cast import make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.lab import add_run, judge
from tests.other_tools import (
    json_rows,
    opened_as_beir,
    opened_by_ir_datasets,
    opened_by_tira,
    scored_by_ir_measures,
    unpacked_folder,
)

pytestmark = pytest.mark.django_db

SCALE = [{"value": value, "name": name} for value, name in ((2, "Good"), (1, "Fair"), (0, "Poor"), (-2, "Spam"))]
GRADES = {
    "A.1": {"11": "2", "12": "0", "21": "1", "99": "-2"},
    "A.2": {"11": "0", "12": "1", "21": "2", "99": "1"},
    "A.3": {"11": "-2", "12": "0", "21": "1", "99": "0"},
}
RANKED = {"A.1": ("99", "77", "12", "11"), "A.2": ("12", "11", "21"), "A.3": ("11", "21", "12", "99")}
"""99 is spam or has no text, 77 is not judged."""


@pytest.fixture
def release(tmp_path: Path) -> Qrels:
    campaign = make_campaign("documents", topics=3)
    campaign.protocol = Protocol.from_dict(campaign.protocol | {"grades": SCALE, "level": 1}).to_dict()
    campaign.save()
    Post.objects.filter(kind="answer").update(kind="document", title="Two &lt; three", url="https://example.org/")
    Topic.objects.update(title="“Tea” &amp; <i>cups</i>", body="", fields={"narrative": "<p>All of it.</p>"})
    rows = [
        f"{topic} Q0 {document} {rank} {9 - rank} r\n"
        for topic, ranked in RANKED.items()
        for rank, document in enumerate(ranked, start=1)
    ]
    add_run(campaign, tmp_path, "".join(rows))
    pool, cast = make_pool(campaign), make_cast(campaign)
    for topic, grades in GRADES.items():
        judge(make_assignment(pool, cast.ada, topic=topic), grades)
    return qrels.release(pool, cast.olga, on_progress)


@pytest.fixture
def folder(release: Qrels, tmp_path: Path) -> Path:
    return unpacked_folder(release, tmp_path / "unpacked") / "document"


def test_documents_are_released_with_all_their_grades(release: Qrels) -> None:
    assert set(release.counts) == {"document"}
    text = qrels.as_file(release, "document")
    assert text.startswith("A.1\t0\t11\t2\nA.1\t0\t12\t0\nA.1\t0\t21\t1\nA.1\t0\t99\t-2\n")
    binary = qrels.as_file(release, "document", binary=True)
    assert binary.startswith("A.1\t0\t11\t1\nA.1\t0\t12\t0\nA.1\t0\t21\t1\nA.1\t0\t99\t0\n")
    assert verification.verify(release).problems == []
    scored = evaluation.evaluate(release, "qrels", on_progress, measures=["bpref", "nDCG'", "AR", "judged"])
    of_first = {row.measure: row.value for row in scored.scores.filter(topic_id="A.1")}
    best = 2 + 1 / log2(3)  # judged and in the run are 99 (spam, as good as 0), 12 and 11
    assert of_first == pytest.approx({"bpref": 0, "nDCG'": 2 / log2(4) / best, "AR": 0, "judged": 3 / 4})


def test_tools_find_the_same_topics_documents_and_grades(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = opened_by_ir_datasets(folder, monkeypatch)
    assert opened.queries == dict.fromkeys(GRADES, "“Tea” & cups")
    assert set(opened.documents) == {"11", "12", "21"}  # 99 has no text
    assert opened.documents["11"] == "Two < three Answer 11 says x+1."
    assert opened.grades == {
        topic: {document: int(grade) for document, grade in grades.items()} for topic, grades in GRADES.items()
    }
    assert opened_by_tira(folder, monkeypatch) == opened
    assert opened_as_beir(folder) == opened
    # what else is known
    monkeypatch.setenv("IR_DATASETS_HOME", str(folder / "home"))
    from tira.ir_datasets_util import load_ir_dataset_from_local_file

    dataset = load_ir_dataset_from_local_file(folder, "a-local-folder")
    assert next(dataset.queries_iter()).narrative == "All of it."
    document = next(dataset.docs_iter())
    assert (document.title, document.url) == ("Two < three", "https://example.org/")
    assert json_rows(folder / "corpus.jsonl")[0] == {"_id": "11", "title": "Two < three", "text": "Answer 11 says x+1."}


def test_tools_score_a_run_alike(release: Qrels, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_file = str(next((folder.parent / "runs").glob("*.txt")))
    run = list(ir_measures.read_trec_run(run_file))  # type: ignore[no-untyped-call]
    names = {"nDCG@10": "nDCG@10", "AP": "MAP", "P@10": "P@10", "RR": "MRR"}
    means = evaluation.evaluate(release, "qrels", on_progress, measures=list(names.values())).means
    ours = {mean["measure"]: f"{mean['value']:.6f}" for mean in means}
    expected = {name: ours[measure] for name, measure in names.items()}
    assert "1.000000" not in expected.values()

    read = ir_measures.read_trec_qrels(str(folder / "qrels.txt"))  # type: ignore[no-untyped-call]
    assert scored_by_ir_measures(read, run, [*names]) == expected
    assert scored_by_ir_measures(opened_by_ir_datasets(folder, monkeypatch).grades, run, [*names]) == expected
    assert scored_by_ir_measures(opened_by_tira(folder, monkeypatch).grades, run, [*names]) == expected

    scores = {topic: {row.doc_id: row.score for row in run if row.query_id == topic} for topic in RANKED}
    of_beir = pytrec_eval.RelevanceEvaluator(opened_as_beir(folder).grades, {"ndcg_cut.10"}).evaluate(scores)
    assert f"{sum(each['ndcg_cut_10'] for each in of_beir.values()) / len(RANKED):.6f}" == expected["nDCG@10"]

    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # compiling takes a minute
    import ranx

    found = ranx.evaluate(
        ranx.Qrels.from_file(str(folder / "qrels.txt"), kind="trec"),
        ranx.Run.from_file(run_file, kind="trec"),
        ["ndcg@10", "map", "precision@10", "mrr"],
    )
    assert [f"{mean:.6f}" for mean in found.values()] == list(expected.values())
