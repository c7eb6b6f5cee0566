"""A whole campaign as one file, which another installation can import (`services.importing`)."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import BinaryField, Field, Model
from django.utils import timezone

from assess.ir.formats import campaign_file
from assess.ir.runs.ranking import as_table, from_table, pack, unpack
from assess.models import Campaign, Instance, Job, MadeFile, Ranking, VisualMap
from assess.services.collection import collections
from assess.services.common import parquet, workspace
from assess.services.common.consistent import consistent
from assess.services.formulas import visual_ids
from assess.services.jobs.job_queue import OnProgress
from assess.services.portable import NAMING, PORTABLE, Portable
from assess.services.results.export import pseudonym

CHUNK = 2_000
PEOPLE, INDEX = "rows/people.jsonl", "formulas/index.jsonl"


class Content(NamedTuple):
    """A compressed field of a model, which is a file of its own: the folder, and how it is unpacked and packed."""

    folder: str
    unpack: Callable[[bytes], bytes]
    pack: Callable[[bytes], bytes]

    def file(self, number: int) -> str:
        return f"{self.folder}/{number}.tsv"


CONTENTS: dict[type[Model], Content] = {
    Ranking: Content("rankings", lambda packed: as_table(unpack(packed)), lambda text: pack(from_table(text))),
    MadeFile: Content("made", zlib.decompress, zlib.compress),
}


def path_of(campaign: Campaign) -> Path:
    """Where the campaign file of a campaign is, once it was made."""
    return Path(settings.MEDIA_ROOT, "campaign_files", str(campaign.pk), "campaign.zip")


def make(campaign: Campaign, on_progress: OnProgress, *, names: bool = True, emails: bool = False) -> Path:
    """Write the campaign's file, in place of the one before."""
    unfinished, path = workspace.new_path(), path_of(campaign)
    with unfinished.open("xb") as target:
        export(campaign, target, on_progress, names=names, emails=emails)
    path.parent.mkdir(parents=True, exist_ok=True)
    return unfinished.rename(path)


def export(
    campaign: Campaign, target: BinaryIO, on_progress: OnProgress, *, names: bool = True, emails: bool = False
) -> None:
    """Write a campaign file. ``names``: with user names, else pseudonyms and without the history of who did what;
    ``emails``: with addresses. Passwords are never in it."""
    campaign = Campaign.objects.select_related("collection").get(pk=campaign.pk)
    writer, outgoing = campaign_file.Writer(target), OutgoingRows(campaign, names)
    chosen = [portable for portable in PORTABLE if names or portable.model not in NAMING]
    large = [portable for portable in chosen if portable.is_large]
    on_progress(0, len(large) + 1, "reading the campaign")
    with consistent():
        for portable in chosen:
            if not portable.is_large:
                writer.add_rows(portable.file, outgoing.rows(portable))
    for done, portable in enumerate(large, start=1):
        on_progress(done, len(large) + 1, f"reading {portable.model._meta.verbose_name_plural}")
        writer.add_rows(portable.file, outgoing.rows(portable))
        add_contents(writer, portable, campaign)
    add_formulas(writer, campaign)
    writer.add_rows(PEOPLE, outgoing.people(emails))
    writer.close(about(campaign, names, emails))


def about(campaign: Campaign, names: bool, emails: bool) -> dict[str, Any]:
    """What the manifest says."""
    return {
        "software": f"Assess {settings.VERSION}",
        "exported": timezone.now().isoformat(timespec="seconds"),
        "campaign": {
            "name": campaign.name,
            "slug": campaign.slug,
            "edition": campaign.edition,
            "preset": campaign.rules.preset,
        },
        "people": "user names" if names else "pseudonyms",
        "emails": emails,
        "not_included": "the columns of collections, pictures, passwords, and who is invited",
    }


def fields_of(portable: Portable) -> list[Field[Any, Any]]:
    """The fields of a row that leave, but for its packed content."""
    fields = portable.model._meta.concrete_fields
    kept = [
        field for field in fields if (not field.primary_key or field.is_relation) and field.name not in portable.without
    ]
    return [field for field in kept if field.related_model is not Job and not isinstance(field, BinaryField)]


