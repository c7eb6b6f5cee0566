"""Starting jobs from the pages of every room, and the pages of what jobs and people made; those of jobs are in
`web.jobs`."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from assess.models import Campaign, Job
from assess.models.job_kind import JobKind, kinds_of_jobs
from assess.services.common.errors import Refused
from assess.services.jobs import job_queue
from assess.tasks import enqueue
from assess.web.common.navigation import address_of
from assess.web.common.responses import person, refusals

FRESH = "fresh"
"""In the address of the page of a job: it was started a moment ago."""


def start_job(request: HttpRequest, campaign: Campaign, kind: JobKind, **params: Any) -> HttpResponse:
    """Submit a job and redirect to its page; if another job blocks it, back with the reason."""
    try:
        job = job_queue.submit(campaign, kind, person(request), **params)
    except Refused as error:
        messages.error(request, str(error))
        return redirect(address_of(kind.page, campaign.slug))
    transaction.on_commit(lambda: enqueue(job.pk))
    return redirect(f"{job.get_absolute_url()}?{FRESH}")


def restart_job(request: HttpRequest, job: Job) -> HttpResponse:
    """Start a job again and redirect to its page; with the reason if another job blocks it."""
    with refusals(request):
        if job_queue.restart(job, person(request)):
            transaction.on_commit(lambda: enqueue(job.pk))
            return redirect(f"{job.get_absolute_url()}?{FRESH}")
    return redirect(job)


Place = tuple[str, str]
"""The address of a page, and what it is called in a sentence."""

MADE = {made.name: made for kind in kinds_of_jobs().values() if (made := kind.made)}
SEEN: Mapping[str, str] = {kind.page: kind.page_label for kind in kinds_of_jobs().values()} | {
    "assignments": "assignments",
    "campaign": "the overview",
    "jobs": "jobs",
    "collection_images": "pictures",
    "members": "members",
    "outcomes": "outcomes",
    "questions": "questions and rulings",
    "round": MADE["round"].label,
    "run": MADE["run"].label,
    "topics": "topics",
    "topic_set": "the topic set",
}
"""The pages on which changes by people are seen."""


def places_of_jobs(jobs: Iterable[Job]) -> dict[int, Place]:
    """For each job, by key: the page of what it made, or of the page that started it if it made nothing that is still
    there. One query for each model that can be deleted."""
    jobs = list(jobs)
    made: dict[type[Model], set[int | None]] = defaultdict(set)
    for job in jobs:
        if (what := kinds_of_jobs()[job.kind].made) and what.model:
            made[what.model].add(job.result.get(what.name))
    there = {model: existing(model, keys) for model, keys in made.items()}
    return {job.pk: place_of_job(job, there) for job in jobs}


def existing(model: type[Model], keys: Collection[int | None]) -> set[int]:
    return set(model._default_manager.filter(pk__in=set(keys) - {None}).values_list("pk", flat=True))


def place_of_job(job: Job, there: Mapping[type[Model], Collection[int]]) -> Place:
    kind, slug = kinds_of_jobs()[job.kind], job.campaign.slug
    key = job.result.get(kind.made.name) if kind.made else None
    if kind.made and key is not None and (kind.made.model is None or key in there[kind.made.model]):
        return reverse(kind.made.page, args=[slug], query={kind.made.name: key}), kind.made.label.format(key)
    return address_of(kind.page, slug), kind.page_label


def places_seen(slug: str, recorded: Iterable[Mapping[str, Any]]) -> list[Place | None]:
    """For each page that an `Action` recorded: the page; None without one, or if what it showed is gone. One query for
    each model that can be deleted."""
    recorded = list(recorded)
    there = {
        page: existing(made.model, [each.get("pk") for each in recorded if each.get("page") == page])
        for page, made in MADE.items()
        if made.model and any(each.get("page") == page for each in recorded)
    }
    return [place_seen(slug, each, there) for each in recorded]


def place_seen(slug: str, recorded: Mapping[str, Any], there: Mapping[str, Collection[int]]) -> Place | None:
    page, pk = str(recorded.get("page", "")), recorded.get("pk")
    if page not in SEEN or (page in there and pk not in there[page]):
        return None
    address = reverse(MADE[page].page, args=[slug], query={page: pk}) if page in there else address_of(page, slug)
    return address, SEEN[page]
