"""Jobs: submitted by a page, claimed by exactly one worker, watched, cancelled, resumed, started again."""

import logging
import os
import socket
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ObjectDoesNotExist
from django.db import DatabaseError, Error, InterfaceError, OperationalError, connection, transaction
from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from assess.ir.common.problems import BadInput
from assess.models import SHARED, Action, Campaign, Job, JobKind, Resource, Step, kinds_of_jobs
from assess.services.common import history, workspace
from assess.services.common.errors import Archived, Refused

logger = logging.getLogger(__name__)
ends = logging.getLogger("assess.jobs")

SILENT = timedelta(minutes=5)
"""After so long without a heartbeat a running job counts as abandoned."""
BEAT_SECONDS = 5
GONE = timedelta(seconds=30)
"""Cancelling does not wait for a worker that has been silent for so long."""
WAITING = timedelta(seconds=10)
"""After so long the message of a waiting job is sent again: the broker may have been away, or have lost it."""
PROMPT = timedelta(seconds=5)
"""A worker with nothing else to do has begun a job by then."""
RETRY_SECONDS = (0, 1, 2, 4, 8, 15, 30, 60)
"""How long to wait between attempts to store how a job ended while the database is away."""
LONGEST_MESSAGE = 200
FRESH: dict[str, Any] = {"error": "", "done": 0, "total": 0}
THE_COLLECTION: tuple[Resource] = ("collection",)


class Cancelled(Exception):
    """Somebody has cancelled the running job."""


class ProgressReporter:
    """Stores the progress of a job for its page, a few times a second at most but always when a new stage begins, and
    stops the job if it has been cancelled."""

    def __init__(self, job: Job, interval: float = 0.3) -> None:
        self.job = job
        self.interval = interval
        self.reported = 0.0

    def __call__(self, done: int, total: int = 0, message: str = "") -> None:
        now = time.monotonic()
        if done and now - self.reported < self.interval:
            return
        self.reported = now
        job = Job.objects.filter(pk=self.job.pk)
        if not job.filter(cancel=False).exists():  # nor if it was cancelled and deleted
            raise Cancelled
        job.update(done=done, total=total, message=storable(message)[:LONGEST_MESSAGE], heartbeat=timezone.now())


def this_worker() -> str:
    """Host and process that do the work, for finding a stuck job."""
    return f"{socket.gethostname()}:{os.getpid()}"


@transaction.atomic
def submit(campaign: Campaign, kind: JobKind, by: User, **params: Any) -> Job:
    """Store a job. The caller enqueues it once the row is committed. Raises Refused if another job blocks it."""
    try:
        require_startable(campaign, kind)
    except Refused:
        workspace.remove_uploads(params)
        raise
    return Job.objects.create(campaign=campaign, kind=kind.key, params=params, created_by=by)


@transaction.atomic
def restart(job: Job, by: User) -> bool:
    """Put a job that failed or was cancelled back into the queue, as if it were submitted now with the files that it
    kept; False if it was started again already. Raises Refused as `submit` does. What an earlier attempt has stored is
    found by its step, as after the death of a worker."""
    lock_campaigns(job.campaign)
    undone = Job.objects.filter(pk=job.pk, state__in=Job.UNDONE)
    if not undone.exists():
        return False
    require_startable(job.campaign, kinds_of_jobs()[job.kind])
    begun = {"created": timezone.now(), "created_by": by, "started": None, "finished": None, "heartbeat": None}
    undone.update(state=Job.State.QUEUED, cancel=False, worker="", **begun, **FRESH)
    return True


@transaction.atomic
def delete_job(job: Job, by: User) -> Action:
    """With its files. Raises Refused unless it failed or was cancelled: what others made names them."""
    if not Job.objects.filter(pk=job.pk, state__in=Job.UNDONE).delete()[0]:
        raise Refused("Only a job that failed or was cancelled can be deleted.")
    transaction.on_commit(lambda: workspace.remove_uploads(job.params))
    return history.note(by, f"Deleted: {job.title}", job.campaign, page="jobs")


