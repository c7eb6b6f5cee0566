"""Topics and documents of ir_datasets."""

import gzip
import json
import sys
from pathlib import Path

import pytest

from assess.ir.common.problems import BadInput
from assess.ir.formats.irds import write_irds
from tests.other_tools import register_datasets


def written(source: str, part: str, folder: Path) -> list[dict[str, str]]:
    write_irds(source, part, folder / "written.jsonl.gz")
    with gzip.open(folder / "written.jsonl.gz", "rt") as file:
        return list(map(json.loads, file))


def test_topics_keep_all_texts_and_documents_have_their_title_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register_datasets(tmp_path, monkeypatch)
    [topic] = written("irds:tea/small", "topics", tmp_path)
    assert topic == {"title": "green tea", "query_id": "q1", "text": "green tea", "narrative": "Not the <plant>."}
    [page] = written("irds:tea/small", "documents", tmp_path)
    assert page == {"doc_id": "d1", "title": "Tea", "text": "Brew it.", "url": "https://example.org/"}


def test_what_cannot_be_had_is_refused_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    register_datasets(tmp_path, monkeypatch)
    (tmp_path / "d.tsv").unlink()
    for source, part, reason in (
        ("irds:tea/none", "topics", "irds:tea/none: ir_datasets has no dataset of this id"),
        ("irds:tea/topics", "documents", "irds:tea/topics: this dataset of ir_datasets has no documents"),
        ("irds:tea/small", "documents", "irds:tea/small: ir_datasets could not read the documents"),
    ):
        with pytest.raises(BadInput, match=reason):
            written(source, part, tmp_path)
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(BadInput, match="ir_datasets is not installed; name a file, or install it"):
        written("irds:tea/small", "topics", tmp_path)
