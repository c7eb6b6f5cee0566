"""A release as a folder: what its files hold, and that the field's tools read them."""

import json
from pathlib import Path
from typing import Any

import ir_measures
import pytest

from assess.ir.common.problems import BadInput
from assess.services.releases import qrels
from assess.services.releases.export import export_chunks
from assess.services.runs import runs
from assess.services.runs.metadata import read_metadata
from assess.services.runs.runs import RunUpload
from tests.cast import import_index, make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.lab import Lab, client_of, judge
from tests.other_tools import json_rows as rows
from tests.other_tools import unpacked_folder as unpacked
from tests.web.organizer import url_of
from tests.written import make_written

pytestmark = pytest.mark.django_db


def test_topics_and_documents_have_text_and_what_else_is_known(lab: Lab, tmp_path: Path) -> None:
    folder = unpacked(lab.release, tmp_path / "unpacked")
    [query] = rows(folder / "post/queries.jsonl")
    assert (query["qid"], query["query"]) == ("A.1", "How large is n^2? Question 1 about x+1.")
    assert query["original_query"]["body"].startswith("<p>Question 1")
    documents = {row["docno"]: row for row in rows(folder / "post/corpus.jsonl.gz")}
    assert set(documents) == {"11", "12", "21"}  # 99 has no text
    assert documents["11"]["text"] == "Answer 11 says x+1."
    assert documents["11"]["html"].startswith("<p>Answer 11")
    assert documents["11"]["thread_id"] == "10"
    binary = [line.split() for line in (folder / "post/qrels.hm.txt").read_text().splitlines()]
    assert {row[2]: row[3] for row in binary} == {"11": "1", "12": "0", "21": "1"}
    readme = (folder / "README.md").read_text()
    assert "release 1" in readme
    assert "First look" in readme
    assert json.loads((folder / "manifest.json").read_text())["release"] == 1
    answer: Any = client_of(lab.cast.olga).get(url_of("release_folder", lab.campaign, version=1))
    assert f"{lab.campaign.slug}.release-1.zip" in answer["Content-Disposition"]
    assert b"".join(answer.streaming_content).startswith(b"PK")
    assert client_of(lab.cast.olga).get(url_of("release_folder", lab.campaign, version=2)).status_code == 404


def test_the_runs_can_be_imported_again(lab: Lab, tmp_path: Path) -> None:
    folder = unpacked(lab.release, tmp_path / "unpacked") / "runs"
    with (folder / "runs.tsv").open("rb") as table:
        metas = read_metadata(table, "runs.tsv")
    copy = make_campaign(name="Copy")
    imported = runs.import_runs(copy, [RunUpload(folder / meta.file, meta) for meta in metas.values()], on_progress)
    about = ("name", "team", "kind", "method", "data", "pool_role", "order")
    assert list(copy.runs.values_list(*about)) == list(lab.campaign.runs.values_list(*about))
    for run in imported:
        assert runs.load_ranking(run).equals(runs.load_ranking(lab.campaign.runs.get(name=run.name)))
    read = list(ir_measures.read_trec_run(str(folder / "001-alpha.txt")))  # type: ignore[no-untyped-call]
    assert [(line.doc_id, line.score) for line in read] == [("11", 9), ("12", 8), ("21", 7)]
    assert (folder / "001-alpha.txt").read_text().split()[5] == "alpha"


def test_a_withdrawn_run_is_not_in_the_folder(lab: Lab, tmp_path: Path) -> None:
    before = unpacked(lab.release, tmp_path / "before")
    runs.withdraw_run(lab.campaign.runs.get(name="alpha"), lab.cast.olga)
    folder = unpacked(lab.release, tmp_path / "unpacked")
    kept = list(lab.campaign.entered_runs().values_list("name", flat=True))
    with (folder / "runs/runs.tsv").open("rb") as table:
        metas = read_metadata(table, "runs.tsv")
    assert [meta.name for meta in metas.values()] == kept
    assert {path.name for path in (folder / "runs").iterdir()} == {"runs.tsv", *metas}
    for name in ("manifest.json", "post/qrels.txt"):
        assert (folder / name).read_bytes() == (before / name).read_bytes()


def test_the_judgments_are_there_with_every_change_under_pseudonyms(lab: Lab, tmp_path: Path) -> None:
    judge(lab.official, {"12": "1"})  # after the release
    folder = unpacked(lab.release, tmp_path / "unpacked")
    for kind in ("judgments", "history"):
        assert (folder / f"{kind}.jsonl").read_bytes() == b"".join(export_chunks(lab.campaign, kind, "jsonl"))
    changes = [
        (row["old_decision"], row["decision"]) for row in rows(folder / "history.jsonl") if row["document"] == "12"
    ]
    assert changes == [("", "0"), ("", "0"), ("0", "1")]
    assert "ada" not in (folder / "history.jsonl").read_text()


def test_formulas_have_a_folder_by_visual_id_and_one_by_instance(tmp_path: Path) -> None:
    campaign = make_campaign("arqmath3-task2")
    looks = [("110", "v1", "x+1"), ("120", "v1", "{x}+1"), ("210", "v1", "x + 1"), ("220", "v2", "y")]
    import_index(campaign, tmp_path, *looks)
    assignment = make_assignment(make_pool(campaign), make_cast().ada)
    judge(assignment, {"110": "0", "120": "2", "220": "1"})
    release = qrels.release(assignment.round.pool, make_cast().olga, on_progress)
    folder = unpacked(release, tmp_path / "unpacked")
    by_look = {row["docno"]: row for row in rows(folder / "visual/corpus.jsonl.gz")}
    assert by_look["v1"]["text"] == "x+1"
    assert [row["formula_id"] for row in by_look["v1"]["instances"]] == ["110", "120", "210"]
    assert {row["docno"]: row["visual_id"] for row in rows(folder / "instance/corpus.jsonl.gz")}["220"] == "v2"
    assert rows(folder / "visual/queries.jsonl")[0]["original_query"]["latex"] == "x+1"
    assert sorted((folder / "visual/qrels.txt").read_text().splitlines()) == ["B.1\t0\tv1\t2", "B.1\t0\tv2\t1"]


def test_written_answers_have_a_folder_and_an_import_does_not_take_them_for_posts(tmp_path: Path) -> None:
    lab = make_written(tmp_path)
    lab.judge_all()
    release = qrels.release(lab.assignment.round.pool, lab.cast.olga, on_progress)
    folder = unpacked(release, tmp_path / "unpacked")
    texts = {row["docno"]: row["text"] for row in rows(folder / "written/corpus.jsonl.gz")}
    assert texts == {lab.documents["gpt"]: "Surely it is 7.", lab.documents["ext"]: "By Euler it is 8."}
    with (folder / "runs/runs.tsv").open("rb") as table:
        meta = next(meta for meta in read_metadata(table, "runs.tsv").values() if meta.name == "gpt")
    path = folder / "runs" / meta.file
    assert lab.documents["gpt"] in path.read_text()
    with pytest.raises(BadInput):
        runs.import_runs(make_campaign(name="Copy"), [RunUpload(path, meta)], on_progress)
