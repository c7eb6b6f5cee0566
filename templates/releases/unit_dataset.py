"""Registers the topics, documents and qrels in this folder with ir_datasets."""

from pathlib import Path

from ir_datasets import Dataset
from ir_datasets import registry as known_datasets
from ir_datasets.formats import JsonlDocs, JsonlQueries, TrecQrels
from ir_datasets.util import GzipExtract, LocalDownload

HERE = Path(__file__).resolve().parent
DOCS, QUERIES, QRELS = (LocalDownload(HERE / name) for name in ("corpus.jsonl.gz", "queries.jsonl", "qrels.txt"))

known_datasets.register(
    "{{ id }}",
    Dataset(
        JsonlDocs(GzipExtract(DOCS), mapping={"doc_id": "docno", "text": "text"}),
        JsonlQueries(QUERIES, mapping={"query_id": "qid", "text": "query"}),
        TrecQrels(QRELS, {}),
    ),
)
