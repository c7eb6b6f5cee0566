"""The page of a job: its progress, its outcome, and the button to cancel it."""

import time
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from assess.models import AgreementReport, Job, JudgmentSource, Round, Run
from assess.services.common.access import campaign_for, job_for
from assess.services.common.history import about
from assess.services.common.wording import counts_of, number
from assess.services.jobs import job_queue
from assess.services.judging.rounds import Coverage
from assess.services.pipeline import next_elsewhere
from assess.services.results import agreement
from assess.services.results.agreement import NOTHING_COMMON
from assess.services.runs import runs
from assess.tasks import worker_listens
from assess.web.common.job_places import places
from assess.web.common.job_start import FRESH, PLACES
from assess.web.pool.pool_summary import pool_summary

Kind = Job.Kind
PAGE = 50
OF_VISUAL_IDS = (Kind.VISUAL_IDS, Kind.MIXED, Kind.REPAIR)


def summary(job: Job) -> str:
    """A job in a list: what it is about or, for visual ids, its outcome."""
    is_done = job.kind in OF_VISUAL_IDS and job.state == Job.State.DONE
    return of_visual_ids(job) if is_done else about(job)


def outcome(job: Job) -> list[str]:
    """The results of a job that is done, one per line."""
    if job.kind == Kind.AGREEMENT:
        return [of_report(report) for report in AgreementReport.objects.filter(pk=job.result.get("report"))]
    if job.kind in OF_VISUAL_IDS:
        return [of_visual_ids(job)]
    if job.kind == Kind.COLLECTION:
        return [f"{kind}: {count:,}" for kind, count in counts_of(job.result.get("counts", {}))]
    if job.kind == Kind.TOPIC_THREADS:
        return [f"threads found for {job.result['found']} of {number(job.result['topics'], 'topic')}"]
    if job.kind == Kind.RUNS:
        return [of_run(run) for run in job.campaign.runs.filter(name__in=job.result.get("runs", []))]
    if job.kind in (Kind.BASELINE, Kind.FUSION):
        return [of_run(run) for run in job.campaign.runs.filter(pk=job.result.get("run"))]
    if job.kind == Kind.TRAINING:
        counted = Round.objects.filter(pk=job.result.get("round")).exclude(coverage={})  # older rounds have none
        return [of_coverage(Coverage(**stage.coverage)) for stage in counted]
    if job.kind == Kind.SOURCE:
        return [of_source(source) for source in job.campaign.judgment_sources.filter(pk=job.result.get("source"))]
    pool = job.campaign.pools.filter(version=job.result.get("pool", 0)).first()
    return pool_summary(pool) if pool else []


def of_report(report: AgreementReport) -> str:
    if agreement.is_empty(report):
        return f"{NOTHING_COMMON}: assign topics to a second assessor in the dual round, then compute it again"
    compared = sum(bool(pair["n"]) for pair in report.pairs)
    return f"{number(compared, 'pair')} of assessors compared"


def of_source(source: JudgmentSource) -> str:
    lines, topics = number(source.counts["lines"], "judgment"), number(source.counts["topics"], "topic")
    return f"{lines} of {topics}"


def of_coverage(found: Coverage) -> str:
    text = f"{found.known:,} of {number(found.documents, 'different judged document')} in the collection"
    return f"{text}, {found.known_topics} of {number(found.topics, 'judged topic')} in the file of topics"


def of_visual_ids(job: Job) -> str:
    counts = job.result.get("counts", {})
    if job.kind == Kind.VISUAL_IDS:
        without = f"; {number(counts['without'], 'formula')} without" if counts.get("without") else ""
        return f"{number(counts['formulas'], 'formula')} with {number(counts['units'], 'different visual id')}{without}"
    if not counts.get("clusters"):
        return "all formulas with the same visual id look alike"
    mixed, moved = number(counts["clusters"], "mixed visual id"), number(counts["moved"], "formula")
    if job.kind == Kind.MIXED:
        return f"{mixed} found; {moved} would move. Nothing changes until you apply the repair"
    return f"{mixed} repaired; {moved} moved, {number(counts['new'], 'visual id')} added"


def of_run(run: Run) -> str:
    text = f"{run.name} ({run.team}): {number(run.lines, 'line')} for {number(run.topics, 'topic')}"
    if run.known_share is not None:
        low = ", which is low" if run.has_low_coverage else ""
        text += f"; the collection holds {run.coverage['known']:,} of {run.coverage['documents']:,} documents{low}"
    text += "".join(f"; {note}" for note in run.notes if note.startswith(runs.FOREIGN))
    return text + (f"; {number(len(run.notes), 'note')} on the file" if run.notes else "")


@require_safe
def jobs(request: HttpRequest, slug: str) -> HttpResponse:
    """All jobs of a campaign, the latest first."""
    campaign = campaign_for(request.user, slug)
    every = campaign.jobs.select_related("created_by")
    page = Paginator(every, PAGE).get_page(request.GET.get("page"))
    context = {"campaign": campaign, "page": page, "jobs": [(job, summary(job)) for job in page], "section": "campaign"}
    return render(request, "jobs/jobs.html", context)


def job(request: HttpRequest, pk: int) -> HttpResponse:
    """The page of a job. One that was started a moment ago and ends at once leads to its result instead, unless there
    is something to read."""
    job = job_for(request.user, pk)
    if FRESH in request.GET:
        wait(job)
        if job.state != Job.State.DONE or job.result.get("notes"):
            return redirect(job)
        messages.success(request, f"{job.get_kind_display()}: {'; '.join(outcome(job)) or 'done'}.")
        return redirect(places([job])[job.pk][0])
    url, label = places([job])[job.pk]
    context = progress(job) | {"campaign": job.campaign, "next_url": url, "next_label": label, "about": about(job)}
    if job.state == Job.State.DONE:
        context |= {"outcome": outcome(job), "next": next_elsewhere(job.campaign, PLACES[Kind(job.kind)][0])}
    return render(request, "jobs/job.html", context)


def wait(job: Job) -> None:
    """Until the job has ended, but not for long."""
    end = time.monotonic() + settings.JOB_PATIENCE
    while not job.is_finished and time.monotonic() < end:
        time.sleep(0.05)
        job.refresh_from_db()


def job_progress(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of the page that changes, and at the end a request to reload the page. It has an address of its own, so
    that the Back button never shows it as the page."""
    job = job_for(request.user, pk)
    if job.is_finished:
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "jobs/_job.html", progress(job))


def progress(job: Job) -> dict[str, Any]:
    return {"job": job, "lacks_worker": job_queue.is_stuck(job) and not worker_listens()}


@require_POST
def job_cancel(request: HttpRequest, pk: int) -> HttpResponse:
    job = job_for(request.user, pk)
    job_queue.cancel(job)
    return redirect(job)


urlpatterns = [
    path("c/<slug:slug>/jobs/", jobs, name="jobs"),
    path("jobs/<int:pk>/", job, name="job"),
    path("jobs/<int:pk>/progress/", job_progress, name="job_progress"),
    path("jobs/<int:pk>/cancel/", job_cancel, name="job_cancel"),
]
