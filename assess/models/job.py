"""Background work: what a kind of job is (`services.job_kinds` declares them), and a row for each job, whatever broker
sends the message to the worker."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from datetime import timedelta
from importlib import import_module
from typing import Any, Literal, NamedTuple, Self

from django.db import models
from django.urls import reverse
from django.utils import timezone

from assess.models.campaign import Campaign

OnProgress = Callable[[int, int, str], None]
"""Receives how far a step is: items done, total (0 if unknown), what it is doing."""

Step = Callable[["Job", OnProgress], dict[str, Any]]
"""Does a job and returns its result."""

Resource = Literal["collection", "repair", "runs", "pooling", "pool", "topics", "threads", "sources"]
"""What jobs read and change:

* collection: its posts, formulas and visual ids
* repair: the repair of visual ids under review
* runs: those that are there; adding others does not change these
* pooling: what the next pool is made from, and making it
* pool: the current pool as it is; no job changes it, but it can be discarded
* topics, and the threads of the topics
* sources: judgments made elsewhere
"""

SHARED = frozenset[Resource](("collection", "repair"))
"""What campaigns with the same collection have in common; the rest belongs to one campaign."""


class Made(NamedTuple):
    """What a job makes: its name in the result and in the query of the page that shows it, that page, what it is called
    (``{}``: the number), and its model if it can be deleted."""

    name: str
    page: str
    label: str
    model: type[models.Model] | None = None


@dataclass(eq=False)
class JobKind:
    """One kind of job, which decorates its step. A job waits for no other: it is refused while another that it would
    disturb, or that would disturb it, is unfinished. Two disturb each other if one changes what the other reads or
    changes; and two of the same kind do, so that a button pressed twice does not release twice, unless
    ``is_repeatable``. ``when_archived``: it changes nothing that an archived campaign keeps.

    ``page``: the address name of the page that starts it; ``page_label``: what it is called in a sentence, if not so.
    ``asks``: its parameters, if a button starts it without a form (the address ``job_start``); may raise Refused.
    ``outcome``: the result in words, one line each.
    """

    key: str
    title: str
    page: str
    page_label: str = ""
    reads: Set[Resource] = frozenset()
    changes: Set[Resource] = frozenset()
    is_repeatable: bool = False
    when_archived: bool = False
    made: Made | None = None
    asks: Callable[[Campaign], dict[str, Any]] | None = None
    outcome: Callable[[Job], list[str]] = lambda job: []
    step: Step = field(init=False)

    def __call__(self, step: Step) -> Self:
        if self.key in DECLARED:
            raise ValueError(f"two kinds of jobs have the key {self.key}")
        self.step, self.page_label = step, self.page_label or self.page
        DECLARED[self.key] = self
        return self


DECLARED: dict[str, JobKind] = {}


def kinds_of_jobs() -> Mapping[str, JobKind]:
    """All kinds by their keys. Declaring them loads the steps, and with these the whole application, so that is done
    when they are first needed: scoring on the command line never does."""
    import_module("assess.services.job_kinds")
    return DECLARED


class JobQuerySet(models.QuerySet["Job"]):
    def unfinished(self) -> Self:
        return self.filter(state__in=[Job.State.QUEUED, Job.State.RUNNING])


class Job(models.Model):
    """``params`` is the input of the step, ``result`` its output, or what was found in a file that it refused
    (`ir.common.problems.BadInput`), ``error`` a text for the organizer. ``done`` of ``total`` is the progress; a total
    of 0 means unknown."""

    class State(models.TextChoices):
        QUEUED = "queued", "Waiting"
        RUNNING = "running", "Running"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"

    UNDONE = (State.FAILED, State.CANCELLED)

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=20, help_text="A key of `kinds_of_jobs`.")
    params = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    done = models.PositiveBigIntegerField(default=0)
    total = models.PositiveBigIntegerField(default=0)
    message = models.CharField(max_length=200, blank=True)
    error = models.TextField(blank=True)
    result = models.JSONField(default=dict)
    created_by = models.ForeignKey("auth.User", models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    started = models.DateTimeField(null=True)
    finished = models.DateTimeField(null=True)
    heartbeat = models.DateTimeField(null=True)
    cancel = models.BooleanField(default=False)
    worker = models.CharField(max_length=120, blank=True, help_text="Host and process that did it.")

    objects = JobQuerySet.as_manager()

    class Meta:
        ordering = ["-created", "-id"]  # one that is started again comes first

    def __str__(self) -> str:
        return f"{self.title} ({self.get_state_display()})"

    def get_absolute_url(self) -> str:
        return reverse("job", args=[self.pk])

    @property
    def title(self) -> str:
        return kinds_of_jobs()[self.kind].title

    @property
    def is_finished(self) -> bool:
        return self.state in (self.State.DONE, *self.UNDONE)

    @property
    def is_undone(self) -> bool:
        """Whether it ended without a result: its uploads are kept, and it can be started again."""
        return self.state in self.UNDONE

    @property
    def elapsed(self) -> timedelta | None:
        """How long it has run, or took; None before it starts."""
        return (self.finished or timezone.now()) - self.started if self.started else None

    @property
    def seconds_left(self) -> float | None:
        """An estimate from what is done so far; None if that is unknown."""
        if self.state != self.State.RUNNING or not self.total or not self.done or not self.elapsed:
            return None
        return self.elapsed.total_seconds() * (self.total - self.done) / self.done

    @property
    def percent(self) -> int | None:
        return min(100, round(100 * self.done / self.total)) if self.total else None


class MadeByJob(models.Model):
    """What a job has stored, by which one that is done again finds it."""

    created = models.DateTimeField(auto_now_add=True)
    job = models.OneToOneField(Job, models.SET_NULL, null=True, related_name="+")

    class Meta:
        abstract = True
        ordering = ["-id"]
