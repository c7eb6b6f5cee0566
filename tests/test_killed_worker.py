"""A worker that is killed in the middle of its job: another one completes it, and all is as if nothing had happened."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest

from assess import tasks
from assess.models import Campaign, Job, JobKind, kinds_of_jobs
from assess.services import job_kinds
from assess.services.common import workspace
from assess.services.jobs import job_queue
from tests import lab_steps, pausing, servers
from tests.conftest import database_url
from tests.pausing import ENDED, PATIENCE, Attempt
from tests.snapshot import leftovers, snapshot

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.worker]

ANSWERS, FORMULAS = lab_steps.LAB_STEPS
ALL = set(kinds_of_jobs().values())
ONLY_FORMULAS = {job_kinds.compute_visual_ids, job_kinds.look_for_mixed, job_kinds.repair_visual_ids}
ON_POSTGRES = {job_kinds.import_collection, job_kinds.import_runs, job_kinds.extend_pool}
"""One that renames files, one that only adds rows, one that changes rows."""

Work = Callable[[int, list[str]], Attempt]


@pytest.fixture(scope="module")
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("temporary")


@pytest.fixture(scope="module")
def attempt(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory, temporary: Path) -> Iterator[Work]:
    """Has a new process do a job up to the first step that it may not pass."""
    log = tmp_path_factory.mktemp("workers") / "log"
    environment = {**os.environ, "DATABASE_URL": database_url(), "TMPDIR": str(temporary)}
    with pausing.workers(environment, log) as attempt:
        yield attempt


@pytest.fixture(autouse=True)
def no_messages(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next attempt takes the place of the message, unless the test has a real worker; that of an earlier test would
    take up a job that waits long, as one may on a busy machine."""
    if "worker" not in request.fixturenames:
        request.getfixturevalue("no_worker")
        monkeypatch.setattr(tasks, "enqueue", lambda job_id: None)


def test_every_kind_of_job_is_part_of_a_lab() -> None:
    assert {step[0] for steps in lab_steps.LAB_STEPS.values() for step in steps if not callable(step)} == ALL


@pytest.mark.parametrize(
    ("preset", "kinds"),
    [
        pytest.param(ANSWERS, ALL, id="answers"),
        pytest.param(FORMULAS, ONLY_FORMULAS, id="formulas"),
        pytest.param(ANSWERS, ON_POSTGRES, id="some", marks=[pytest.mark.engines, pytest.mark.postgres]),
    ],
)
def test_killed_jobs_make_what_undisturbed_ones_make(
    preset: str, kinds: set[JobKind], attempt: Work, temporary: Path
) -> None:
    undisturbed, disturbed = lab_steps.new_campaign(preset), lab_steps.new_campaign(preset)
    for job in lab_steps.submitted(preset, undisturbed, disturbed):
        if job.campaign == disturbed and kinds_of_jobs()[job.kind] in kinds:
            steps = kill_at_every_step(job, attempt)
            assert snapshot(disturbed) == snapshot(undisturbed), (job.kind, steps)
            assert leftovers([temporary]) == [], job.kind
        else:
            lab_steps.done(job)


def kill_at_every_step(job: Job, attempt: Work) -> list[str]:
    """Kill a worker at each step of a job and have the next one go on, until one has done the job. The steps."""
    steps: list[str] = []
    while (last := attempt(job.pk, steps)).step != ENDED:
        assert state_of(job)[1] == last.pid
        last.kill()
        steps.append(last.step)
        tasks.resume_jobs(silent_for=timedelta(0))
    tasks.resume_jobs(silent_for=timedelta(0))  # as every worker does once a minute
    job.refresh_from_db()
    assert (job.state, job.error) == (Job.State.DONE, ""), (job.kind, steps)
    assert "finish 1" in steps
    assert {"report 1", "commit 1"} & set(steps)
    return steps


