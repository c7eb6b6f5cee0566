"""Starting jobs, from the pages of every room; the pages of jobs are in `web.jobs`."""

from typing import Any, cast

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
    Kind.FUSION: ("fuse", "runs to fuse"),
    Kind.POOL: ("pool", "pool"),
    Kind.POOL_FILE: ("pool", "pool"),
    Kind.SOURCE: ("judgment_sources", "imported judgments"),
    Kind.FREEZE: ("pool", "pool"),
    Kind.EXTEND: ("pool", "pool"),
    Kind.POOL_REPORT: ("pool", "pool"),
    Kind.TRAINING: ("rounds", "rounds"),
    Kind.AGREEMENT: ("agreement", "agreement"),
    Kind.RELEASE: ("releases", "qrels"),
    Kind.VERIFY: ("releases", "qrels"),
    Kind.EVALUATE: ("results", "results"),
    Kind.WHAT_IF: ("judgment_sources", "imported judgments"),
    Kind.RELIABILITY: ("reliability", "reliability"),
}
"""The page that starts each kind of job, and what it is called."""


FRESH = "fresh"
"""In the address of the page of a job: it was started a moment ago."""


def start(request: HttpRequest, campaign: Campaign, kind: str, **params: Any) -> HttpResponse:
    """Submit a job, enqueue it after the commit and redirect to its page; if another job blocks it, redirect back with
    the reason."""
    try:
        job = job_queue.submit(campaign, kind, cast(User, request.user), **params)
    except Refused as error:
        messages.error(request, str(error))
        return redirect(PLACES[Kind(kind)][0], campaign.slug)
    transaction.on_commit(lambda: enqueue(job.pk))
    return redirect(f"{job.get_absolute_url()}?{FRESH}")
