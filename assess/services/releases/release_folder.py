"""A release as a folder that the field's tools open as it is: topics, documents and qrels in one folder for each kind
of unit, runs, and the judgments with their history, with a README. It is streamed as a zip archive, so that its size
takes no memory."""

import zipfile
from collections.abc import Iterable, Iterator
from io import RawIOBase
from typing import Any

from django.utils.text import slugify

from assess.ir.formats.run_columns import write_run
from assess.ir.formats.table import write_table
from assess.models import Campaign, Qrels, Run
from assess.services.releases import manifest, unit_folder
from assess.services.releases.export import export_chunks
from assess.services.runs import runs
from assess.services.runs.metadata import RunMeta

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
        for name, texts in unit_folder.unit_files(release, unit):
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
        "units": {unit: unit_folder.ABOUT[unit_folder.Unit(unit)] for unit in release.counts},
        "sha256": manifest.hash_manifest(release),
        "signer": release.manifest.get("signed_by"),
    }
    return unit_folder.as_plain_text("releases/readme.md", about)


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
