"""A release as a folder: what its files hold, and that the field's tools read them."""

import io
import json
import zipfile
from math import log2
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from django.test import Client
from ir_measures import P, nDCG

from assess.models import Qrels
from assess.services.results import qrels, release_folder
from tests.cast import make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.formulas import import_index
from tests.lab import Lab, client_as, client_of, judge
from tests.web.organizer import url_of

pytestmark = pytest.mark.django_db


def unpacked(release: Qrels, folder: Path) -> Path:
    with zipfile.ZipFile(io.BytesIO(b"".join(release_folder.pieces(release)))) as archive:
        assert archive.testzip() is None
        archive.extractall(folder)
    return folder / release_folder.folder_name(release)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_folder_of_answers_is_read_by_ir_measures(lab: Lab, tmp_path: Path) -> None:
    folder = unpacked(lab.release, tmp_path / "unpacked")
    read = list(ir_measures.read_trec_qrels(str(folder / "post/qrels.txt")))  # type: ignore[no-untyped-call]
    lines = lab.release.lines_of("post")
    assert {(line.query_id, line.doc_id, line.relevance) for line in read} == set(lines)
    run = [ir_measures.ScoredDoc("A.1", document, score) for document, score in (("12", 2.0), ("11", 1.0))]
    assert ir_measures.calc_aggregate([P @ 1], read, run) == {P @ 1: 0.0}
    gain = 3 / log2(3)  # ranx 0.3.21 reads the file, too, and gives 0.4441
    assert ir_measures.calc_aggregate([nDCG @ 2], read, run)[nDCG @ 2] == pytest.approx(gain / (3 + 2 / log2(3)))
    binary = [line.split() for line in (folder / "post/qrels.hm.txt").read_text().splitlines()]
    assert {row[2]: row[3] for row in binary} == {"11": "1", "12": "0", "21": "1"}


def test_topics_and_documents_are_tables_of_id_and_text(lab: Lab, tmp_path: Path) -> None:
    folder = unpacked(lab.release, tmp_path / "unpacked")
    for name, key in (("queries", "query_id"), ("post/docs", "doc_id")):
        table = [line.split("\t") for line in (folder / f"{name}.tsv").read_text().splitlines()]
        objects = rows(folder / f"{name}.jsonl")
        assert table == [[row[key], row["text"]] for row in objects]
    assert [row["query_id"] for row in rows(folder / "queries.jsonl")] == ["A.1"]
    documents = {row["doc_id"]: row for row in rows(folder / "post/docs.jsonl")}
    assert set(documents) == {"11", "12", "21"}  # 99 has no text
    assert documents["11"]["text"] == "Answer 11 says x+1."
    assert documents["11"]["html"].startswith("<p>Answer 11")
    readme = (folder / "README.md").read_text()
    assert "release 1" in readme
    assert "First look" in readme
    assert json.loads((folder / "manifest.json").read_text())["release"] == 1


def test_formulas_have_a_folder_by_visual_id_and_one_by_instance(tmp_path: Path) -> None:
    campaign = make_campaign("arqmath3-task2")
    looks = [("110", "v1", "x+1"), ("120", "v1", "{x}+1"), ("210", "v1", "x + 1"), ("220", "v2", "y")]
    import_index(campaign, tmp_path, *looks)
    assignment = make_assignment(make_pool(campaign), make_cast().ada)
    judge(assignment, {"110": "0", "120": "2", "220": "1"})
    release = qrels.release(assignment.round.pool, make_cast().olga, on_progress)
    folder = unpacked(release, tmp_path / "unpacked")
    by_look = {row["doc_id"]: row for row in rows(folder / "visual/docs.jsonl")}
    assert by_look["v1"]["text"] == "x+1"
    assert [row["formula_id"] for row in by_look["v1"]["instances"]] == ["110", "120", "210"]
    assert {row["doc_id"]: row["visual_id"] for row in rows(folder / "instance/docs.jsonl")}["220"] == "v2"
    assert rows(folder / "queries.jsonl")[0]["latex"] == "x+1"
    assert sorted((folder / "visual/qrels.txt").read_text().splitlines()) == ["B.1\t0\tv1\t2", "B.1\t0\tv2\t1"]


@pytest.mark.parametrize(
    ("person", "status"), [("olga", 200), ("kurt", 200), ("ada", 403), ("mallory", 404), (None, 302)]
)
def test_organizers_and_experts_download_the_folder(person: str | None, status: int, lab: Lab) -> None:
    client: Client = client_as(lab.cast, person)
    assert client.get(url_of("release_folder", lab.campaign, version=1)).status_code == status


def test_the_download_is_named_after_the_release(lab: Lab) -> None:
    answer: Any = client_of(lab.cast.olga).get(url_of("release_folder", lab.campaign, version=1))
    assert f"{lab.campaign.slug}.release-1.zip" in answer["Content-Disposition"]
    assert b"".join(answer.streaming_content).startswith(b"PK")
    assert client_of(lab.cast.olga).get(url_of("release_folder", lab.campaign, version=2)).status_code == 404
