"""Pictures of posts, kept beside the collection: pages load them from here and from nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from assess.ir.problems import Problems
from assess.models import Collection

SIGNATURES = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8[79]a"),
    "image/webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
}
NAME = re.compile(r"\w[\w.-]*")
MAX_BYTES = 10_000_000


def image_type(data: bytes) -> str | None:
    """What the first bytes of a file say it is; None for anything but a picture that browsers show safely."""
    return next((kind for kind, start in SIGNATURES.items() if start.match(data)), None)


def folder(collection: Collection) -> Path:
    return Path(settings.MEDIA_ROOT) / "collections" / str(collection.pk) / "images"


def names(collection: Collection) -> list[str]:
    """The file names of the pictures that are there, in order."""
    place = folder(collection)
    return sorted(path.name for path in place.iterdir()) if place.is_dir() else []


def add(collection: Collection, files: Iterable[UploadedFile[Any]]) -> int:
    """Keep pictures under the names that posts call them by; all or none. Returns how many there were. Raises
    BadInput for what is no picture, and for another picture under a name on which a frozen pool stands."""
    problems, fresh = Problems("images"), {}
    is_frozen = any(campaign.frozen_pool() for campaign in collection.campaigns.all())
    for file in files:
        name, data = stored_name(file.name or ""), file.read(MAX_BYTES + 1)
        if reason := defect(folder(collection) / name, data, is_frozen):
            problems.add(0, f"{file.name}: {reason}")
        fresh[name] = data
    problems.check()
    folder(collection).mkdir(parents=True, exist_ok=True)
    for name, data in fresh.items():
        (folder(collection) / name).write_bytes(data)
    return len(fresh)


def stored_name(name: str) -> str:
    """The name by which the canonical HTML of a post asks for a picture (`assess.ir.html`)."""
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
