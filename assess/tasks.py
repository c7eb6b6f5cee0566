"""The one Celery task: do a job. The message carries an id; everything else stands in the row."""

from assess.celery import app
from assess.services import jobs
from assess.services.steps import STEPS


@app.task(name="assess.run_job")
def run_job(job_id: int) -> None:
    """Do the job, unless another worker has it, it was cancelled or is done: a message may come twice."""
    job = jobs.claim(job_id)
    if job:
        jobs.perform(job, STEPS[job.kind])


def enqueue(job_id: int) -> None:
    """Tell the workers that a job waits. Call it once the row is committed."""
    run_job.delay(job_id)