def require_startable(campaign: Campaign, kind: JobKind) -> None:
    """`require_free` for a job of this kind."""
    kinds = () if kind.is_repeatable else (kind.key,)
    require_free(campaign, kind.changes, kind.reads, kinds, when_archived=kind.when_archived)


def require_free(
    campaign: Campaign,
    changes: Collection[Resource] = (),
    reads: Collection[Resource] = THE_COLLECTION,
    kinds: Collection[str] = (),
    *,
    when_archived: bool = False,
) -> None:
    """Lock the campaign, and those that share its collection, until the transaction ends. Raises Refused if something
    else that is unfinished changes what is read, reads or changes what is changed, or is a job of these kinds; or,
    unless ``when_archived``, if the campaign is archived."""
    lock_campaigns(campaign)
    here = Q(campaign=campaign, kind__in=[*disturbing(changes, reads), *kinds])
    shared = disturbing(SHARED.intersection(changes), SHARED.intersection(reads))
    jobs = Job.objects.unfinished().filter(here | Q(campaign__in=sharing(campaign), kind__in=shared))
    if job := jobs.select_related("campaign").first():
        raise Refused(f"{job} of {job.campaign} has not finished. Wait for it, or cancel it on its page.")
    if not when_archived:
        require_active(campaign)


def require_active(campaign: Campaign) -> None:
    if Campaign.objects.filter(pk=campaign.pk, archived__isnull=False).exists():
        raise Archived(campaign)


def disturbing(changes: Collection[Resource], reads: Collection[Resource]) -> list[str]:
    """The kinds of jobs that change what is read, or read or change what is changed."""
    return [
        kind.key for kind in kinds_of_jobs().values() if kind.changes & {*changes, *reads} or kind.reads & set(changes)
    ]


def lock_campaigns(campaign: Campaign) -> None:
    locked = sharing(campaign) | Campaign.objects.filter(pk=campaign.pk)
    list(locked.select_for_update().order_by("pk"))


def sharing(campaign: Campaign) -> QuerySet[Campaign]:
    """The campaigns with the same collection, including this one; none if it has no collection."""
    return Campaign.objects.filter(collection__isnull=False, collection=campaign.collection_id)


def claim(job_id: int) -> Job | None:
    """The job, if this worker is the first to claim it: a message may arrive twice."""
    now = timezone.now()
    begun = {"started": Coalesce("started", Value(now)), "heartbeat": now, "worker": this_worker()}
    won = Job.objects.filter(pk=job_id, state=Job.State.QUEUED).update(state=Job.State.RUNNING, **begun, **FRESH)
    return Job.objects.select_related("campaign", "created_by").get(pk=job_id) if won else None


def perform(job: Job, step: Step) -> None:
    """Do the step and store how it ended. A problem that the organizer can fix is stored in full; a bug is logged with
    its traceback and stored in one line."""
    try:
        with pulse(job):
            result = step(job, ProgressReporter(job))
    except Cancelled:
        end(job, Job.State.CANCELLED)
    except (BadInput, Refused) as error:
        end(job, Job.State.FAILED, error=str(error), result=getattr(error, "found", None))
    except Exception as error:
        logger.exception("job %s failed", job.pk)
        end(job, Job.State.FAILED, error=explain_error(error))
    else:
        end(job, Job.State.DONE, result=result)


def explain_error(error: Exception) -> str:
    """What an organizer reads of an error that is not theirs."""
    if isinstance(error, OperationalError | InterfaceError):
        return f"The database failed: {error}. Nothing is half done: start the job again once the database works."
    if isinstance(error, ObjectDoesNotExist):
        return "Something that the job was about no longer exists. Start another one from its page."
    if isinstance(error, OSError):
        return f"A file could not be read or written: {error}. Nothing is half done: see the log of the worker."
    return f"Unexpected error: {error!r}. See the log of the worker for details."


