"""Starting jobs, from the pages of every room; the pages of jobs are in `web.jobs`."""

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from assess.models import Campaign
from assess.models.job_kind import JobKind
from assess.services.common.errors import Refused
from assess.services.jobs import job_queue
from assess.tasks import enqueue
from assess.web.common.responses import person

FRESH = "fresh"
"""In the address of the page of a job: it was started a moment ago."""


def start(request: HttpRequest, campaign: Campaign, kind: JobKind, **params: Any) -> HttpResponse:
    """Submit a job, enqueue it after the commit and redirect to its page; if another job blocks it, redirect back with
    the reason."""
    try:
        job = job_queue.submit(campaign, kind, person(request), **params)
    except Refused as error:
        messages.error(request, str(error))
        return redirect(kind.page, campaign.slug)
    transaction.on_commit(lambda: enqueue(job.pk))
    return redirect(f"{job.get_absolute_url()}?{FRESH}")
