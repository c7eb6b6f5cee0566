"""Jobs of the campaigns that you organize."""

from assess.api.doors import Door, JobSerializer, changes, reads
from assess.models import Job
from assess.services.common.access import job_for
from assess.services.jobs import job_queue


@reads("/jobs/<int:pk>/", JobSerializer)
def job(door: Door, pk: int) -> Job:
    """State and progress of a job, its result or its error."""
    return job_for(door.person, pk)


@changes("/jobs/<int:pk>/cancel/", answers=JobSerializer)
def job_cancel(door: Door, pk: int) -> Job:
    """Ends a job that waits, or a running one when it next reports progress."""
    job_queue.cancel_job(job_for(door.person, pk), door.person)
    return job_for(door.person, pk)
