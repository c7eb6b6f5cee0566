"""Jobs: submitted by a page, claimed by exactly one worker, watched, cancelled, resumed."""

import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import DatabaseError, Error, InterfaceError, OperationalError, connection, transaction
from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from assess.ir.common.problems import BadInput
from assess.models import Campaign, Job
from assess.services.common import uploads
from assess.services.common.errors import Refused

logger = logging.getLogger(__name__)

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

Kind = Job.Kind
SHARED = (Kind.COLLECTION, Kind.VISUAL_IDS, Kind.REPAIR)
"""The jobs that change a collection, and with it the runs of all campaigns that share it."""

ADDING = (Kind.RUNS, Kind.BASELINE, Kind.FUSION)
"""The jobs that add runs; any number of them may run at once."""

PREPARING = (*SHARED, *ADDING, Kind.POOL, Kind.POOL_FILE, Kind.FREEZE, Kind.EXTEND)
"""The jobs that change a pool or what it is made from."""

RESOLVED = (Kind.POOL_REPORT, Kind.VERIFY, Kind.EVALUATE, Kind.WHAT_IF, Kind.RELIABILITY, Kind.TRAINING)
"""The jobs that read units or texts and change nothing that others read: they wait while these change."""

READ_RUNS = (
    *(*SHARED, Kind.BASELINE, Kind.FUSION, Kind.POOL, Kind.POOL_FILE, Kind.FREEZE, Kind.EXTEND),
    *RESOLVED,
)
READ_POOL = (
    *(*SHARED, Kind.FREEZE, Kind.EXTEND, Kind.POOL_REPORT),
    *(Kind.AGREEMENT, Kind.RELEASE, Kind.VERIFY, Kind.EVALUATE, Kind.WHAT_IF, Kind.RELIABILITY),
)
READ_TOPICS = (Kind.TOPIC_THREADS, Kind.TRAINING)
READ_SOURCES = (Kind.TRAINING, Kind.AGREEMENT, Kind.WHAT_IF)
"""The jobs that need runs, a pool, topics without entries or sources of judgments as they are: none of these is deleted
meanwhile."""

OnProgress = Callable[[int, int, str], None]
"""Receives how far a step is: items done, total (0 if unknown), what it is doing."""


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
        if job.filter(cancel=True).exists():
            raise Cancelled
        job.update(done=done, total=total, message=storable(message)[:LONGEST_MESSAGE], heartbeat=timezone.now())


Step = Callable[[Job, OnProgress], dict[str, Any]]


def this_worker() -> str:
    """Host and process that do the work, for finding a stuck job."""
    return f"{socket.gethostname()}:{os.getpid()}"


@transaction.atomic
def submit(campaign: Campaign, kind: str, by: User, **params: Any) -> Job:
    """Store a job. The caller enqueues it once the row is committed. Raises Refused if another job blocks it."""
    try:
        require_free(campaign, kind)
    except Refused:
        uploads.discard(params)
        raise
    return Job.objects.create(campaign=campaign, kind=kind, params=params, created_by=by)


def require_free(campaign: Campaign, kind: str) -> None:
    """Lock the campaign, and those that share its collection, until the transaction ends. Raises Refused if an
    unfinished job blocks jobs of this kind, or if the campaign is archived."""
    lock(campaign)
    if Campaign.objects.filter(pk=campaign.pk, archived__isnull=False).exists():
        raise Refused(f"{campaign} is archived, so nothing can change. Bring it back first (Edit).")
    refuse_during(blocking(campaign, kind))


def require_unread(campaign: Campaign, kinds: Collection[str]) -> None:
    """Lock the campaign as `require_free` does, before something of it is deleted. Raises Refused if one of its
    unfinished jobs is of these kinds, or such a job of another campaign changes their collection."""
    lock(campaign)
    here = Q(campaign=campaign, kind__in=kinds)
    elsewhere = Q(campaign__in=sharing(campaign), kind__in=set(kinds) & set(SHARED))
    refuse_during(Job.objects.unfinished().filter(here | elsewhere))


def lock(campaign: Campaign) -> None:
    locked = sharing(campaign) | Campaign.objects.filter(pk=campaign.pk)
    list(locked.select_for_update().order_by("pk"))


