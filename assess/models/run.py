"""A run: what a system returned for every topic."""

from __future__ import annotations

from django.db import models
from django.urls import reverse

from assess.ir.common.figures import percent
from assess.ir.common.rows import LONGEST_ID, LONGEST_NAME
from assess.models.campaign import Campaign, Topic

LONGEST_FILE_NAME = 200
"""Longer names of files are cut."""

LOW_COVERAGE = 0.95
"""The pages warn if the collection has less than this share of a run's documents."""


class Run(models.Model):
    """One system's rankings. ``order``: the column of the file that sets the ranking; ``coverage``: how many of its
    documents are in the collection ({"documents": 98000, "known": 812}); ``notes``: oddities of the file;
    ``answers``: where a run of Task 3 has them from; ``provenance``: how a run was made here
    (`services.runs.baselines`), empty if imported; ``withdrawn``: since when it is in no table of results."""

    class Format(models.TextChoices):
        TASK1 = "task1", "Task 1 (answers)"
        TASK2 = "task2", "Task 2 (formulas)"
        TASK3 = "task3", "Task 3 (written answers)"
        TREC = "trec", "TREC"

    class Kind(models.TextChoices):
        PRIMARY = "primary", "Primary"
        ALTERNATE = "alternate", "Alternate"
        BASELINE = "baseline", "Baseline"

    class Method(models.TextChoices):
        AUTOMATIC = "automatic", "Automatic"
        MANUAL = "manual", "Manual"

    class Data(models.TextChoices):
        TEXT = "text", "Text"
        MATH = "math", "Math"
        BOTH = "both", "Text and math"
        LINKS = "links", "Links"

    class Answers(models.TextChoices):
        EXTRACTED = "extracted", "Taken from posts"
        GENERATED = "generated", "Generated"

    class PoolRole(models.TextChoices):
        PRIMARY = "primary", "Primary depth"
        ALTERNATE = "alternate", "Alternate depth"
        NONE = "none", "Not pooled"
        PRIORITY_1 = "1", "Priority 1"
        PRIORITY_2 = "2", "Priority 2"
        PRIORITY_3 = "3", "Priority 3"
        PRIORITY_4 = "4", "Priority 4"
        PRIORITY_5 = "5", "Priority 5"

    class Order(models.TextChoices):
        SCORE = "score", "Score column"
        RANK = "rank", "Rank column"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="runs")
    withdrawn = models.DateTimeField(null=True)
    name = models.CharField(max_length=LONGEST_NAME)
    team = models.CharField(max_length=LONGEST_NAME)
    kind = models.CharField(max_length=10, choices=Kind)
    method = models.CharField(max_length=10, choices=Method)
    data = models.CharField(max_length=10, choices=Data)
    answers = models.CharField(max_length=10, choices=Answers, default=Answers.EXTRACTED)
    pool_role = models.CharField(max_length=10, choices=PoolRole)
    format = models.CharField(max_length=10, choices=Format)
    order = models.CharField(max_length=10, choices=Order, default=Order.SCORE)
    file_name = models.CharField(max_length=LONGEST_FILE_NAME)
    sha256 = models.CharField(max_length=64)
    lines = models.PositiveIntegerField()
    topics = models.PositiveIntegerField()
    coverage = models.JSONField(default=dict)
    notes = models.JSONField(default=list)
    provenance = models.JSONField(default=dict)
    created = models.DateTimeField(auto_now_add=True)
    job = models.ForeignKey("assess.Job", models.SET_NULL, null=True, related_name="runs")

    class Meta:
        ordering = ["team", "name"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "name"], name="run_name_once"),
            models.UniqueConstraint(fields=["campaign", "sha256"], name="run_file_once"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("runs", args=[self.campaign.slug], query={"run": self.pk})

    @property
    def is_written(self) -> bool:
        """Written answers (Task 3) are scored and released separately from posts."""
        return self.format == self.Format.TASK3

    @property
    def known_share(self) -> float | None:
        """The share of its documents that are in the collection; None if there is nothing to compare with."""
        total = self.coverage.get("documents")
        return self.coverage["known"] / total if total else None

    @property
    def known_percent(self) -> float | None:
        return None if self.known_share is None else percent(self.coverage["known"], self.coverage["documents"])

    @property
    def has_low_coverage(self) -> bool:
        return self.known_share is not None and self.known_share < LOW_COVERAGE


class Ranking(models.Model):
    """The ordered lines of a run, packed (`assess.ir.runs.ranking.pack`); a table of its own, so that queries for runs
    stay small."""

    run = models.OneToOneField(Run, models.CASCADE, primary_key=True)
    packed = models.BinaryField()


class MadeFile(models.Model):
    """The compressed file (zlib) of a run that was made here: there is no other copy."""

    run = models.OneToOneField(Run, models.CASCADE, primary_key=True, related_name="made_file")
    packed = models.BinaryField()


class WrittenAnswer(models.Model):
    """An answer written by systems (Task 3), stored once for all runs that have it. ``body`` is canonical HTML."""

    topic = models.ForeignKey(Topic, models.CASCADE, related_name="written_answers")
    doc_id = models.CharField(max_length=LONGEST_ID)
    body = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["topic", "doc_id"], name="written_answer_once")]
