"""What killed workers leave behind is found and removed; what is at work stays."""

import os
import time
from datetime import timedelta

import pytest

from assess.models import Job
from assess.services.common import workspace
from assess.services.jobs import job_queue
from tests.cast import make_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def job():
    campaign = make_campaign()
    return job_queue.submit(campaign, Job.Kind.POOL, campaign.members.get().user)


@pytest.fixture
def left():
    """A folder and a file that were begun an hour ago."""
    folder, file = workspace.new_path(), workspace.new_path()
    folder.mkdir()
    (folder / "part").write_text("half")
    file.write_text("half")
    for path in (folder, file):
        os.utime(path, (time.time() - 3600,) * 2)
    return [folder, file]


def test_work_that_nobody_is_at_is_removed(left):
    workspace.tidy(timedelta(minutes=5))
    assert list(workspace.home().iterdir()) == []


def test_work_that_has_just_begun_stays(left):
    young = workspace.new_path()
    young.mkdir()
    workspace.tidy(timedelta(minutes=5))
    assert list(workspace.home().iterdir()) == [young]


def test_no_work_is_removed_while_a_job_runs(job, left):
    job_queue.claim(job.pk)
    workspace.tidy(timedelta(minutes=5))
    assert sorted(workspace.home().iterdir()) == sorted(left)


def test_uploads_go_once_their_job_has_ended(job, settings):
    path = settings.MEDIA_ROOT / "uploads" / "one" / "file"
    path.parent.mkdir(parents=True)
    path.write_text("a pool")
    Job.objects.filter(pk=job.pk).update(params={"path": str(path)})
    workspace.tidy(timedelta(0))
    assert path.exists()
    claimed = job_queue.claim(job.pk)
    claimed.params = {}  # killed before it removed them
    job_queue.finish(claimed, Job.State.DONE)
    workspace.tidy(timedelta(0))
    assert not path.parent.exists()
