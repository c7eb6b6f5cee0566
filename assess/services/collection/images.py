"""Pictures in posts, stored with the collection: pages load them only from there."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from html import unescape
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import Q

from assess.ir.collection.html import linked_images
from assess.ir.common.problems import Problems
from assess.ir.formats.packed import is_archive, iter_files
from assess.models import Action, Campaign, Collection, Post, Topic
from assess.services.collection import collections
from assess.services.common import history, workspace
from assess.services.common.wording import number

SIGNATURES = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8[79]a"),
    "image/webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
}
NAME = re.compile(r"\w[\w.-]*")
LONGEST_NAME = 255
"""What file systems take, in bytes."""
MAX_BYTES = 10_000_000


def image_type(data: bytes) -> str | None:
    """The media type according to the first bytes; None for anything but a picture that browsers show safely."""
    return next((kind for kind, start in SIGNATURES.items() if start.match(data)), None)


def image_folder(collection: Collection) -> Path:
    return collections.collection_home(collection) / "images"


def image_names(collection: Collection) -> list[str]:
    """The file names of the stored pictures, in order."""
    path = image_folder(collection)
    return sorted(file.name for file in path.iterdir()) if path.is_dir() else []


def missing_images(collection: Collection) -> dict[str, str]:
    """The addresses, by file name, of pictures in stored threads and topics that nobody has uploaded."""
    campaigns = Campaign.objects.filter(collection=collection)
    threads = Q(collection=collection) | Q(collection__in=campaigns.values("topic_threads"))
    images: dict[str, str] = {}
    for rows in (Post.objects.filter(threads), Topic.every.filter(campaign__in=campaigns)):
        for html in rows.filter(body__contains="data-image=").values_list("body", flat=True):
            images |= {name: address for address, name in linked_images(html)}
    return {name: unescape(images[name]) for name in sorted(images.keys() - set(image_names(collection)))}


@transaction.atomic
def add_images(campaign: Campaign, collection: Collection, files: Iterable[UploadedFile[Any]], by: User) -> Action:
    """Store pictures, given as files or in zip archives, under the names that posts use; all or none. Raises BadInput
    for files that are not pictures, and for a different picture that would replace one in a frozen pool."""
    problems = Problems("images")
    is_frozen = collections.frozen_and_open(collection)[0] is not None
    temporary, folder = workspace.new_path(), image_folder(collection)
    temporary.mkdir()
    try:
        for original, picture in unpack_images(files):
            # By this name, the canonical HTML of a post refers to a picture (`assess.ir.collection.html`).
            name = re.sub(r"[^\w.-]", "_", re.split(r"[/\\]", original)[-1])
            if reason := image_defect(folder / name, temporary / name, picture, is_frozen):
                problems.add(0, f"{original}: {reason}")
            else:
                (temporary / name).write_bytes(picture)
        problems.check()
        paths = list(temporary.iterdir())
        noted = history.note(by, f"{number(len(paths), 'picture')} added", campaign, page="collection_images")
        folder.mkdir(parents=True, exist_ok=True)
        for path in paths:
            path.replace(folder / path.name)
        return noted
    finally:
        shutil.rmtree(temporary)


def unpack_images(files: Iterable[UploadedFile[Any]]) -> Iterator[tuple[str, bytes]]:
    """Name and content of each file, including those in archives."""
    for file in files:
        name = file.name or ""
        if is_archive(name):
            yield from iter_files(cast("BinaryIO", file), name, MAX_BYTES, settings.UNPACK_LIMIT)
        else:
            yield name, file.read(MAX_BYTES + 1)


def image_defect(path: Path, other: Path, data: bytes, is_frozen: bool) -> str:
    """What is wrong with a picture for this path; ``other``: where one of that name was uploaded together with it."""
    if not NAME.fullmatch(path.name):
        return "the file name must start with a letter or a digit; rename it"
    if len(path.name.encode()) > LONGEST_NAME:
        return f"the file name has more than {LONGEST_NAME} bytes; shorten it"
    if len(data) > MAX_BYTES:
        return f"larger than {MAX_BYTES // 1_000_000} MB; make it smaller"
    if not image_type(data):
        return "not a PNG, JPEG, GIF or WebP picture; convert it"
    if is_frozen and path.exists() and path.read_bytes() != data:
        return "a frozen pool shows a different picture with this name"
    differs = other.exists() and other.read_bytes() != data
    return f"two different pictures are named {path.name}; keep one" if differs else ""
