"""Files that killed workers left behind are removed; files in use stay."""

import os
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django import Settings

from assess.models import Job
from assess.services.common import workspace
from assess.services.jobs import job_queue

pytestmark = pytest.mark.django_db


def test_old_unfinished_files_are_removed_unless_a_job_runs(job: Job) -> None:
    folder, file, young = (workspace.new_path() for _ in range(3))
    folder.mkdir()
    young.mkdir()
    (folder / "part").write_text("half")
    file.write_text("half")
    for path in (folder, file):
        os.utime(path, (time.time() - 3600,) * 2)
    claimed = job_queue.claim(job.pk)
    workspace.tidy(timedelta(minutes=5))
    assert set(workspace.work_folder().iterdir()) == {folder, file, young}
    job_queue.finish(claimed, Job.State.DONE)
    workspace.tidy(timedelta(minutes=5))
    assert list(workspace.work_folder().iterdir()) == [young]


def test_uploads_are_removed_once_their_job_has_ended(job: Job, settings: Settings) -> None:
    path = settings.MEDIA_ROOT / "uploads" / "one" / "file"
    path.parent.mkdir(parents=True)
    path.write_text("a pool")
    Job.objects.filter(pk=job.pk).update(params={"path": str(path)})
    workspace.tidy(timedelta(0))
    assert path.exists()
    claimed = job_queue.claim(job.pk)
    claimed.params = {}  # as if killed before it removed them
    job_queue.finish(claimed, Job.State.DONE)
    workspace.tidy(timedelta(0))
    assert not path.parent.exists()


def test_uploads_are_found_wherever_the_media_store_is_mounted(settings: Settings, tmp_path: Path) -> None:
    name = workspace.keep_file(SimpleUploadedFile("a.tsv", b"x"))
    elsewhere = settings.MEDIA_ROOT / "old" / "file"  # jobs of older versions name whole paths
    settings.MEDIA_ROOT = settings.MEDIA_ROOT.rename(tmp_path / "mounted")
    assert workspace.path_of(name).read_bytes() == b"x"
    assert workspace.path_of(str(elsewhere)) == elsewhere
    workspace.remove_uploads({"files": [{"path": name}]})
    assert not list((tmp_path / "mounted/uploads").iterdir())
