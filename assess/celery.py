"""The Celery application: `celery -A assess worker`."""

import os
from typing import Any

from celery import Celery
from celery.signals import worker_ready

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "assess.settings")

app = Celery("assess")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["assess"])


@worker_ready.connect
def take_up_abandoned_jobs(**_: Any) -> None:
    """Sends again, when a worker starts, the jobs that another left behind. A job that waits its turn may get
    a second message; the worker that claims it first does it."""
    from assess.services import jobs
    from assess.tasks import enqueue

    for job_id in jobs.reset_unfinished(silent_for=jobs.SILENT):
        enqueue(job_id)
