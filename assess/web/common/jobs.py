"""Starting jobs from the pages of every room, and the pages of what jobs and people made; those of jobs are in
`web.jobs`."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from assess.models import Campaign, Job, JobKind, kinds_of_jobs
from assess.services.jobs import job_queue
from assess.tasks import enqueue
from assess.web.common.navigation import address_of
from assess.web.common.responses import person, refusals

FRESH = "fresh"
"""In the address of the page of a job: it was started a moment ago."""


def start_job(request: HttpRequest, campaign: Campaign, kind: JobKind, **params: Any) -> HttpResponse:
    """Submit a job and redirect to its page; if another job blocks it, back with the reason."""
    with refusals(request):
        return follow_job(job_queue.submit(campaign, kind, person(request), **params))
    return redirect(address_of(kind.page, campaign.slug))


def restart_job(request: HttpRequest, job: Job) -> HttpResponse:
    """Start a job again and redirect to its page; with the reason if another job blocks it."""
    with refusals(request):
        if job_queue.restart(job, person(request)):
            return follow_job(job)
    return redirect(job)


def follow_job(job: Job) -> HttpResponse:
    transaction.on_commit(lambda: enqueue(job.pk))
    return redirect(f"{job.get_absolute_url()}?{FRESH}")


Place = tuple[str, str]
"""The address of a page, and what it is called in a sentence."""

MADE = {made.name: made for kind in kinds_of_jobs().values() if (made := kind.made)}
PAGES: Mapping[str, str] = {kind.page: kind.page_label for kind in kinds_of_jobs().values()} | {
    "assignments": "assignments",
    "campaign": "the overview",
    "jobs": "jobs",
    "collection_images": "pictures",
    "members": "members",
    "outcomes": "outcomes",
    "questions": "questions and rulings",
    "topics": "topics",
    "topic_set": "the topic set",
}
"""The pages on which changes are seen."""


def places_of(slug: str, seen: Iterable[tuple[str, Any]]) -> list[Place | None]:
    """Where each page is, or each thing that a job makes, by its name and key; None for what is no page of a campaign,
    or is gone. One query for each model that can be deleted."""
    seen, keys = list(seen), defaultdict[str, set[Any]](set)
    for name, key in seen:
        keys[name].add(key)
    there = {
        name: set(made.model._default_manager.filter(pk__in=keys[name] - {None}).values_list("pk", flat=True))
        for name, made in MADE.items()
        if made.model and name in keys
    }
    places: list[Place | None] = []
    for name, key in seen:
        made = MADE.get(name)
        if made and key is not None and key in there.get(name, {key}):
            places.append((reverse(made.page, args=[slug], query={name: key}), made.label.format(key)))
        else:
            places.append((address_of(name, slug), PAGES[name]) if name in PAGES else None)
    return places


def places_of_jobs(slug: str, jobs: Iterable[Job]) -> dict[int, Place]:
    """For each job of a campaign, by key: the page of what it made, or of the page that started it if it made nothing
    that is still there."""
    kinds = {job: kinds_of_jobs()[job.kind] for job in jobs}
    names = [kind.made.name if kind.made else "" for kind in kinds.values()]
    made = places_of(slug, [(name, job.result.get(name)) for job, name in zip(kinds, names, strict=True)])
    pages = [(address_of(kind.page, slug), kind.page_label) for kind in kinds.values()]
    return {job.pk: place or page for job, place, page in zip(kinds, made, pages, strict=True)}
