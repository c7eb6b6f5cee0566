"""Files that a request uploads and a job reads later."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.storage import FileSystemStorage
from django.core.files.uploadedfile import UploadedFile


def store(file: UploadedFile[Any]) -> str:
    """Store an uploaded file for a job, in a new folder; returns its path. The job removes it when it ends
    (`assess.services.common.uploads`)."""
    storage = FileSystemStorage(location=settings.MEDIA_ROOT / "uploads", directory_permissions_mode=0o700)
    return storage.path(storage.save(f"{uuid.uuid4().hex}/file", file))


def server_file(text: str) -> Path:
    """The path of a file in the server's import folder. Raises ValidationError for anything else, with the same
    message whether it exists or not."""
    root: Path | None = settings.IMPORT_DIR
    path = (root / text).resolve() if root else None
    if not root or not path or not path.is_relative_to(root) or not path.is_file():
        raise ValidationError(f"The server's import folder has no file {text}.")
    return path