@pytest.mark.engines
@pytest.mark.parametrize(
    ("done_before", "kind", "params"),
    [
        (job_kinds.repair_visual_ids, job_kinds.repair_visual_ids, lab_steps.of_latest_version),
        (job_kinds.compute_visual_ids, job_kinds.import_collection, lab_steps.of_index),
    ],
    ids=["repair", "index"],
)
def test_killed_and_cancelled_jobs_are_all_or_nothing(
    done_before: JobKind, kind: JobKind, params: lab_steps.Params, attempt: Work
) -> None:
    undisturbed, campaign = (lab_steps.campaign_before(FORMULAS, done_before) for _ in range(2))
    lab_steps.done(lab_steps.submit(undisturbed, kind, params))
    before, after = counting(campaign), counting(undisturbed)
    job, steps, seen = lab_steps.submit(campaign, kind, params), list[str](), list[list[object]]()
    while (last := attempt(job.pk, steps)).step != ENDED:
        steps.append(last.step)
        last.kill()
        job_queue.cancel_job(job, job.created_by)
        tasks.resume_jobs(silent_for=timedelta(0))
        assert state_of(job)[0] == Job.State.CANCELLED
        seen.append(counting(campaign))
        job = lab_steps.submit(campaign, kind, params)
    switched = seen.index(after)
    assert switched, steps
    assert seen == [before] * switched + [after] * (len(seen) - switched), steps


def counting(campaign: Campaign) -> list[object]:
    """The columns and visual ids that are in force, and the units that the runs have."""
    everything = snapshot(campaign)
    collection = everything["collection"]
    numbers = [version["number"] for version in collection["visual ids"] if version["is applied"]]
    return [numbers, collection["sources"], collection["counts"], collection["columns"], everything["runs"]]


@pytest.mark.engines
def test_a_worker_of_celery_completes_what_another_began(worker: subprocess.Popen[bytes], tmp_path: Path) -> None:
    """The first one has its own queue, where its message is lost with it, and reads a file that does not end."""
    undisturbed, campaign = (lab_steps.campaign_before(FORMULAS, job_kinds.import_runs) for _ in range(2))
    runs = dict(step for step in lab_steps.LAB_STEPS[FORMULAS] if not callable(step))[job_kinds.import_runs]
    lab_steps.done(lab_steps.submit(undisturbed, job_kinds.import_runs, runs))
    job = lab_steps.submit(campaign, job_kinds.import_runs, runs)
    path = workspace.path_of(job.params["files"][-1]["path"])
    text = path.read_text()
    path.unlink()
    os.mkfifo(path)
    command = [*cast(list[str], worker.args), "-Q", "doomed", "-n", "doomed@%h"]
    environment = {**os.environ, "DATABASE_URL": database_url()}
    worker.send_signal(signal.SIGSTOP)  # it takes up jobs that wait long, as this may on a busy machine
    tasks.run_job.apply_async((job.pk,), queue="doomed")
    ends: list[int] = []

    def is_reading() -> bool:
        with suppress(OSError):  # until somebody reads
            ends.append(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
        return bool(ends)

    with servers.running(
        command, is_reading, tmp_path / "log", PATIENCE, env=environment, stdin=subprocess.DEVNULL
    ) as doomed:
        assert state_of(job) == (Job.State.RUNNING, doomed.pid)
        doomed.kill()
    worker.send_signal(signal.SIGCONT)
    os.close(ends[0])
    path.unlink()
    path.write_text(text)
    tasks.resume_jobs(silent_for=timedelta(0))
    assert servers.within(PATIENCE, lambda: Job.objects.get(pk=job.pk).is_finished)
    assert state_of(job) == (Job.State.DONE, worker.pid)
    assert snapshot(campaign) == snapshot(undisturbed)
    assert leftovers() == []


def state_of(job: Job) -> tuple[str, int]:
    """The state of a job, and which process has it."""
    job.refresh_from_db()
    return job.state, int(job.worker.rpartition(":")[2])
