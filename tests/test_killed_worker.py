"""A worker that is killed in the middle of its job: another one completes it, and all is as if nothing had happened."""

import os
import subprocess
import time
from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from assess import tasks
from assess.models import Job
from assess.services.jobs import job_queue
from tests import pausing, servers
from tests.conftest import database_url
from tests.pausing import ENDED, PATIENCE
from tests.snapshot import leftovers, snapshot
from tests.stages import done, of_index, submitted, submitted_index

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.worker, pytest.mark.engines]


@pytest.fixture(scope="module")
def temporary(tmp_path_factory):
    return tmp_path_factory.mktemp("temporary")


@pytest.fixture(scope="module")
def attempt(django_db_setup, tmp_path_factory, temporary):
    """Has a new process do a job up to a step at which it is not told to go on."""
    log = tmp_path_factory.mktemp("workers") / "log"
    environment = {**os.environ, "DATABASE_URL": database_url(), "TMPDIR": str(temporary)}
    with pausing.workers(environment, log) as attempt:
        yield attempt


@pytest.mark.parametrize("kind", Job.Kind)
def test_a_job_whose_workers_are_killed_at_every_step_makes_what_it_makes_undisturbed(
    kind, attempt, temporary, monkeypatch
):
    monkeypatch.setattr(tasks, "enqueue", lambda job_id: None)  # the next attempt takes the place of the message
    undisturbed, job = done(submitted(kind)), submitted(kind)
    steps = []
    while (last := attempt(job.pk, steps)).step != ENDED:
        assert state_of(job)[1] == last.pid
        last.kill()
        steps.append(last.step)
        tasks.resume_jobs(silent_for=timedelta(0))
    tasks.resume_jobs(silent_for=timedelta(0))  # as every worker does once a minute
    job.refresh_from_db()
    assert (job.state, job.error) == (Job.State.DONE, ""), steps
    assert "finish 1" in steps
    assert {"report 1", "commit 1"} & set(steps)
    assert snapshot(job.campaign) == snapshot(undisturbed.campaign), steps
    assert leftovers([temporary]) == []


@pytest.mark.parametrize(
    ("submit", "given"),
    [
        (partial(submitted, Job.Kind.REPAIR), lambda job: job.params),
        (submitted_index, lambda job: of_index(job.campaign)),
    ],
    ids=["repair", "index"],
)
def test_visual_ids_whose_worker_is_killed_at_any_step_and_that_are_then_cancelled_count_as_a_whole_or_not_at_all(
    submit, given, attempt, monkeypatch
):
    monkeypatch.setattr(tasks, "enqueue", lambda job_id: None)
    undisturbed, job = done(submit()), submit()
    before, after = counting(job), counting(undisturbed)
    steps, seen = [], []
    while (last := attempt(job.pk, steps)).step != ENDED:
        steps.append(last.step)
        last.kill()
        job_queue.cancel(job)
        tasks.resume_jobs(silent_for=timedelta(0))
        assert state_of(job)[0] == Job.State.CANCELLED
        seen.append(counting(job))
        job = job_queue.submit(job.campaign, job.kind, job.created_by, **given(job))
    assert seen == sorted(seen, key=lambda one: one == after), steps
    assert before in seen
    assert after in seen
    assert all(one in (before, after) for one in seen), steps


def counting(job: Job) -> list[object]:
    """The columns and visual ids that are in force, and the units that the runs have."""
    found = snapshot(job.campaign)
    collection = found["collection"]
    numbers = [one["number"] for one in collection["visual ids"] if one["is applied"]]
    return [numbers, collection["sources"], collection["counts"], collection["columns"], found["runs"]]


def test_a_worker_of_celery_completes_what_another_began(worker, tmp_path):
    """The first one has a queue of its own, where its message is lost with it, and reads a file that does not end."""
    undisturbed, job = done(submitted(Job.Kind.RUNS)), submitted(Job.Kind.RUNS)
    path = Path(job.params["files"][-1]["path"])
    text = path.read_text()
    path.unlink()
    os.mkfifo(path)
    command = [*worker.args, "-Q", "doomed", "-n", "doomed@%h"]
    environment = {**os.environ, "DATABASE_URL": database_url()}
    tasks.run_job.apply_async([job.pk], queue="doomed")
    ends: list[int] = []

    def is_reading() -> bool:
        with suppress(OSError):  # as long as nobody reads
            ends.append(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
        return bool(ends)

    with servers.running(
        command, is_reading, tmp_path / "log", PATIENCE, env=environment, stdin=subprocess.DEVNULL
    ) as one:
        assert state_of(job) == (Job.State.RUNNING, one.pid)
        one.kill()
    os.close(ends[0])
    path.unlink()
    path.write_text(text)
    tasks.resume_jobs(silent_for=timedelta(0))
    deadline = time.monotonic() + PATIENCE
    while not Job.objects.get(pk=job.pk).is_finished:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert state_of(job) == (Job.State.DONE, worker.pid)
    assert snapshot(job.campaign) == snapshot(undisturbed.campaign)
    assert leftovers() == []


def state_of(job: Job) -> tuple[str, int]:
    """The state of a job, and which process has it."""
    job.refresh_from_db()
    return job.state, int(job.worker.rpartition(":")[2])
