"""Background work: a row in our database, whatever broker sends the message to the worker."""

from __future__ import annotations

from datetime import timedelta
from typing import Self

from django.db import models
from django.urls import reverse
from django.utils import timezone

from assess.models.campaign import Campaign
from assess.models.job_kind import kinds_of_jobs


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
