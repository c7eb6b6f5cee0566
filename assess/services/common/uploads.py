"""Uploaded files stay in the media store until the job that reads them is done or deleted."""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.storage import FileSystemStorage
from django.core.files.uploadedfile import UploadedFile


def keep_file(file: UploadedFile[Any]) -> str:
    """Store an uploaded file for a job, in a new folder; returns its path. The job removes it when it
    is done (`remove_uploads`)."""
    storage = FileSystemStorage(location=settings.MEDIA_ROOT / "uploads", directory_permissions_mode=0o700)
    return storage.path(storage.save(f"{uuid.uuid4().hex}/file", file))


def remove_uploads(params: dict[str, Any]) -> None:
    for folder in folders(params):
        shutil.rmtree(folder, ignore_errors=True)


def are_kept(params: dict[str, Any]) -> bool:
    return any(folder.exists() for folder in folders(params))


def folders(params: dict[str, Any]) -> list[Path]:
    """The folders of the uploaded files that a job's parameters name (``path``, or ``path`` of each of ``files``), but
    of no files elsewhere, such as in the server's import folder."""
    paths = [Path(file.get("path", "")) for file in [params, *params.get("files", [])]]
    return [path.parent for path in paths if path.parent.parent == settings.MEDIA_ROOT / "uploads"]
