"""Work that does not count yet lies in one place of the media store: a rename puts it where it belongs, and what a
killed process left there is found."""

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


def home() -> Path:
    return Path(settings.MEDIA_ROOT, "work")


def new_path() -> Path:
    """Where a file or a folder can be made."""
    home().mkdir(parents=True, exist_ok=True)
    return home() / uuid.uuid4().hex


def discard(folder: Path) -> None:
    """Remove a folder once the transaction counts by which nothing names it any more."""
    transaction.on_commit(lambda: shutil.rmtree(folder, ignore_errors=True))


def tidy(silent_for: timedelta) -> None:
    """Remove what killed workers left behind: uploads of jobs that have ended and, while no job runs, work that was
    begun longer ago than ``silent_for``."""
    for job in Job.objects.filter(finished__gte=timezone.now() - LATELY):
        uploads.discard(job.params)
    if not Job.objects.filter(state=Job.State.RUNNING).exists():
        for path in home().glob("*"):
            with suppress(FileNotFoundError):  # a request has just ended with it
                remove(path, time.time() - silent_for.total_seconds())


def remove(path: Path, before: float) -> None:
    if path.stat().st_mtime > before:
        return
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
