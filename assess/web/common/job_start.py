"""Jobs are started from the pages of every room; their own pages are in `web.jobs`."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from assess.models import Campaign, Job
from assess.services.common.errors import Refused
from assess.services.jobs import job_queue
from assess.tasks import enqueue

Kind = Job.Kind
PLACES = {
    Kind.COLLECTION: ("collection", "collection"),
    Kind.TOPIC_THREADS: ("topic_threads", "threads of the topics"),
    Kind.VISUAL_IDS: ("formulas", "formulas"),
    Kind.MIXED: ("formulas", "formulas"),
    Kind.REPAIR: ("formulas", "formulas"),
    Kind.RUNS: ("runs", "runs"),
    Kind.BASELINE: ("baselines", "baselines"),
    Kind.POOL: ("pool", "pool"),
    Kind.POOL_FILE: ("pool", "pool"),
    Kind.FREEZE: ("pool", "pool"),
    Kind.EXTEND: ("pool", "pool"),
    Kind.PLAN: ("pool_plan", "plan"),
    Kind.POOL_REPORT: ("pool", "pool"),
    Kind.AGREEMENT: ("agreement", "agreement"),
    Kind.RELEASE: ("releases", "qrels"),
    Kind.EVALUATE: ("results", "results"),
}
"""The page that each kind of job is started from and belongs to, and what it is called."""


def start(request: HttpRequest, campaign: Campaign, kind: str, **params: Any) -> HttpResponse:
    """Submit a job, tell the workers once it is stored, and lead to its page; where another job is in the way, tell
    that and lead back."""
    if not isinstance(request.user, User):
        raise PermissionError("a job needs somebody who asks for it")
    try:
        job = job_queue.submit(campaign, kind, request.user, **params)
    except Refused as error:
        messages.error(request, str(error))
        return redirect(PLACES[Kind(kind)][0], campaign.slug)
    transaction.on_commit(lambda: enqueue(job.pk))
    return redirect(job)
