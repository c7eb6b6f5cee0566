"""Files in the media store: uploads, which stay until the job that reads them is done or deleted, and unfinished files,
all in one folder: a rename puts them in place once they are complete, and what a killed process left can be found."""

from __future__ import annotations

import shutil
import time
import uuid
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.storage import FileSystemStorage
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import timezone

from assess.models import Job

LATELY = timedelta(days=1)


def keep_file(file: UploadedFile[Any]) -> str:
    """Store an uploaded file for a job, in a new folder; returns its path in the media store, which the worker's host
    may have elsewhere."""
    storage = FileSystemStorage(location=settings.MEDIA_ROOT, directory_permissions_mode=0o700)
    return storage.save(f"uploads/{uuid.uuid4().hex}/file", file)


def path_of(name: str) -> Path:
    """Of a file that a job's parameters name: in the media store, or with its whole path elsewhere."""
    return Path(settings.MEDIA_ROOT, name)


def remove_uploads(params: dict[str, Any]) -> None:
    for folder in upload_folders(params):
        shutil.rmtree(folder, ignore_errors=True)


def has_uploads(params: dict[str, Any]) -> bool:
    return any(folder.exists() for folder in upload_folders(params))


def upload_folders(params: dict[str, Any]) -> list[Path]:
    """The folders of the uploaded files that a job's parameters name (``path``, or ``path`` of each of ``files``), but
    of no files elsewhere."""
    paths = [path_of(file.get("path", "")) for file in [params, *params.get("files", [])]]
    return [path.parent for path in paths if path.parent.parent == settings.MEDIA_ROOT / "uploads"]


def work_folder() -> Path:
    return Path(settings.MEDIA_ROOT, "work")


def new_path() -> Path:
    work_folder().mkdir(parents=True, exist_ok=True)
    return work_folder() / uuid.uuid4().hex


def remove_after_commit(folder: Path) -> None:
    """Remove a folder after the commit of the transaction that removes the last reference to it."""
    transaction.on_commit(lambda: shutil.rmtree(folder, ignore_errors=True))


def tidy(silent_for: timedelta) -> None:
    """Remove what killed workers left behind: uploads of jobs that are done and, while no job runs, unfinished files
    older than ``silent_for``."""
    for job in Job.objects.filter(state=Job.State.DONE, finished__gte=timezone.now() - LATELY):
        remove_uploads(job.params)
    if Job.objects.filter(state=Job.State.RUNNING).exists():
        return
    before = time.time() - silent_for.total_seconds()
    for path in work_folder().glob("*"):
        with suppress(FileNotFoundError):  # a request has just moved or removed it
            if path.stat().st_mtime > before:
                continue
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
