"""One kind of unit of a release in one flat folder that the field's tools open as it is: topics, documents and qrels as
TIRA, ir_datasets (so PyTerrier) and BEIR read them, with a README whose head TIRA reads."""

import csv
import io
import json
import zlib
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from assess.ir.collection.html import plain_text
from assess.models import Instance, Post, Qrels, QrelsLine, Topic, WrittenAnswer
from assess.services.collection import collections
from assess.services.releases import qrels

Unit = QrelsLine.Unit
Rows = Iterator[dict[str, Any]]
CHUNK = 1_000
README = """---
pretty_name: {title}
configs:
- config_name: inputs
  data_files:
  - split: test
    path: ["corpus.jsonl.gz", "queries.jsonl"]
- config_name: truths
  data_files:
  - split: test
    path: ["qrels.txt", "queries.jsonl"]
tira_configs:
  resolve_inputs_to: "."
  resolve_truths_to: "."
  default_upload_name: "run.txt"
  input_format:
    name: "ir-dataset-corpus"
    config: {{max_size_mb: 10000}}  # without it, files of more than 75 MB are refused
  truth_format:
    name: "qrels.txt"
    config: {{minimum_queries: {topics}}}
  baseline:  # name a program of yours, or submit the folder with --skip-baseline
    link: ""
    command: ""
    format:
      name: ["run.txt"]
      config: {{minimum_queries: 1}}
  evaluator:  # ir-measures; the nDCG@10 of TIRA's own "measures" is another one
    image: webis/ir_measures_evaluator:1.0.5
    command: >-
      /ir_measures_evaluator.py --run ${{inputRun}}/run.txt --topics ${{inputDataset}}/queries.jsonl
      --qrels ${{inputDataset}}/qrels.txt --output_path ${{outputDir}} --measures "nDCG@10" "P@10" "MRR"
---
# {name}, release {version}

Topics, documents and relevance judgments of {edition}. {about}
Documents are those of the pool whose text is known: not the whole collection.{latex}

* `queries.jsonl`: the id of a topic (`qid`, `_id`), its text (`query`, `text`), and its parts (`original_query`).
* `corpus.jsonl.gz`: documents (`docno`, `text` with the title, and what else is known of them).
* `qrels.txt`: topic, 0, document, grade. In `qrels.hm.txt` it is 1 from grade {level} up, otherwise 0.
* `corpus.jsonl` and `qrels/test.tsv`: documents with a title of their own, and qrels, as BEIR has them.
* `dataset.py` registers all of it as `{id}`.

With ir_datasets, and PyTerrier, whose name for it is `irds:{id}`:

    import runpy, ir_datasets
    runpy.run_path("{unit}/dataset.py")
    dataset = ir_datasets.load("{id}")

With TIRA, BEIR, ir-measures and ranx:

    from tira.check_format import check_format
    check_format("{unit}", "ir-dataset-corpus")

    from beir.datasets.data_loader import GenericDataLoader
    corpus, queries, qrels = GenericDataLoader("{unit}").load(split="test")

    import ir_measures
    qrels = ir_measures.read_trec_qrels("{unit}/qrels.txt")

    from ranx import Qrels
    qrels = Qrels.from_file("{unit}/qrels.txt", kind="trec")
"""
DATASET = '''"""Registers the topics, documents and qrels in this folder with ir_datasets."""

from pathlib import Path

from ir_datasets import Dataset
from ir_datasets import registry as known_datasets
from ir_datasets.formats import JsonlDocs, JsonlQueries, TrecQrels
from ir_datasets.util import GzipExtract, LocalDownload

HERE = Path(__file__).resolve().parent
DOCS, QUERIES, QRELS = (LocalDownload(HERE / name) for name in ("corpus.jsonl.gz", "queries.jsonl", "qrels.txt"))

known_datasets.register(
    "{id}",
    Dataset(
        JsonlDocs(GzipExtract(DOCS), mapping={{"doc_id": "docno", "text": "text"}}),
        JsonlQueries(QUERIES, mapping={{"query_id": "qid", "text": "query"}}),
        TrecQrels(QRELS, {{}}),
    ),
)
'''
ABOUT = {
    Unit.POST: "A document is an answer.",
    Unit.VISUAL: "A document is a visually distinct formula, with its instances in `corpus.jsonl.gz`.",
    Unit.INSTANCE: "A document is an occurrence of a formula in a post.",
    Unit.WRITTEN: "A document is an answer that a system wrote.",
    Unit.DOCUMENT: "A document is one of the collection.",
}


def unit_files(release: Qrels, unit: str) -> Iterator[tuple[str, Iterable[str | bytes]]]:
    """The name and the text of each file."""
    yield "README.md", [unit_readme(release, unit)]
    yield "dataset.py", [DATASET.format(id=dataset_id(release, unit))]
    yield "queries.jsonl", json_lines(query_rows(release, unit))
    yield "corpus.jsonl.gz", gzipped(json_lines(map(with_title_in_text, document_rows(release, unit))))
    yield "corpus.jsonl", json_lines(map(as_in_beir, document_rows(release, unit)))
    yield "qrels.txt", [qrels.as_file(release, unit)]
    yield "qrels.hm.txt", [qrels.as_file(release, unit, binary=True)]
    yield "qrels/test.tsv", [beir_qrels(release, unit)]


