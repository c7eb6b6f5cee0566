"""Jobs: submitted by a page, claimed by exactly one worker, watched, cancelled, taken up again."""

import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction
from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from assess.ir.common.problems import BadInput
from assess.models import Campaign, Job
from assess.services.common import uploads
from assess.services.common.errors import Refused

logger = logging.getLogger(__name__)

SILENT = timedelta(minutes=5)
"""After so long without a sign of life a running job counts as abandoned."""

BEAT_SECONDS = 30

Kind = Job.Kind
SHARED = (Kind.COLLECTION, Kind.VISUAL_IDS, Kind.REPAIR)
"""The jobs that change a collection, and with it the runs of all campaigns that share it."""

ADDING = (Kind.RUNS, Kind.BASELINE)
"""The jobs that add runs, each beside the others."""

PREPARING = (*SHARED, *ADDING, Kind.POOL, Kind.POOL_FILE, Kind.FREEZE, Kind.EXTEND)
"""The jobs that change a pool or what it is made from."""

RESOLVED = (Kind.PLAN, Kind.POOL_REPORT, Kind.EVALUATE)
"""The jobs that read the units of runs and change nothing: they wait where these are being changed."""

OnProgress = Callable[[int, int, str], None]
"""Hears how far a step is: done, total (0: not known), what it is doing."""


class Cancelled(Exception):
    """The person who watches the job has asked it to stop."""


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
        job.update(done=done, total=total, message=message, heartbeat=timezone.now())


Step = Callable[[Job, ProgressReporter], dict[str, Any]]


def this_worker() -> str:
    """Host and process that do the work, for reports and for finding a stuck job."""
    return f"{socket.gethostname()}:{os.getpid()}"


@transaction.atomic
def submit(campaign: Campaign, kind: str, by: User, **params: Any) -> Job:
    """Write down what is to be done. The caller enqueues it once the row is committed. Raises Refused where
    another job is in the way."""
    try:
        require_free(campaign, kind)
    except Refused:
        uploads.discard(params)
        raise
    return Job.objects.create(campaign=campaign, kind=kind, params=params, created_by=by)


def require_free(campaign: Campaign, kind: str) -> None:
    """Hold the campaign, and those that share its collection, until the transaction ends. Raises Refused where an
    unfinished job is in the way of one of this kind."""
    held = sharing(campaign) | Campaign.objects.filter(pk=campaign.pk)
    list(held.select_for_update().order_by("pk"))
    if job := in_the_way(campaign, kind).select_related("campaign").first():
        raise Refused(f"{job} of {job.campaign} has not ended. Wait for it, or cancel it from the overview.")


def in_the_way(campaign: Campaign, kind: str) -> QuerySet[Job]:
    """The unfinished jobs beside which one of this kind cannot be: of those that prepare a pool, all others of the
    campaign (but runs may be imported side by side) and changes of the collection, whoever shares it; of a look at
    its visual ids, and of what reads the units of runs, these changes too; of the rest, the same kind, so that a
    button pressed twice does not release twice."""
    waiting = Job.objects.unfinished()
    if kind == Kind.MIXED:
        return waiting.filter(campaign__in=sharing(campaign), kind__in=(*SHARED, Kind.MIXED))
    if kind in RESOLVED:
        changes = Q(campaign__in=sharing(campaign), kind__in=SHARED)
        return waiting.filter(Q(campaign=campaign, kind=kind) | changes)
    if kind not in PREPARING:
        return waiting.filter(campaign=campaign, kind=kind)
    here = [one for one in PREPARING if one not in ADDING or kind not in ADDING]
    elsewhere = (*PREPARING, *RESOLVED, Kind.MIXED) if kind in SHARED else SHARED
    return waiting.filter(Q(campaign=campaign, kind__in=here) | Q(campaign__in=sharing(campaign), kind__in=elsewhere))


def sharing(campaign: Campaign) -> QuerySet[Campaign]:
    """The campaigns that search the same collection, with this one; none where it has no collection."""
    return Campaign.objects.filter(collection__isnull=False, collection=campaign.collection_id)


def claim(job_id: int) -> Job | None:
    """The job, if this worker is the one that gets it: a message may arrive twice."""
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
    """Do the step and write down how it ended. What a person can mend is told in full; what is our fault is
    logged with its trace and told in one line."""
    try:
        with pulse(job):
            result = step(job, ProgressReporter(job))
    except Cancelled:
        finish(job, Job.State.CANCELLED)
    except (BadInput, Refused) as error:
        finish(job, Job.State.FAILED, error=str(error))
    except Exception as error:
        logger.exception("job %s failed", job.pk)
        finish(
            job,
            Job.State.FAILED,
            error=f"Unexpected fault: {error!r}. The log of the worker has the details.",
        )
    else:
        finish(job, Job.State.DONE, result=result)


@contextmanager
def pulse(job: Job) -> Iterator[None]:
    """Keeps the job's heartbeat going while a step has nothing to tell."""
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(BEAT_SECONDS):
            try:
                Job.objects.filter(pk=job.pk).update(heartbeat=timezone.now())
            except DatabaseError:  # One missed beat must not end the pulse: the job would be done twice.
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
    # Only by the worker that has it: one that was given up for dead must not end what another has taken up, nor
    # remove the files that it reads.
    if Job.objects.filter(pk=job.pk, worker=job.worker).update(
        state=state, error=error, result=result or {}, message="", finished=timezone.now()
    ):
        uploads.discard(job.params)


def cancel(job: Job) -> None:
    """A waiting job is cancelled at once, a running one at its next report of progress."""
    queued = Job.objects.filter(pk=job.pk, state=Job.State.QUEUED)
    if queued.update(state=Job.State.CANCELLED, finished=timezone.now()):
        uploads.discard(job.params)
    Job.objects.filter(pk=job.pk, state=Job.State.RUNNING).update(cancel=True)


def reset_unfinished(*, silent_for: timedelta = timedelta(0)) -> list[int]:
    """The jobs that no worker is at any more: those that run and those that wait, without a sign of life for so
    long. Running ones are put back into the queue, or end where somebody cancelled them. Returns the ids, so that
    the caller can send their messages again; that counts as a sign of life."""
    now = timezone.now()
    silent = Job.objects.unfinished().filter(
        Q(heartbeat__lte=now - silent_for) | Q(heartbeat=None, created__lte=now - silent_for)
    )
    for job in silent.filter(cancel=True):
        finish(job, Job.State.CANCELLED)
    ids = list(silent.order_by("pk").values_list("pk", flat=True))
    found = Job.objects.filter(pk__in=ids)
    found.filter(state=Job.State.RUNNING).update(state=Job.State.QUEUED, worker="", message="taken up again")
    found.filter(state=Job.State.QUEUED).update(heartbeat=now)
    return ids
