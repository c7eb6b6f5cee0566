"""The folder of a release, unpacked, and opened as the field's tools open it."""

import csv
import gzip
import io
import json
import runpy
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from assess.models import Qrels
from assess.services.releases import release_folder


def unpacked_folder(release: Qrels, folder: Path) -> Path:
    with zipfile.ZipFile(io.BytesIO(b"".join(release_folder.zip_pieces(release)))) as archive:
        assert archive.testzip() is None
        archive.extractall(folder)
    return folder / release_folder.folder_name(release)


def json_rows(path: Path) -> list[dict[str, Any]]:
    data = path.read_bytes()
    return list(map(json.loads, (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines()))


class Opened(NamedTuple):
    """Texts of topics and documents by id, and grades by topic and document."""

    queries: dict[str, str]
    documents: dict[str, str]
    grades: dict[str, dict[str, int]]


def of_ir_datasets(dataset: Any) -> Opened:
    return Opened(
        {query.query_id: query.default_text() for query in dataset.queries_iter()},
        {document.doc_id: document.default_text() for document in dataset.docs_iter()},
        dataset.qrels_dict() if hasattr(dataset, "qrels_dict") else by_topic(dataset.qrels_iter()),
    )


def by_topic(lines: Any) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = {}
    for line in lines:
        grades.setdefault(line.query_id, {})[line.doc_id] = line.relevance
    return grades


def opened_by_ir_datasets(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Opened:
    """By running dataset.py, whose name is forgotten afterwards."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(folder / "home"))
    import ir_datasets
    from ir_datasets import registry as known

    monkeypatch.setattr(known, "_registered", dict(known._registered))
    before = set(known)
    runpy.run_path(str(folder / "dataset.py"))
    [name] = set(known) - before
    dataset = ir_datasets.load(name)
    first = next(dataset.docs_iter())
    assert dataset.docs_store().get(first.doc_id) == first
    return of_ir_datasets(dataset)


def opened_by_tira(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Opened:
    """Checked as the head of the README says, then read as TIRA's client reads a local folder."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(folder / "home"))
    import yaml
    from tira.check_format import FormatMsgType, check_format
    from tira.ir_datasets_util import load_ir_dataset_from_local_file

    head = yaml.safe_load((folder / "README.md").read_text().split("---\n")[1])
    for config in head["configs"]:
        [split] = config["data_files"]
        assert all((folder / path).is_file() for path in split["path"]), config
    for part in ("input_format", "truth_format"):
        told = head["tira_configs"][part]
        assert check_format(folder, told["name"], told["config"])[0] == FormatMsgType.OK, part
    assert "--qrels ${inputDataset}/qrels.txt" in head["tira_configs"]["evaluator"]["command"]
    return of_ir_datasets(load_ir_dataset_from_local_file(folder, "a-local-folder"))


def opened_as_beir(folder: Path) -> Opened:
    """As GenericDataLoader of BEIR 2.2 does for the split "test": documents have title and text apart."""
    corpus = {row["_id"]: f"{row['title']} {row['text']}".strip() for row in json_rows(folder / "corpus.jsonl")}
    queries = {row["_id"]: row["text"] for row in json_rows(folder / "queries.jsonl")}
    grades: dict[str, dict[str, int]] = {}
    with (folder / "qrels/test.tsv").open(encoding="utf-8") as file:
        lines = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_MINIMAL)
        next(lines)
        for topic, document, score in lines:
            grades.setdefault(topic, {})[document] = int(score)
    return Opened({topic: queries[topic] for topic in grades}, corpus, grades)


def scored_by_ir_measures(grades: Any, run: Any, names: list[str]) -> dict[str, str]:
    """Means to six digits."""
    import ir_measures

    means = ir_measures.calc_aggregate([ir_measures.parse_measure(name) for name in names], grades, run)
    return {str(measure): f"{mean:.6f}" for measure, mean in means.items()}


class Query(NamedTuple):
    query_id: str
    text: str
    narrative: str

    def default_text(self) -> str:
        return self.text


class Page(NamedTuple):
    doc_id: str
    title: str
    body: str
    url: str

    def default_text(self) -> str:
        return f"{self.title} {self.body}"


def register_datasets(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For one test, ir_datasets knows tea/small, of files in this folder, and tea/topics, which has no documents."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(folder / "home"))
    from ir_datasets import Dataset, formats
    from ir_datasets import registry as known
    from ir_datasets.util import LocalDownload

    topics, documents = LocalDownload(folder / "q.tsv"), LocalDownload(folder / "d.tsv")
    (folder / "q.tsv").write_text("q1\tgreen tea\tNot the <plant>.\n")
    (folder / "d.tsv").write_text("d1\tTea\tBrew it.\thttps://example.org/\n")
    queries = formats.TsvQueries(topics, Query)
    small, only_topics = Dataset(formats.TsvDocs(documents, Page), queries), Dataset(queries)
    monkeypatch.setattr(known, "_registered", known._registered | {"tea/small": small, "tea/topics": only_topics})
