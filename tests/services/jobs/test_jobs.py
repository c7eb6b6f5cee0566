"""Jobs: claimed once, reported on, cancelled, resumed."""

import subprocess
import sys
import threading
import time
from contextlib import nullcontext
from datetime import datetime
from types import SimpleNamespace
from typing import Any

import psycopg2
import pytest
from django.db import InterfaceError, OperationalError, connection
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from assess import tasks
from assess.ir.common.problems import refuse
from assess.models import Job, OnProgress, Step, kinds_of_jobs
from assess.services import job_kinds
from assess.services.common.errors import Refused
from assess.services.jobs import job_queue
from tests.cast import make_campaign
from tests.conftest import database_url

pytestmark = [pytest.mark.django_db, pytest.mark.engines]

END_OTHER_CONNECTIONS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


def performed(job: Job, step: Step) -> Job:
    """The job after a worker has claimed it and done the step."""
    job_queue.perform(job_queue.claim(job.pk), step)
    job.refresh_from_db()
    return job


def failing(error: Exception) -> Step:
    def step(job: Job, progress: OnProgress) -> dict[str, Any]:
        progress(0, 0, str(error) * 30)
        raise error

    return step


def test_only_one_worker_does_a_job_and_a_repeated_message_does_nothing(job: Job) -> None:
    assert (job.state, job.params, job.is_finished) == ("queued", {"depth": 3}, False)
    claimed = job_queue.claim(job.pk)
    assert claimed == job
    assert job_queue.claim(job.pk) is None
    job_queue.perform(claimed, lambda job, progress: {"answer": 42})
    tasks.run_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.result, job.worker) == ("done", {"answer": 42}, job_queue.this_worker())


@pytest.mark.parametrize(
    ("error", "stored"),
    [
        (refuse("run.tsv", "expected 5 fields, found 4", 17), "run.tsv:17: expected 5 fields, found 4"),
        (Refused("Freeze the pool first."), "Freeze the pool first."),
        (Refused("a \0 in b.tsv"), "a \N{REPLACEMENT CHARACTER} in b.tsv"),
        (Refused("half a \ud800 character"), "half a"),
    ],
)
def test_errors_that_users_can_fix_are_stored_whatever_their_text(job: Job, error: Exception, stored: str) -> None:
    performed(job, failing(error))
    assert (job.state, job.error[: len(stored)]) == ("failed", stored)


@pytest.mark.django_db(transaction=True)
def test_bugs_are_logged_and_what_cannot_be_stored_fails_its_job(job: Job, caplog: pytest.LogCaptureFixture) -> None:
    performed(job, failing(ZeroDivisionError("of zero")))
    assert (job.state, "ZeroDivisionError" in job.error) == ("failed", True)
    assert caplog.records[0].exc_info
    job_queue.restart(job, job.created_by)
    performed(job, lambda job, progress: {"ratio": float("nan"), "name": "\0"})
    assert (job.state, "cannot be stored" in job.error) == ("failed", True)


