"""Unfinished files are in one folder of the media store: a rename puts them in place once they are complete, and what a
killed process left there can be found."""

import shutil
import time
import uuid
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from assess.models import Job
from assess.services.common import uploads

LATELY = timedelta(days=1)


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
        uploads.remove_uploads(job.params)
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
