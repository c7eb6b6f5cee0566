"""Uploaded files stay in the media store until the job that reads them has ended."""

import shutil
from pathlib import Path
from typing import Any

from django.conf import settings


def discard(params: dict[str, Any]) -> None:
    """Remove the uploaded files that a job's parameters name (``path``, or ``path`` of each of ``files``), but no files
    elsewhere, such as in the server's import folder."""
    uploads = settings.MEDIA_ROOT / "uploads"
    for file in [params, *params.get("files", [])]:
        folder = Path(file.get("path", "")).parent
        if folder.parent == uploads:
            shutil.rmtree(folder, ignore_errors=True)