def end(job: Job, state: str, *, error: str = "", result: dict[str, Any] | None = None) -> None:
    """`finish`, which must not fail: an unfinished job blocks its campaign. While the database is away it is tried
    again; what the database cannot store makes the job fail."""
    for seconds in RETRY_SECONDS:
        time.sleep(seconds)
        try:
            return finish(job, state, error=error, result=result)
        except (OperationalError, InterfaceError):
            logger.warning("job %s: its end could not be stored", job.pk, exc_info=True)
            connection.close()
        except (DatabaseError, ValueError) as refusal:
            logger.exception("job %s: its result cannot be stored", job.pk)
            state, error, result = Job.State.FAILED, f"The result cannot be stored: {refusal!r}", None
    logger.error("job %s: its end was not stored; another worker will resume it", job.pk)


@contextmanager
def pulse(job: Job) -> Iterator[None]:
    """Keeps the job's heartbeat going while a step reports no progress."""
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(BEAT_SECONDS):
            try:
                Job.objects.filter(pk=job.pk).update(heartbeat=timezone.now())
            except Error:  # One missed beat must not end the pulse: the job would be done twice.
                logger.warning("job %s missed a heartbeat", job.pk, exc_info=True)
            finally:
                connection.close()

    thread = threading.Thread(target=beat, daemon=True, name=f"pulse of job {job.pk}")
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def finish(job: Job, state: str, *, error: str = "", result: dict[str, Any] | None = None) -> None:
    """Store how a job ended, and remove its uploads if it is done. Only by the worker that has it: one presumed dead
    must not end a job that another has resumed or that was cancelled, nor remove its files."""
    own = Job.objects.unfinished().filter(pk=job.pk, worker=job.worker)
    now = timezone.now()
    ended = {"state": state, "error": storable(error), "result": result or {}, "message": ""}
    if not own.update(**ended, finished=now):
        return
    seconds = round((now - (job.started or now)).total_seconds(), 1)
    outcome = "succeeded" if state == Job.State.DONE else state
    fields = {"job": job.pk, "kind": job.kind, "seconds": seconds, "outcome": str(outcome)}
    ends.info("job %s (%s) %s after %s s", job.pk, job.kind, outcome, seconds, extra={"fields": fields})
    if state == Job.State.DONE:
        workspace.remove_uploads(job.params)


def storable(text: str) -> str:
    """A text as PostgreSQL takes it: without NUL and halves of characters."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()


def is_stuck(job: Job) -> bool:
    """Whether a job has waited long enough to ask whether any worker listens: none is known to be at work."""
    now = timezone.now()
    at_work = Job.objects.filter(state=Job.State.RUNNING, heartbeat__gt=now - GONE)
    return job.state == Job.State.QUEUED and job.created < now - PROMPT and not at_work.exists()


@transaction.atomic
def cancel_job(job: Job, by: User) -> None:
    """A waiting job, or one whose worker is gone, is cancelled at once, a running one when it next reports progress."""
    now, this = timezone.now(), Job.objects.filter(pk=job.pk)
    idle = Q(state=Job.State.QUEUED) | Q(state=Job.State.RUNNING, heartbeat__lte=now - GONE)
    ended = this.filter(idle).update(state=Job.State.CANCELLED, cancel=True, message="", finished=now)
    if ended or this.filter(state=Job.State.RUNNING, cancel=False).update(cancel=True):
        history.note(by, f"Cancelled: {job.title}", job.campaign, page="jobs")


def reset_unfinished(*, silent_for: timedelta = timedelta(0)) -> list[int]:
    """Put jobs back into the queue that had no heartbeat for so long, or end them if they were cancelled. Returns the
    ids of these and of jobs that wait for a while, so that the caller can send their messages again; that counts as a
    heartbeat."""
    now = timezone.now()
    waiting = now - min(silent_for, WAITING)
    silent = Job.objects.unfinished().filter(
        Q(heartbeat__lte=now - silent_for)
        | Q(state=Job.State.QUEUED, heartbeat__lte=waiting)
        | Q(heartbeat=None, created__lte=waiting)
    )
    for job in silent.filter(cancel=True):
        finish(job, Job.State.CANCELLED)
    ids = list(silent.order_by("pk").values_list("pk", flat=True))
    jobs = Job.objects.filter(pk__in=ids)
    jobs.filter(state=Job.State.RUNNING).update(state=Job.State.QUEUED, worker="", message="waiting to be resumed")
    jobs.filter(state=Job.State.QUEUED).update(heartbeat=now)
    return ids
