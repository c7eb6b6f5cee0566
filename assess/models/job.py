"""Background work: a row in our database, whatever broker sends the message to the worker."""

from __future__ import annotations

from datetime import timedelta
from typing import Self

from django.db import models
from django.urls import reverse
from django.utils import timezone

from assess.models.campaign import Campaign


class JobQuerySet(models.QuerySet["Job"]):
    def unfinished(self) -> Self:
        return self.filter(state__in=[Job.State.QUEUED, Job.State.RUNNING])


class Job(models.Model):
    """``params`` is the input of the step, ``result`` its output, ``error`` a text for the organizer. ``done`` of
    ``total`` is the progress; a total of 0 means unknown."""

    class State(models.TextChoices):
        QUEUED = "queued", "Waiting"
        RUNNING = "running", "Running"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"

    class Kind(models.TextChoices):
        COLLECTION = "collection", "Import collection"
        TOPIC_THREADS = "topic_threads", "Import topic threads"
        VISUAL_IDS = "visual_ids", "Compute visual ids"
        MIXED = "mixed", "Look for mixed visual ids"
        REPAIR = "repair", "Repair visual ids"
        RUNS = "runs", "Import runs"
        BASELINE = "baseline", "Make baseline run"
        FUSION = "fusion", "Fuse runs"
        POOL = "pool", "Build pool"
        POOL_FILE = "pool_file", "Import pool"
        SOURCE = "source", "Import judgments"
        FREEZE = "freeze", "Freeze pool"
        EXTEND = "extend", "Extend pool"
        POOL_REPORT = "pool_report", "Report on pool"
        TRAINING = "training", "Prepare round"
        AGREEMENT = "agreement", "Compute agreement"
        RELEASE = "release", "Release qrels"
        VERIFY = "verify", "Verify release"
        EVALUATE = "evaluate", "Evaluate runs"
        WHAT_IF = "what_if", "Score with other judgments"
        RELIABILITY = "reliability", "Compute reliability"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=20, choices=Kind)
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
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} ({self.get_state_display()})"

    def get_absolute_url(self) -> str:
        return reverse("job", args=[self.pk])

    @property
    def is_finished(self) -> bool:
        return self.state in (self.State.DONE, self.State.FAILED, self.State.CANCELLED)

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
