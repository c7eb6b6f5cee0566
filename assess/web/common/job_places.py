"""The pages of what jobs and people made."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.db.models import Model
from django.urls import NoReverseMatch, reverse

from assess.models import Job, JudgmentSource, Round, Run, WhatIf
from assess.web.common.job_start import PLACES, Kind

Place = tuple[str, str]
"""The address of a page, and what it is called in a sentence."""

MADE = {
    "report_on": ("pool_report", "the report"),
    "release": ("release", "release {}"),
    "run": ("run", "the run"),
    "evaluation": ("evaluation", "results"),
    "reliability": ("reliability_report", "reliability"),
    "round": ("round", "the round"),
    "source": ("judgment_source", "the judgments"),
    "what_if": ("what_if", "the scores"),
}
"""What the result of a job names, with its page."""
DELETABLE: Mapping[str, type[Model]] = {"run": Run, "round": Round, "source": JudgmentSource, "what_if": WhatIf}
"""What can be deleted, by its name in the result."""
SEEN: Mapping[str, str] = dict(PLACES.values()) | {
    "assignments": "assignments",
    "campaign": "the overview",
    "collection_images": "pictures",
    "members": "members",
    "outcomes": "outcomes",
    "questions": "questions and rulings",
    "round": "the round",
    "run": "the run",
    "topics": "topics",
    "topic_set": "the topic set",
}
"""The pages on which changes by people are seen."""


def places(jobs: Iterable[Job]) -> dict[int, Place]:
    """For each job, by key: the page of what it made, or of the page that started it if it made nothing that is still
    there. At most four queries."""
    jobs = list(jobs)
    there = {name: existing(model, [job.result.get(name) for job in jobs]) for name, model in DELETABLE.items()}
    return {job.pk: place(job, there) for job in jobs}


def existing(model: type[Model], keys: Collection[int | None]) -> set[int]:
    return set(model._default_manager.filter(pk__in=set(keys) - {None}).values_list("pk", flat=True))


def place(job: Job, there: Mapping[str, Collection[int]]) -> Place:
    slug = job.campaign.slug
    for name, (page, label) in MADE.items():
        key = job.result.get(name)
        if key is not None and (name not in there or key in there[name]):
            return reverse(page, args=[slug, key]), label.format(key)
    page, label = PLACES[Kind(job.kind)]
    return reverse(page, args=[slug]), label


def places_seen(slug: str, recorded: Iterable[Mapping[str, Any]]) -> list[Place | None]:
    """For each page that an `Action` recorded: the page; None without one, or if what it showed is gone. At most two
    queries."""
    recorded = list(recorded)
    keys = {name: [each.get("pk") for each in recorded if each.get("page") == name] for name in ("round", "run")}
    there = {name: existing(DELETABLE[name], chosen) for name, chosen in keys.items()}
    return [place_seen(slug, each, there) for each in recorded]


def place_seen(slug: str, recorded: Mapping[str, Any], there: Mapping[str, Collection[int]]) -> Place | None:
    rest = dict(recorded)
    page = str(rest.pop("page", ""))
    if page not in SEEN or rest.get("pk") not in there.get(page, [rest.get("pk")]):
        return None
    try:
        return reverse(page, kwargs={**rest, "slug": slug}), SEEN[page]
    except NoReverseMatch:
        return None
