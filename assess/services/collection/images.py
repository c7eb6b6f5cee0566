"""Pictures of posts, kept beside the collection: pages load them from here and from nowhere else."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from html import unescape
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from django.core.files.uploadedfile import UploadedFile
from django.db.models import Q

from assess.ir.common.problems import Problems
from assess.ir.formats.archive import is_archive, iter_files
from assess.models import Campaign, Collection, Post, Topic
from assess.services.collection import collections
from assess.services.common import workspace

SIGNATURES = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8[79]a"),
    "image/webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
}
NAME = re.compile(r"\w[\w.-]*")
ASKED = re.compile(r'<a class="post-image"(?: href="([^"]*)")? data-image="([^"]+)"')
"""A picture in canonical HTML: where it was, and its file name."""
MAX_BYTES = 10_000_000


def image_type(data: bytes) -> str | None:
    """What the first bytes of a file say it is; None for anything but a picture that browsers show safely."""
    return next((kind for kind, start in SIGNATURES.items() if start.match(data)), None)


def folder(collection: Collection) -> Path:
    return collections.home(collection) / "images"


def names(collection: Collection) -> list[str]:
    """The file names of the pictures that are there, in order."""
    place = folder(collection)
    return sorted(path.name for path in place.iterdir()) if place.is_dir() else []


class Wanted(NamedTuple):
    """A picture that stored texts ask for: its file name, how many of them do, and where the site had it."""

    name: str
    texts: int
    address: str


def wanted(collection: Collection) -> list[Wanted]:
    """The pictures of the stored threads and of the topics that are searched in the collection, by name."""
    found = [match for html in texts_of(collection) for match in set(ASKED.findall(html))]
    counts = Counter(name for _, name in found)
    addresses = {name: unescape(address) for address, name in found}
    return [Wanted(name, counts[name], addresses[name]) for name in sorted(counts)]


def texts_of(collection: Collection) -> Iterator[str]:
    """The bodies with a picture in them."""
    campaigns = Campaign.objects.filter(collection=collection)
    threads = Q(collection=collection) | Q(collection__in=campaigns.values("topic_threads"))
    for rows in (Post.objects.filter(threads), Topic.objects.filter(campaign__in=campaigns)):
        yield from rows.filter(body__contains="data-image=").values_list("body", flat=True)


def missing(collection: Collection) -> list[Wanted]:
    there = set(names(collection))
    return [one for one in wanted(collection) if one.name not in there]


def add(collection: Collection, files: Iterable[UploadedFile[Any]]) -> int:
    """Keep pictures, given as files or in zip archives, under the names that posts call them by; all or none.
    Returns how many there were. Raises BadInput for what is no picture, and for another picture under a name on
    which a frozen pool stands."""
    problems = Problems("images")
    is_frozen = any(campaign.frozen_pool() for campaign in collection.campaigns.all())
    made = workspace.new_path()
    made.mkdir()
    try:
        for given, data in pictures(files):
            name = stored_name(given)
            if reason := defect(folder(collection) / name, data, is_frozen) or clash(made / name, data):
                problems.add(0, f"{given}: {reason}")
            else:
                (made / name).write_bytes(data)
        problems.check()
        return moved(made, folder(collection))
    finally:
        shutil.rmtree(made)


def pictures(files: Iterable[UploadedFile[Any]]) -> Iterator[tuple[str, bytes]]:
    """Name and content of each file, those in archives too."""
    for file in files:
        name = file.name or ""
        if is_archive(name):
            yield from iter_files(cast("BinaryIO", file), name, MAX_BYTES)
        else:
            yield name, file.read(MAX_BYTES + 1)


def moved(made: Path, place: Path) -> int:
    place.mkdir(parents=True, exist_ok=True)
    fresh = list(made.iterdir())
    for path in fresh:
        path.replace(place / path.name)
    return len(fresh)


def stored_name(name: str) -> str:
    """The name by which the canonical HTML of a post asks for a picture (`assess.ir.collection.html`)."""
    return re.sub(r"[^\w.-]", "_", re.split(r"[/\\]", name)[-1])


def defect(path: Path, data: bytes, is_frozen: bool) -> str:
    if not NAME.fullmatch(path.name):
        return "a file name starts with a letter or a digit; rename it"
    if len(data) > MAX_BYTES:
        return f"larger than {MAX_BYTES // 1_000_000} MB; make it smaller"
    if not image_type(data):
        return "no PNG, JPEG, GIF or WebP picture; convert it"
    if is_frozen and path.exists() and path.read_bytes() != data:
        return "another picture of this name is there, and a frozen pool shows it"
    return ""


def clash(path: Path, data: bytes) -> str:
    """Why a picture cannot stand beside those given before it."""
    is_other = path.exists() and path.read_bytes() != data
    return f"there are two pictures of the name {path.name}; keep one" if is_other else ""
