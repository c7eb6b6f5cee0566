"""Uploaded files wait in the media store until the job that reads them has ended."""

import shutil
from pathlib import Path
from typing import Any

from django.conf import settings


def discard(params: dict[str, Any]) -> None:
    """Remove the uploaded files that a job's parameters name (``path``, or ``path`` of each of ``files``). Files
    that lie elsewhere, such as the server's import folder, are not ours to remove."""
    uploads = settings.MEDIA_ROOT / "uploads"
    for one in [params, *params.get("files", [])]:
        folder = Path(one.get("path", "")).parent
        if folder.parent == uploads:
            shutil.rmtree(folder, ignore_errors=True)
