"""The one Celery task: do a job. The message carries its id; everything else is in the row."""

from datetime import timedelta
from typing import Any

from celery.signals import worker_ready

from assess.celery import app
from assess.services.common import workspace
from assess.services.jobs import job_queue
from assess.services.steps import STEPS

LOOK_SECONDS = 60


@app.task(name="assess.run_job")
def run_job(job_id: int) -> None:
    """Do the job, unless another worker has it or it has ended: a message may come twice."""
    job = job_queue.claim(job_id)
    if job:
        job_queue.perform(job, STEPS[job.kind])


def enqueue(job_id: int) -> None:
    """Send a job to the workers. Call it once the row is committed."""
    run_job.delay(job_id)


def resume_jobs(silent_for: timedelta = job_queue.SILENT) -> int:
    """Send abandoned jobs to the workers again and remove what their own workers left behind; returns how many."""
    ids = job_queue.reset_unfinished(silent_for=silent_for)
    workspace.tidy(silent_for)
    for job_id in ids:
        enqueue(job_id)
    return len(ids)


@worker_ready.connect
def watch_for_abandoned_jobs(sender: Any, **kwargs: Any) -> None:
    """The other workers look for the jobs of a killed worker, when they start and once a minute. A job that waits its
    turn may get a second message; the worker that claims it first does it."""
    resume_jobs()
    sender.timer.call_repeatedly(LOOK_SECONDS, resume_jobs)
