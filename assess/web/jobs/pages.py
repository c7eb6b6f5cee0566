"""The page of a job: its progress, its outcome, and the buttons to cancel it, start it again or delete it."""

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST

from assess.models import Campaign, Job, kinds_of_jobs
from assess.services.common import workspace
from assess.services.common.access import ORGANIZER, job_for
from assess.services.common.history import about
from assess.services.jobs import job_queue
from assess.services.pipeline import next_elsewhere
from assess.tasks import worker_listens
from assess.web.common.doors import campaign_page, campaign_view
from assess.web.common.jobs import FRESH, places_of_jobs, restart_job, start_job
from assess.web.common.navigation import address_of
from assess.web.common.responses import person, refusals

PAGE = 50
SHORT = timedelta(seconds=5)
"""A job that is done after so long leads to its result at once; nobody needs to read its page."""


@campaign_page(ORGANIZER, section="campaign")
def jobs(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    page = Paginator(campaign.jobs.select_related("created_by"), PAGE).get_page(request.GET.get("page"))
    return render(request, "jobs/jobs.html", {"page": page, "jobs": [(job, about(job)) for job in page]})


def job(request: HttpRequest, pk: int) -> HttpResponse:
    """One that was started a moment ago and is done leads to its result, unless there is something to read."""
    job = job_for(request.user, pk)
    kind, is_done = kinds_of_jobs()[job.kind], job.state == Job.State.DONE
    url, label = places_of_jobs(job.campaign.slug, [job])[job.pk]
    if is_fresh(request, job) and is_done and not job.result.get("notes"):
        tell = messages.warning if job.result.get("problems") else messages.success
        tell(request, f"{job.title}: {'; '.join(kind.outcome(job)) or 'done'}.")
        return redirect(url)
    context = progress_context(request, job) | {"campaign": job.campaign, "next_url": url, "next_label": label}
    context |= {"about": about(job), "has_files": workspace.has_uploads(job.params)}
    if is_done:
        context |= {"outcome": kind.outcome(job), "next": next_elsewhere(job.campaign, kind.page)}
    return render(request, "jobs/job.html", context)


def is_fresh(request: HttpRequest, job: Job) -> bool:
    return FRESH in request.GET and timezone.now() - job.created < SHORT


def job_progress(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of the page that changes, and at the end a request to load the page anew; for ``?watched``, which other
    pages ask for, only that. It has an address of its own, so that the Back button never shows it as the page."""
    job = job_for(request.user, pk)
    context = progress_context(request, job)
    if not job.is_finished:
        return render(request, "jobs/_job.html", context)
    if "watched" in request.GET:
        return HttpResponse(headers={"HX-Refresh": "true"})
    return HttpResponse(headers={"HX-Redirect": job.get_absolute_url() + context["query"]})


def progress_context(request: HttpRequest, job: Job) -> dict[str, Any]:
    """A job is asked for often while it may end at any moment."""
    lacks_worker = job_queue.is_stuck(job) and not worker_listens()
    is_awaited = is_fresh(request, job)
    return {
        "job": job,
        "lacks_worker": lacks_worker,
        "query": f"?{FRESH}" if is_awaited else "",
        "pause": "300ms" if is_awaited else "5s" if lacks_worker else "1s",
    }


@require_POST
@campaign_view(ORGANIZER)
def job_start(request: HttpRequest, campaign: Campaign, kind: str) -> HttpResponse:
    """A button starts a job that has no form."""
    wanted = kinds_of_jobs().get(kind)
    if wanted is None or wanted.asks is None:
        raise Http404
    with refusals(request):
        return start_job(request, campaign, wanted, **wanted.asks(campaign))
    return redirect(address_of(wanted.page, campaign.slug))


@require_POST
def job_cancel(request: HttpRequest, pk: int) -> HttpResponse:
    job = job_for(request.user, pk)
    job_queue.cancel_job(job, person(request))
    return redirect(job)


@require_POST
def job_restart(request: HttpRequest, pk: int) -> HttpResponse:
    return restart_job(request, job_for(request.user, pk, changes=True))


@require_POST
def job_delete(request: HttpRequest, pk: int) -> HttpResponse:
    job = job_for(request.user, pk, changes=True)
    with refusals(request) as tell:
        tell(job_queue.delete_job(job, person(request)))
        return redirect("jobs", job.campaign.slug)
    return redirect(job)
