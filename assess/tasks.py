"""The Celery tasks: do a job (the message carries its id; everything else is in the row), and send an e-mail, which may
take longer than a page."""

import logging
from contextlib import suppress
from datetime import timedelta
from typing import Any

from celery.signals import worker_ready
from django.conf import settings
from django.db import Error, connection
from kombu.exceptions import OperationalError

from assess.celery import app
from assess.models import kinds_of_jobs
from assess.services.campaign import accounts
from assess.services.common import bulk, workspace
from assess.services.jobs import job_queue

logger = logging.getLogger(__name__)

LOOK_SECONDS = 15
PING_SECONDS = 1.0
ALIVE = settings.VAR_DIR / "worker-alive"
"""Touched at each look: a health check sees by its age that the worker runs."""


@app.task(name="assess.run_job")
def run_job(job_id: int) -> None:
    """Do the job, unless another worker has it or it has ended: a message may come twice."""
    job = job_queue.claim(job_id)
    if job:
        job_queue.perform(job, kinds_of_jobs()[job.kind].step)
        bulk.refresh_statistics()


def enqueue(job_id: int) -> None:
    """Call it after the commit. If the broker is away, a worker that looks for waiting jobs sends it again."""
    try:
        run_job.delay(job_id)
    except OperationalError:
        logger.warning("job %s was not sent to the broker", job_id, exc_info=True)


mail_links = app.task(name="assess.mail_links")(accounts.mail_links)
mail_address_change = app.task(name="assess.mail_address_change")(accounts.mail_address_change)


def broker_answers() -> bool:
    try:
        with app.connection_for_write() as link:
            link.ensure_connection(max_retries=1, timeout=2)
    except OperationalError:
        return False
    return True


def worker_listens() -> bool:
    """Whether any worker answers; it takes a second to know that none does."""
    try:
        return bool(app.control.broadcast("ping", reply=True, timeout=PING_SECONDS, limit=1))
    except OperationalError:
        return False


def resume_jobs(silent_for: timedelta = job_queue.SILENT) -> int:
    """Send abandoned jobs to the workers again and remove what their own workers left behind; returns how many."""
    ids = job_queue.reset_unfinished(silent_for=silent_for)
    workspace.tidy(silent_for)
    for job_id in ids:
        enqueue(job_id)
    return len(ids)


def look_for_abandoned_jobs() -> None:
    """`resume_jobs`, over and over in one process: it opens a connection each time, because one that is kept may have
    died since the last time, and a look that fails is made good by the next."""
    try:
        resume_jobs()
    except Error:
        logger.warning("could not look for abandoned jobs", exc_info=True)
    finally:
        connection.close()
        with suppress(OSError):  # without the folder or room in it, the worker still works
            ALIVE.touch()


@worker_ready.connect
def watch_for_abandoned_jobs(sender: Any, **kwargs: Any) -> None:
    """The other workers look for the jobs of a killed worker, when they start and at intervals. A job that waits its
    turn may get a second message; the worker that claims it first does it."""
    sender.timer.call_repeatedly(LOOK_SECONDS, look_for_abandoned_jobs)
    look_for_abandoned_jobs()
