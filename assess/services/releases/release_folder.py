"""A release as a folder that the field's tools open as it is: queries, documents, qrels and runs in the formats
of ir_datasets (TSV and JSON lines) and trec_eval, and the judgments with their history, with a README. It is streamed
as a zip archive, so that its size takes no memory."""

import json
import zipfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.utils.text import slugify

from assess.ir.collection.html import plain_text
from assess.ir.formats.run_columns import write_run
from assess.ir.formats.table import write_table
from assess.models import Campaign, Instance, Post, Qrels, QrelsLine, Run, Topic, WrittenAnswer
from assess.services.collection import collections
from assess.services.releases import manifest, qrels
from assess.services.releases.export import export_lines
from assess.services.runs import runs
from assess.services.runs.metadata import RunMeta

Unit = QrelsLine.Unit
Rows = Iterator[dict[str, Any]]
CHUNK = 1_000
DATE = (1980, 1, 1, 0, 0, 0)
README = """# {name}, release {version}

Topics, documents, relevance judgments and runs of {edition}, released on {released:%-d %B %Y}.{note}

* `queries.tsv`: topic and its text; `queries.jsonl`: title and body also as HTML, tags, and other fields if any.
* `{units}/`: for each kind of unit that has qrels, `qrels.txt` (topic, 0, document, grade), `qrels.hm.txt` (1 from
  grade {level} up, otherwise 0), `docs.tsv` (document and its text) and `docs.jsonl`. Documents are those of the pool
  whose text is known: not the whole collection.
* `runs/`: every run of the campaign in TREC's format (topic, Q0, document, rank, score, run), and `runs.tsv`, the table
  about them; they can be imported together.
* `judgments.jsonl` and `history.jsonl`: the judgments of the campaign and every change of them, by assessors under
  pseudonyms. Comments are as they were written.
* `manifest.json`: the protocol, and everything that the release can be checked by. Its SHA-256 is
  `{sha256}`.{signature}

In texts formulas are LaTeX. {about}

    import ir_measures
    qrels = ir_measures.read_trec_qrels("{unit}/qrels.txt")

    from ranx import Qrels
    qrels = Qrels.from_file("{unit}/qrels.txt", kind="trec")

ir_datasets reads `queries.tsv` and `docs.tsv` with `TsvQueries` and `TsvDocs`.
Runs, judgments and history are as they were when this folder was made; the rest is as it was released.
"""
SIGNATURE = """
* `manifest.sig` and `public-key.pem`: the signature of {name}, and what it can be checked with:
  `openssl pkeyutl -verify -pubin -inkey public-key.pem -rawin -in manifest.json -sigfile manifest.sig`"""
ABOUT = {
    Unit.POST: "A document is an answer.",
    Unit.VISUAL: "A document is a visually distinct formula; its instances are in `docs.jsonl`.",
    Unit.INSTANCE: "A document is an occurrence of a formula in a post.",
    Unit.WRITTEN: "A document is an answer that a system wrote.",
    Unit.DOCUMENT: "A document is one of the collection.",
}


class Sent:
    """A file that is sent as it is written; zipfile needs no more of a file that it cannot rewind."""

    def __init__(self) -> None:
        self.waiting: list[bytes] = []

    def write(self, data: bytes) -> int:
        self.waiting.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        pass

    def taken(self) -> bytes:
        data, self.waiting = b"".join(self.waiting), []
        return data


