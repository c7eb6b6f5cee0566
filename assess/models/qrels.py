"""Releases: frozen sets of (topic, unit, grade)."""

from django.db import models
from django.urls import reverse

from assess.ir.campaign.presets import Protocol
from assess.ir.common.rows import LONGEST_ID
from assess.models.formulas import VisualMap
from assess.models.pool import Pool


class Qrels(models.Model):
    """A release with a record of what it was made from: ``protocol``, ``visual_map`` (of visually distinct formulas),
    ``made_with`` (names of campaign and edition, version and runs of the pool), ``stand`` (the main round at that
    time, as `services.judging.progress.MainRound`). ``decisions`` counts the decisions in that round until then: if
    there are more now, judging has continued. ``counts`` holds lines and topics by unit."""

    pool = models.ForeignKey(Pool, models.PROTECT, related_name="qrels")
    version = models.PositiveIntegerField()
    visual_map = models.ForeignKey(VisualMap, models.PROTECT, null=True, related_name="releases")
    protocol = models.JSONField()
    counts = models.JSONField(default=dict)
    stand = models.JSONField(default=dict)
    decisions = models.PositiveIntegerField(default=0)
    made_with = models.JSONField(default=dict)
    note = models.CharField(max_length=200, blank=True)
    released_by = models.ForeignKey("auth.User", models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    job = models.OneToOneField("assess.Job", models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["-version"]
        constraints = [models.UniqueConstraint(fields=["pool", "version"], name="release_once")]

    @property
    def changes(self) -> list[str]:
        """How its protocol differs from its preset, in words."""
        return Protocol.from_dict(self.protocol).changes

    def __str__(self) -> str:
        return f"Release {self.version}"

    def get_absolute_url(self) -> str:
        return reverse("release", args=[self.pool.campaign.slug, self.version])


class QrelsLine(models.Model):
    """One line of a release."""

    class Unit(models.TextChoices):
        POST = "post", "By post"
        VISUAL = "visual", "By visual id"
        INSTANCE = "instance", "By formula instance"
        WRITTEN = "written", "Written answers"

    qrels = models.ForeignKey(Qrels, models.PROTECT, related_name="lines")
    unit = models.CharField(max_length=10, choices=Unit)
    topic_id = models.CharField(max_length=LONGEST_ID)
    unit_id = models.CharField(max_length=LONGEST_ID)
    grade = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["qrels", "unit", "topic_id", "unit_id"], name="qrels_line_once")]

    def __str__(self) -> str:
        return f"{self.topic_id} {self.unit_id} {self.grade}"