def refuse_during(jobs: QuerySet[Job]) -> None:
    if job := jobs.select_related("campaign").first():
        raise Refused(f"{job} of {job.campaign} has not finished. Wait for it, or cancel it from the overview.")


def blocking(campaign: Campaign, kind: str) -> QuerySet[Job]:
    """The unfinished jobs that block one of this kind. A job that prepares a pool is blocked by all others of its
    campaign that do (except that runs may be imported side by side) and by changes of its collection from any
    campaign. A search for mixed visual ids and a job that reads the units of runs are blocked by such changes, too.
    Every other kind is blocked by itself, so that a button pressed twice does not release twice."""
    return Job.objects.unfinished().filter(rivals(campaign, kind))


def rivals(campaign: Campaign, kind: str) -> Q:
    changes = Q(campaign__in=sharing(campaign), kind__in=SHARED)
    if kind == Kind.MIXED:
        return changes | Q(campaign__in=sharing(campaign), kind=Kind.MIXED)
    if kind in RESOLVED:
        return changes | Q(campaign=campaign, kind=kind)
    if kind not in PREPARING:
        return Q(campaign=campaign, kind=kind)
    here = [other for other in PREPARING if other not in ADDING or kind not in ADDING]
    elsewhere = (*PREPARING, *RESOLVED, Kind.MIXED) if kind in SHARED else SHARED
    return Q(campaign=campaign, kind__in=here) | Q(campaign__in=sharing(campaign), kind__in=elsewhere)


def sharing(campaign: Campaign) -> QuerySet[Campaign]:
    """The campaigns with the same collection, including this one; none if it has no collection."""
    return Campaign.objects.filter(collection__isnull=False, collection=campaign.collection_id)


def claim(job_id: int) -> Job | None:
    """The job, if this worker is the first to claim it: a message may arrive twice."""
    now = timezone.now()
    won = Job.objects.filter(pk=job_id, state=Job.State.QUEUED).update(
        state=Job.State.RUNNING,
        started=Coalesce("started", Value(now)),
        heartbeat=now,
        worker=this_worker(),
        error="",
        done=0,
        total=0,
    )
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
        end(job, Job.State.FAILED, error=str(error))
    except Exception as error:
        logger.exception("job %s failed", job.pk)
        end(job, Job.State.FAILED, error=explained(error))
    else:
        end(job, Job.State.DONE, result=result)


def explained(error: Exception) -> str:
    """What an organizer reads of an error that is not theirs."""
    if isinstance(error, OperationalError | InterfaceError):
        return f"The database failed: {error}. Nothing is half done: start the job again once the database works."
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
    # Only by the worker that has it: one presumed dead must not end a job that another has resumed or that was
    # cancelled, nor remove its files.
    ended = Job.objects.unfinished().filter(pk=job.pk, worker=job.worker)
    close(job, ended, state=state, error=storable(error), result=result or {})


def close(job: Job, ended: QuerySet[Job], **changes: Any) -> None:
    """Store how a job ended, if it is among ``ended``, and remove what it leaves."""
    if ended.update(**changes, message="", finished=timezone.now()):
        uploads.discard(job.params)


def storable(text: str) -> str:
    """A text as PostgreSQL takes it: without NUL and halves of characters."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()


def is_stuck(job: Job) -> bool:
    """Whether a job has waited long enough to ask whether any worker listens: none is known to be at work."""
    now = timezone.now()
    at_work = Job.objects.filter(state=Job.State.RUNNING, heartbeat__gt=now - GONE)
    return job.state == Job.State.QUEUED and job.created < now - PROMPT and not at_work.exists()


def cancel(job: Job) -> None:
    """A waiting job, or one whose worker is gone, is cancelled at once, a running one when it next reports progress."""
    idle = Q(state=Job.State.QUEUED) | Q(state=Job.State.RUNNING, heartbeat__lte=timezone.now() - GONE)
    close(job, Job.objects.filter(idle, pk=job.pk), state=Job.State.CANCELLED, cancel=True)
    Job.objects.filter(pk=job.pk, state=Job.State.RUNNING).update(cancel=True)


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
