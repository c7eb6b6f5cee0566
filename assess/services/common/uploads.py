"""Uploaded files stay in the media store until the job that reads them has ended."""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.storage import FileSystemStorage
from django.core.files.uploadedfile import UploadedFile


def store(file: UploadedFile[Any]) -> str:
    """Store an uploaded file for a job, in a new folder; returns its path. The job removes it when it
    ends (`discard`)."""
    storage = FileSystemStorage(location=settings.MEDIA_ROOT / "uploads", directory_permissions_mode=0o700)
    return storage.path(storage.save(f"{uuid.uuid4().hex}/file", file))


def discard(params: dict[str, Any]) -> None:
    """Remove the uploaded files that a job's parameters name (``path``, or ``path`` of each of ``files``), but no files
    elsewhere, such as in the server's import folder."""
    uploads = settings.MEDIA_ROOT / "uploads"
    for file in [params, *params.get("files", [])]:
        folder = Path(file.get("path", "")).parent
        if folder.parent == uploads:
            shutil.rmtree(folder, ignore_errors=True)