def dataset_id(release: Qrels, unit: str) -> str:
    return f"{release.pool.campaign.slug}/release-{release.version}/{unit}"


def unit_readme(release: Qrels, unit: str) -> str:
    name, version = release.made_with["name"], release.version
    return README.format(
        title=json.dumps(f"{name}, release {version}", ensure_ascii=False),
        topics=release.counts[unit]["topics"],
        name=name,
        version=version,
        edition=release.made_with["edition"],
        about=ABOUT[Unit(unit)],
        latex="" if unit == Unit.DOCUMENT else " In texts formulas are LaTeX.",
        level=release.protocol["level"],
        id=dataset_id(release, unit),
        unit=unit,
    )


def json_lines(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def gzipped(lines: Iterable[str]) -> Iterator[bytes]:
    """The same bytes for the same lines: without the time."""
    packer = zlib.compressobj(wbits=31)
    yield from (packer.compress(line.encode()) for line in lines)
    yield packer.flush()


def with_title_in_text(row: dict[str, Any]) -> dict[str, Any]:
    """TIRA and ir_datasets take what a system indexes from one field."""
    return row | {"text": f"{row['title']} {row['text']}".strip()} if row.get("title") else row


def as_in_beir(row: dict[str, Any]) -> dict[str, Any]:
    return {"_id": row["docno"], "title": row.get("title", ""), "text": row["text"]}


def beir_qrels(release: Qrels, unit: str) -> str:
    """With the quotes of CSV around ids that begin with one."""
    text = io.StringIO()
    table = csv.writer(text, delimiter="\t", lineterminator="\n")
    table.writerow(("query-id", "corpus-id", "score"))
    table.writerows(release.lines_of(unit))
    return text.getvalue()


def query_rows(release: Qrels, unit: str) -> Rows:
    """The topics that have lines, in order. TIRA and BEIR have names of their own for id and text; one row has
    both."""
    judged = release.lines.filter(unit=unit).order_by().values("topic_id")
    for topic in Topic.objects.filter(campaign=release.pool.campaign, topic_id__in=judged):
        text = plain_text(f"{topic.title} {topic.body}")
        parts = {"query_id": topic.topic_id, "title": plain_text(topic.title), "body": topic.body, "tags": topic.tags}
        parts |= {name: plain_text(value) for name, value in topic.fields.items()}
        parts |= {"formula_id": topic.formula_id, "latex": topic.latex}
        ids = {"qid": topic.topic_id, "query": text, "_id": topic.topic_id, "text": text}
        yield ids | {"original_query": without_empty(parts)}


def without_empty(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value}


def document_rows(release: Qrels, unit: str) -> Rows:
    """The documents of the pool whose text is known, by id."""
    campaign, pooled = release.pool.campaign, Instance.objects.filter(entry__pool=release.pool).order_by()
    if unit in (Unit.POST, Unit.DOCUMENT):
        post_ids = pooled.filter(kind=release.pool.rules.kind.instance).values("post_id")
        posts = Post.objects.filter(collection=campaign.collection, post_id__in=post_ids).order_by("post_id")
        for post in posts.iterator(CHUNK):
            row = {"docno": post.post_id, "text": plain_text(post.body)}
            about = {"title": plain_text(post.title), "url": post.url, "language": post.language, "html": post.body}
            yield row | without_empty(about) | ({"thread_id": post.thread_id} if unit == Unit.POST else {})
    elif unit == Unit.WRITTEN:
        ids = pooled.filter(kind=Instance.Kind.WRITTEN).values("doc_id")
        answers = WrittenAnswer.objects.filter(topic__campaign=campaign, doc_id__in=ids).order_by("doc_id")
        for doc_id, body in answers.values_list("doc_id", "body").iterator(CHUNK):
            yield {"docno": doc_id, "text": plain_text(body), "html": body}
    else:
        instances = sorted(formula_rows(release), key=itemgetter("docno"))
        yield from instances if unit == Unit.INSTANCE else by_visual_id(instances)


def formula_rows(release: Qrels) -> Rows:
    """Each pooled formula with its LaTeX from the index; without an index its text is unknown."""
    pooled = Instance.objects.filter(entry__pool=release.pool, kind=Instance.Kind.FORMULA)
    places = {row[0]: row[1:] for row in pooled.values_list("doc_id", "entry__unit_id", "post_id")}
    collection = release.pool.campaign.collection
    indexed = collections.index_rows(collection, places) if collection else {}
    for doc_id, (unit_id, post_id) in places.items():
        if doc_id in indexed:
            text = " ".join(indexed[doc_id].latex.split())
            visual_id = release.units.get(doc_id, unit_id)
            yield {"docno": doc_id, "text": text, "visual_id": visual_id, "post_id": post_id}


def by_visual_id(instances: list[dict[str, Any]]) -> Rows:
    """Each visually distinct formula with its instances; the text is that of the first one."""
    for visual_id, group in groupby(sorted(instances, key=itemgetter("visual_id")), itemgetter("visual_id")):
        rows = list(group)
        members = [{"formula_id": row["docno"], "post_id": row["post_id"]} for row in rows]
        yield {"docno": visual_id, "text": rows[0]["text"], "instances": members}
