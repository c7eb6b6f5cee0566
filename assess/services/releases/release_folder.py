"""A release as a folder that the field's tools open as it is: topics, documents and qrels in one folder for each kind
of unit, runs, and the judgments with their history, with a README. It is streamed as a zip archive, so that its size
takes no memory."""

import csv
import io
import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from io import RawIOBase
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.template import Context, Engine
from django.utils.text import slugify

from assess.ir.collection.html import plain_text
from assess.ir.formats.run_columns import write_run
from assess.ir.formats.table import write_table
from assess.models import Campaign, Instance, Post, Qrels, QrelsLine, Run, Topic, WrittenAnswer
from assess.services.collection import collections
from assess.services.releases import manifest, qrels
from assess.services.releases.export import export_chunks
from assess.services.runs import runs
from assess.services.runs.metadata import RunMeta

Unit = QrelsLine.Unit
Rows = Iterator[dict[str, Any]]
CHUNK = 1_000
ABOUT = {
    Unit.POST: "A document is an answer.",
    Unit.VISUAL: "A document is a visually distinct formula, with its instances in `corpus.jsonl.gz`.",
    Unit.INSTANCE: "A document is an occurrence of a formula in a post.",
    Unit.WRITTEN: "A document is an answer that a system wrote.",
    Unit.DOCUMENT: "A document is one of the collection.",
}


def unit_files(release: Qrels, unit: str) -> Iterator[tuple[str, Iterable[str | bytes]]]:
    about = about_unit(release, unit)
    yield "README.md", [as_plain_text("releases/unit_readme.md", about)]
    yield "dataset.py", [as_plain_text("releases/unit_dataset.py", about)]
    yield "queries.jsonl", json_lines(query_rows(release, unit))
    rows = document_rows(release, unit)  # TIRA and ir_datasets take what a system indexes from one field
    texts = (row | {"text": f"{row['title']} {row['text']}".strip()} if row.get("title") else row for row in rows)
    yield "corpus.jsonl.gz", gzipped(json_lines(texts))
    rows = document_rows(release, unit)
    beir = ({"_id": row["docno"], "title": row.get("title", ""), "text": row["text"]} for row in rows)
    yield "corpus.jsonl", json_lines(beir)
    yield "qrels.txt", [qrels.as_file(release, unit)]
    yield about["binary"], [qrels.as_file(release, unit, binary=True)]
    yield "qrels/test.tsv", [beir_qrels(release, unit)]


def about_unit(release: Qrels, unit: str) -> dict[str, Any]:
    name, version = release.made_with["name"], release.version
    return {
        "title": json.dumps(f"{name}, release {version}", ensure_ascii=False),
        "name": name,
        "version": version,
        "edition": release.made_with["edition"],
        "topics": release.counts[unit]["topics"],
        "about": ABOUT[Unit(unit)],
        "has_latex": unit != Unit.DOCUMENT,
        "binary": f"qrels.{manifest.grades_of(unit)[1]}.txt",
        "level": release.protocol["level"],
        "id": f"{release.pool.campaign.slug}/release-{version}/{unit}",
        "unit": unit,
    }


def as_plain_text(template: str, values: dict[str, Any]) -> str:
    """A template that is no HTML, with numbers as they are, in whatever language somebody reads the page."""
    context = Context(values, autoescape=False, use_l10n=False)
    return str(Engine.get_default().get_template(template).render(context))


def json_lines(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def gzipped(lines: Iterable[str]) -> Iterator[bytes]:
    """The same bytes for the same lines: without the time."""
    packer = zlib.compressobj(wbits=31)
    yield from (packer.compress(line.encode()) for line in lines)
    yield packer.flush()


def beir_qrels(release: Qrels, unit: str) -> str:
    """With the quotes of CSV around ids that begin with one."""
    text = io.StringIO()
    table = csv.writer(text, delimiter="\t", lineterminator="\n")
    table.writerows([("query-id", "corpus-id", "score"), *release.lines_of(unit)])
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


DATE = (1980, 1, 1, 0, 0, 0)


class Sent(RawIOBase):
    """A file that is sent as it is written, and can't be rewound."""

    def __init__(self) -> None:
        self.waiting: list[bytes] = []

    def write(self, data: Any) -> int:
        self.waiting.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        data, self.waiting = b"".join(self.waiting), []
        return data


def zip_pieces(release: Qrels) -> Iterator[bytes]:
    sent = Sent()
    with zipfile.ZipFile(sent, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
        for name, texts in folder_files(release):
            entry = zipfile.ZipInfo(f"{folder_name(release)}/{name}", DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w") as file:
                for text in texts:
                    file.write(text if isinstance(text, bytes) else text.encode())
                    if sent.waiting:
                        yield sent.taken()
    yield sent.taken()


def folder_name(release: Qrels) -> str:
    return f"{release.pool.campaign.slug}.release-{release.version}"


def folder_files(release: Qrels) -> Iterator[tuple[str, Iterable[str | bytes]]]:
    yield "README.md", [readme(release)]
    yield "manifest.json", [manifest.write_provenance(release)]
    if signer := release.manifest.get("signed_by"):
        yield "manifest.sig", [bytes.fromhex(release.signature)]
        yield "public-key.pem", [signer["key"]]
    for unit in release.counts:
        for name, texts in unit_files(release, unit):
            yield f"{unit}/{name}", texts
    yield from run_files(release.pool.campaign)
    for kind in ("judgments", "history"):
        yield f"{kind}.jsonl", export_chunks(release.pool.campaign, kind, "jsonl")


def readme(release: Qrels) -> str:
    about = {
        "name": release.made_with["name"],
        "version": release.version,
        "edition": release.made_with["edition"],
        "released": f"{release.created:%-d %B %Y}",
        "note": release.note,
        "units": {unit: ABOUT[Unit(unit)] for unit in release.counts},
        "sha256": manifest.hash_manifest(release),
        "signer": release.manifest.get("signed_by"),
    }
    return as_plain_text("releases/readme.md", about)


def run_files(campaign: Campaign) -> Iterator[tuple[str, Iterable[str]]]:
    """The runs that are not withdrawn, and the table that an import reads. One ranking at a time is in memory. Written
    answers keep their format, so that an import refuses their ids instead of taking them for posts."""
    keys, metas = [], []
    for number, run in enumerate(campaign.entered_runs(), start=1):
        fields = {name: getattr(run, name) for name in RunMeta._fields if name not in ("file", "note")}
        fields["format"] = run.format if run.is_written else Run.Format.TREC
        metas.append(RunMeta(file=f"{number:03}-{slugify(run.name)[:60]}.txt", **fields))
        keys.append(run.pk)
    yield "runs/runs.tsv", [write_table([RunMeta._fields, *metas])]
    for key, meta in zip(keys, metas, strict=True):
        run = Run.objects.select_related("ranking").get(pk=key)
        yield f"runs/{meta.file}", [write_run(runs.load_ranking(run), "trec", "-".join(run.name.split()))]