def zip_pieces(release: Qrels) -> Iterator[bytes]:
    """The zip archive, piece by piece."""
    sent = Sent()
    with zipfile.ZipFile(sent, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:  # type: ignore[call-overload]
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
    """The name and the text of each file."""
    yield "README.md", [readme(release)]
    yield "manifest.json", [manifest.write_provenance(release)]
    if signer := release.manifest.get("signed_by"):
        yield "manifest.sig", [bytes.fromhex(release.signature)]
        yield "public-key.pem", [signer["key"]]
    yield from two_tables("queries", partial(query_rows, release))
    for unit in release.counts:
        yield f"{unit}/qrels.txt", [qrels.as_file(release, unit)]
        yield f"{unit}/qrels.hm.txt", [qrels.as_file(release, unit, binary=True)]
        yield from two_tables(f"{unit}/docs", partial(document_rows, release, unit))
    yield from run_files(release.pool.campaign)
    for kind in ("judgments", "history"):
        yield f"{kind}.jsonl", export_lines(release.pool.campaign, kind, "jsonl")


def readme(release: Qrels) -> str:
    units, signer = list(release.counts), release.manifest.get("signed_by")
    return README.format(
        sha256=manifest.hash_manifest(release),
        signature=SIGNATURE.format(name=signer["name"]) if signer else "",
        name=release.made_with["name"],
        edition=release.made_with["edition"],
        version=release.version,
        released=release.created,
        note=f" {release.note}" if release.note else "",
        units="/`, `".join(units),
        unit=units[0],
        level=release.chosen.relevant_level(release.protocol["level"]),
        about=" ".join(f"In `{unit}/`: {ABOUT[Unit(unit)]}" for unit in units),
    )


def two_tables(name: str, rows: Callable[[], Rows]) -> Iterator[tuple[str, Iterable[str]]]:
    """The same rows as TSV (the first field and the text) and as JSON lines."""
    yield f"{name}.tsv", (f"{next(iter(row.values()))}\t{row['text']}\n" for row in rows())
    yield f"{name}.jsonl", (json.dumps(row, ensure_ascii=False) + "\n" for row in rows())


def run_files(campaign: Campaign) -> Iterator[tuple[str, Iterable[str]]]:
    """The runs, and the table that an import reads. One ranking at a time is in memory. Written answers keep their
    format, so that an import refuses their ids instead of taking them for posts."""
    keys, metas = [], []
    for number, run in enumerate(campaign.runs.all(), start=1):
        fields = {name: getattr(run, name) for name in RunMeta._fields if name not in ("file", "note")}
        fields["format"] = run.format if run.is_written else Run.Format.TREC
        metas.append(RunMeta(file=f"{number:03}-{slugify(run.name)[:60]}.txt", **fields))
        keys.append(run.pk)
    yield "runs/runs.tsv", [write_table([RunMeta._fields, *metas])]
    for key, meta in zip(keys, metas, strict=True):
        yield f"runs/{meta.file}", run_text(key)


def run_text(key: int) -> Iterator[str]:
    run = Run.objects.select_related("ranking").get(pk=key)
    yield write_run(runs.load_ranking(run), "trec", "-".join(run.name.split()))


def one_line(*html: str) -> str:
    """The text of HTML without line breaks and tabs."""
    return " ".join(" ".join(map(plain_text, html)).split())


def query_rows(release: Qrels) -> Rows:
    """The topics that have lines, in order."""
    judged = release.lines.order_by().values("topic_id")
    for topic in Topic.objects.filter(campaign=release.pool.campaign, topic_id__in=judged):
        row = {"query_id": topic.topic_id, "text": one_line(topic.title, topic.body)}
        row |= {"title": topic.title, "body": topic.body, "tags": topic.tags}
        row |= {"fields": topic.fields} if topic.fields else {}
        yield row | ({"formula_id": topic.formula_id, "latex": topic.latex} if topic.formula_id else {})


def document_rows(release: Qrels, unit: str) -> Rows:
    """The documents of the pool whose text is known, by id."""
    campaign, pooled = release.pool.campaign, Instance.objects.filter(entry__pool=release.pool).order_by()
    if unit in (Unit.POST, Unit.DOCUMENT):
        post_ids = pooled.filter(kind=release.pool.rules.kind.instance).values("post_id")
        posts = Post.objects.filter(collection=campaign.collection, post_id__in=post_ids).order_by("post_id")
        for post in posts.iterator(CHUNK):
            row = {"doc_id": post.post_id, "text": one_line(post.title, post.body)}
            if unit == Unit.POST:
                yield row | {"thread_id": post.thread_id, "html": post.body}
            else:
                yield row | {"title": post.title, "html": post.body, "url": post.url, "language": post.language}
    elif unit == Unit.WRITTEN:
        ids = pooled.filter(kind=Instance.Kind.WRITTEN).values("doc_id")
        answers = WrittenAnswer.objects.filter(topic__campaign=campaign, doc_id__in=ids).order_by("doc_id")
        for doc_id, body in answers.values_list("doc_id", "body").iterator(CHUNK):
            yield {"doc_id": doc_id, "text": one_line(body), "html": body}
    else:
        instances = sorted(formula_rows(release), key=itemgetter("doc_id"))
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
            yield {"doc_id": doc_id, "text": text, "visual_id": visual_id, "post_id": post_id}


def by_visual_id(instances: list[dict[str, Any]]) -> Rows:
    """Each visually distinct formula with its instances; the text is that of the first one."""
    for visual_id, group in groupby(sorted(instances, key=itemgetter("visual_id")), itemgetter("visual_id")):
        rows = list(group)
        members = [{"formula_id": row["doc_id"], "post_id": row["post_id"]} for row in rows]
        yield {"doc_id": visual_id, "text": rows[0]["text"], "instances": members}
