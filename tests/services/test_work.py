"""What killed workers leave behind is found and removed; what is at work stays."""

import os
import time
from datetime import timedelta

import pytest

from assess.models import Job
from assess.services import jobs, work
from tests.cast import make_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def job():
    campaign = make_campaign()
    return jobs.submit(campaign, Job.Kind.POOL, campaign.members.get().user)


@pytest.fixture
def left():
    """A folder and a file that were begun an hour ago."""
    folder, file = work.new_path(), work.new_path()
    folder.mkdir()
    (folder / "part").write_text("half")
    file.write_text("half")
    for path in (folder, file):
        os.utime(path, (time.time() - 3600,) * 2)
    return [folder, file]


def test_work_that_nobody_is_at_is_removed(left):
    work.tidy(timedelta(minutes=5))
    assert list(work.home().iterdir()) == []


def test_work_that_has_just_begun_stays(left):
    young = work.new_path()
    young.mkdir()
    work.tidy(timedelta(minutes=5))
    assert list(work.home().iterdir()) == [young]


def test_no_work_is_removed_while_a_job_runs(job, left):
    jobs.claim(job.pk)
    work.tidy(timedelta(minutes=5))
    assert sorted(work.home().iterdir()) == sorted(left)


def test_uploads_go_once_their_job_has_ended(job, settings):
    path = settings.MEDIA_ROOT / "uploads" / "one" / "file"
    path.parent.mkdir(parents=True)
    path.write_text("a pool")
    Job.objects.filter(pk=job.pk).update(params={"path": str(path)})
    work.tidy(timedelta(0))
    assert path.exists()
    claimed = jobs.claim(job.pk)
    claimed.params = {}  # killed before it removed them
    jobs.finish(claimed, Job.State.DONE)
    work.tidy(timedelta(0))
    assert not path.parent.exists()