class OutgoingRows:
    """The rows of a campaign as they leave, with numbers for keys and names for users."""

    def __init__(self, campaign: Campaign, names: bool) -> None:
        self.campaign, self.names = campaign, names
        self.numbers: dict[type[Model], dict[int, int]] = {}
        self.users = {user.pk: user for user in User.objects.filter(pk__in=self.involved())}
        self.renamed = {} if names else {user.username: self.person(pk) for pk, user in self.users.items()}
        self.seen: set[int] = set()

    def involved(self) -> set[int]:
        """Everybody who is named in a row or has started a job."""
        people = set(self.campaign.jobs.order_by().values_list("created_by", flat=True))
        for portable in PORTABLE:
            for field in fields_of(portable):
                if field.related_model is User:
                    rows = portable.rows(self.campaign).order_by()
                    people |= set(rows.values_list(field.attname, flat=True).distinct())
        return people

    def person(self, key: int) -> str:
        return self.users[key].username if self.names else pseudonym(self.campaign, key)

    def rows(self, portable: Portable) -> Iterator[dict[str, Any]]:
        fields = fields_of(portable)
        numbers = self.numbers.setdefault(portable.model, {})
        rows = portable.rows(self.campaign).values_list("pk", *(field.attname for field in fields))
        for number, (key, *values) in enumerate(rows.iterator(CHUNK), start=1):
            numbers[key] = number
            yield {
                field.name: None if value is None else self.leaving(portable, field, value)
                for field, value in zip(fields, values, strict=True)
            }

    def leaving(self, portable: Portable, field: Field[Any, Any], value: Any) -> Any:
        if field.related_model is User:
            self.seen.add(value)
            return self.person(value)
        if field.is_relation:
            return self.numbers[field.related_model][value]  # type: ignore[index]
        if change := portable.changes.get(field.name):
            value = change(value, lambda model, key: self.numbers[model][key])
        if field.name in portable.with_names and self.renamed:
            value = renamed(value, self.renamed)
        return value.isoformat() if isinstance(value, date) else value

    def people(self, emails: bool) -> Iterator[dict[str, str]]:
        """Everybody whom a row names, by user name."""
        for name, key in sorted((self.person(key), key) for key in self.seen):
            row = {"user": name, "name": self.users[key].get_full_name() if self.names else ""}
            yield row | ({"email": self.users[key].email} if emails and self.names else {})


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """JSON with other user names."""
    if isinstance(value, dict):
        return {names.get(key, key): renamed(part, names) for key, part in value.items()}
    if isinstance(value, list):
        return [renamed(part, names) for part in value]
    return names.get(value, value) if isinstance(value, str) else value


def add_contents(writer: campaign_file.Writer, portable: Portable, campaign: Campaign) -> None:
    """The packed content of each row as a file, one at a time."""
    if content := CONTENTS.get(portable.model):
        keys = list(portable.rows(campaign).values_list("pk", flat=True))
        for number, key in enumerate(keys, start=1):
            packed = portable.model._base_manager.values_list("packed", flat=True).get(pk=key)
            writer.add(content.file(number), [content.unpack(bytes(packed))])


def add_formulas(writer: campaign_file.Writer, campaign: Campaign) -> None:
    """What the collection's columns say of the pooled formulas: releases and disagreements look them up."""
    pooled = Instance.objects.filter(entry__pool__campaign=campaign, kind=Instance.Kind.FORMULA)
    documents = set(pooled.values_list("doc_id", flat=True))
    if not documents or campaign.collection is None:
        return
    rows = collections.formula_rows(campaign.collection, documents)
    writer.add_rows(INDEX, (rows[document]._asdict() for document in sorted(rows)))
    for version in VisualMap.objects.filter(collection=campaign.collection, applied__isnull=False).order_by("pk"):
        pairs = parquet.frame(visual_ids.folder(version, "map"), "formula_id", documents, visual_ids.PAIRS)
        if len(pairs):
            writer.add_rows(map_file(version), pairs.sort("formula_id").iter_rows(named=True))


def map_file(version: VisualMap) -> str:
    return f"formulas/visual-ids-{version.number}.jsonl"