def test_the_end_of_a_job_is_stored_once_the_database_is_back(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    finish, failures = job_queue.finish, [OperationalError("server closed"), InterfaceError("already closed")]

    def failing(*arguments: Any, **options: Any) -> None:
        if failures:
            raise failures.pop()
        finish(*arguments, **options)

    monkeypatch.setattr(job_queue, "finish", failing)
    monkeypatch.setattr(job_queue, "RETRY_SECONDS", (0, 0, 0))
    monkeypatch.setattr(job_queue, "connection", SimpleNamespace(close=lambda: None))
    monkeypatch.setattr(job_queue, "pulse", nullcontext)
    performed(job, lambda job, progress: {"answer": 42})
    assert (job.state, job.result, failures) == ("done", {"answer": 42}, [])


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_after_the_database_was_restarted_workers_take_up_the_jobs_of_dead_ones(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_queue.claim(job.pk)
    sent: list[int] = []
    monkeypatch.setattr(tasks, "enqueue", sent.append)

    def timer() -> None:  # one thread, as the worker's
        tasks.look_for_abandoned_jobs()
        with psycopg2.connect(database_url()) as admin, admin.cursor() as cursor:
            cursor.execute(END_OTHER_CONNECTIONS)
        Job.objects.update(heartbeat=timezone.now() - 2 * job_queue.SILENT)
        tasks.look_for_abandoned_jobs()
        tasks.look_for_abandoned_jobs()

    thread = threading.Thread(target=timer)
    thread.start()
    thread.join()
    connection.close()
    assert sent == [job.pk]


def test_progress_is_stored_at_most_a_few_times_a_second_and_a_new_step_at_once(
    job: Job, django_assert_num_queries: DjangoAssertNumQueries, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(job_queue, "time", SimpleNamespace(monotonic=lambda: clock.now))
    progress = job_queue.ProgressReporter(job)
    progress(0, 0, "reading")
    progress(0, 62, "sealing topic A.1")
    job.refresh_from_db()
    assert (job.done, job.total, job.message, job.percent) == (0, 62, "sealing topic A.1", 0)
    with django_assert_num_queries(0):
        for done in range(2, 31):
            clock.now += 0.29 / 29
            progress(done, 62, "sealing topic A.2")
    clock.now += 0.02
    progress(31, 62, "sealing topic A.3")
    job.refresh_from_db()
    assert (job.done, job.message, job.percent) == (31, "sealing topic A.3", 50)


def test_a_running_job_is_cancelled_when_it_reports_progress(job: Job) -> None:
    def step(job: Job, progress: OnProgress) -> dict[str, Any]:
        progress(1, 0, "")
        job_queue.cancel_job(job, job.created_by)
        progress(0, 0, "the next step")
        pytest.fail("the step went on after it was cancelled")

    assert performed(job, step).state == "cancelled"


def test_a_job_that_waits_or_whose_worker_is_silent_is_cancelled_at_once(job: Job) -> None:
    waiting = job_queue.submit(job.campaign, job_kinds.release_qrels, job.created_by)
    claimed = job_queue.claim(job.pk)
    Job.objects.update(heartbeat=timezone.now() - job_queue.GONE)
    for each in (waiting, job):
        job_queue.cancel_job(each, each.created_by)
        each.refresh_from_db()
        assert each.state == "cancelled"
    assert job_queue.claim(waiting.pk) is None
    job_queue.finish(claimed, Job.State.DONE, result={"pool": 1})  # by a worker that was not dead
    job.refresh_from_db()
    assert (job.state, job.result) == ("cancelled", {})


def test_after_a_restart_unfinished_jobs_are_queued_again_with_the_time_when_they_began(job: Job) -> None:
    done = job_queue.submit(job.campaign, job_kinds.release_qrels, job.created_by)
    job_queue.finish(done, Job.State.DONE)
    first = job_queue.claim(job.pk).started
    assert job_queue.reset_unfinished() == [job.pk]
    assert job_queue.claim(job.pk).started == first
    job_queue.cancel_job(job, job.created_by)
    assert job_queue.reset_unfinished() == []
    job.refresh_from_db()
    assert job.state == "cancelled"


@pytest.mark.django_db(transaction=True)
def test_a_step_without_progress_has_a_heartbeat_that_goes_on_after_a_missed_one(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_now, failures = timezone.now, [OperationalError("database is locked")]

    def now() -> datetime:
        if failures:
            raise failures.pop()
        return real_now()

    def step(job: Job, progress: OnProgress) -> dict[str, Any]:
        began = Job.objects.get(pk=job.pk).heartbeat
        monkeypatch.setattr(timezone, "now", now)
        deadline = time.monotonic() + 10
        while Job.objects.get(pk=job.pk).heartbeat == began:
            assert time.monotonic() < deadline
        return {}

    monkeypatch.setattr(job_queue, "BEAT_SECONDS", 0.01)
    performed(job, step)
    assert (job.state, job.error) == ("done", "")


CHANGING = {"collection", "visual_ids", "repair"}
ADDING = {"runs", "baseline", "fusion"}
MAKING = {"pool", "pool_file", "freeze", "extend"}
INDEPENDENT = {"topic_threads", "source", "agreement", "release"}
"""Of the collection."""


def is_excluded(pair: set[str], *, is_elsewhere: bool) -> bool:
    """Whether two jobs of these kinds must not wait or run at once, in one campaign or in two that share a
    collection."""
    if CHANGING & pair and not INDEPENDENT & pair:
        return True
    if is_elsewhere or len(pair) == 1:  # a button pressed twice
        return pair == {"mixed"} or (not is_elsewhere and not pair & ADDING)
    return bool(pair & MAKING) and pair <= MAKING | ADDING


@pytest.mark.sqlite  # which jobs are refused is decided in Python, after the same query for all
@pytest.mark.parametrize("is_elsewhere", [False, True])
def test_jobs_that_would_disturb_each_other_are_refused(is_elsewhere: bool) -> None:
    campaign, other, unrelated = make_campaign(), make_campaign(), make_campaign()
    other.collection = campaign.collection
    other.save()
    olga = campaign.members.get().user
    place = other if is_elsewhere else campaign
    for waiting in kinds_of_jobs().values():
        first = job_queue.submit(campaign, waiting, olga)
        job_queue.require_startable(unrelated, waiting)
        for kind in kinds_of_jobs().values():
            if is_excluded({waiting.key, kind.key}, is_elsewhere=is_elsewhere):
                with pytest.raises(Refused, match=f"{first.title} .* of {campaign} has not finished"):
                    job_queue.require_startable(place, kind)
            else:
                job_queue.require_startable(place, kind)
        first.delete()


def test_files_go_with_a_refused_job_but_not_by_a_worker_presumed_dead(job: Job, settings: Settings) -> None:
    upload = settings.MEDIA_ROOT / "uploads" / "one" / "file"
    upload.parent.mkdir(parents=True)
    with pytest.raises(Refused):
        job_queue.submit(job.campaign, job_kinds.import_pool, job.created_by, path=str(upload))
    assert not upload.parent.exists()
    upload.parent.mkdir()
    Job.objects.filter(pk=job.pk).update(params={"path": str(upload)})
    late = job_queue.claim(job.pk)
    Job.objects.filter(pk=job.pk).update(worker="another:1")
    job_queue.finish(late, Job.State.FAILED, error="too late")
    job.refresh_from_db()
    assert (job.state, job.error) == ("running", "")
    assert upload.parent.exists()


def test_a_waiting_job_whose_message_was_lost_is_sent_again_soon(job: Job) -> None:
    assert job_queue.reset_unfinished(silent_for=job_queue.SILENT) == []
    Job.objects.update(created=timezone.now() - 2 * job_queue.WAITING)
    assert job_queue.reset_unfinished(silent_for=job_queue.SILENT) == [job.pk]
    assert job_queue.reset_unfinished(silent_for=job_queue.SILENT) == []
    Job.objects.update(state="running", heartbeat=timezone.now() - 2 * job_queue.WAITING)
    assert job_queue.reset_unfinished(silent_for=job_queue.SILENT) == []  # its worker may only be slow
    Job.objects.update(heartbeat=timezone.now() - 2 * job_queue.SILENT)
    assert job_queue.reset_unfinished(silent_for=job_queue.SILENT) == [job.pk]


@pytest.mark.sqlite
def test_a_process_that_uses_no_door_knows_what_blocks_what() -> None:
    code = "import django; django.setup()\nfrom assess.services.jobs import job_queue\n"
    code += "print(*job_queue.disturbing({'pooling'}, ()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert {"pool", "freeze", "runs"} <= set(done.stdout.split())


@pytest.mark.sqlite
def test_after_a_job_sqlite_knows_how_many_rows_there_are(job: Job) -> None:
    tasks.run_job(job.pk)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM sqlite_stat1 WHERE tbl = 'assess_job'")
        assert cursor.fetchone()[0]
