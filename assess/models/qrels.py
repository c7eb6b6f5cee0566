"""Releases: frozen sets of (topic, unit, grade)."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.urls import reverse

from assess.ir.campaign.presets import changes_from_preset, stored_protocol
from assess.ir.campaign.protocol import Protocol
from assess.ir.common.rows import LONGEST_ID, Qrel
from assess.ir.releases.release_options import ReleaseOptions
from assess.models.campaign import Campaign
from assess.models.collection import VisualMap
from assess.models.pool import Assignment, Pool, Round


class QrelsQuerySet(models.QuerySet["Qrels"]):
    def of(self, campaign: Campaign) -> Self:
        return self.filter(pool__campaign=campaign)


class Qrels(models.Model):
    """A release with a record of what it was made from: ``protocol``, ``options`` (`ir.releases.release_options`),
    ``visual_map``, ``made_with`` (names of campaign and edition, version and runs of the pool), ``main_round`` (as
    `services.rounds.progress.MainRound`). ``decisions`` in that round until then: if there are more now, judging has
    continued. ``counts``: lines and topics by unit. ``manifest``: what the release is checked by
    (`services.releases.manifest`). ``units``: the visual id of each judged formula that the pool has under another one.
    ``verification``: the last one (`services.releases.verification`), with its time in ``verified``. ``sha256``: of the
    manifest as it is published, and ``signature`` its Ed25519 signature, hexadecimal; both empty for releases of 0.1.0,
    the signature also if there was no key."""

    pool = models.ForeignKey(Pool, models.PROTECT, related_name="qrels")
    version = models.PositiveIntegerField()
    visual_map = models.ForeignKey(VisualMap, models.PROTECT, null=True, related_name="releases")
    protocol = models.JSONField()
    options = models.JSONField(default=dict)
    manifest = models.JSONField(default=dict)
    units = models.JSONField(default=dict)
    verification = models.JSONField(default=dict)
    verified = models.DateTimeField(null=True)
    sha256 = models.CharField(max_length=64, blank=True)
    signature = models.CharField(max_length=128, blank=True)
    counts = models.JSONField(default=dict)
    main_round = models.JSONField(default=dict)
    decisions = models.PositiveIntegerField(default=0)
    made_with = models.JSONField(default=dict)
    note = models.CharField(max_length=200, blank=True)
    released_by = models.ForeignKey("auth.User", models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    job = models.OneToOneField("assess.Job", models.SET_NULL, null=True, related_name="+")

    objects = QrelsQuerySet.as_manager()

    class Meta:
        ordering = ["-version"]
        constraints = [models.UniqueConstraint(fields=["pool", "version"], name="release_once")]

    @property
    def is_sum(self) -> bool:
        """Whether its grades are sums of two assessors, 0 to 4."""
        return self.chosen.is_sum or self.manifest.get("official_grade") == "sum"

    @property
    def is_preliminary(self) -> bool:
        """Whether it was made before judging was complete."""
        return bool(self.main_round["judged"] < self.main_round["documents"])

    @property
    def rules(self) -> Protocol:
        """Its protocol, with the level of the scale: that of sums can be above all grades."""
        return stored_protocol({**self.protocol, "level": self.pool.rules.level})

    @property
    def changes(self) -> list[str]:
        """How its protocol differs from its preset."""
        return changes_from_preset(self.rules)

    @property
    def chosen(self) -> ReleaseOptions:
        return ReleaseOptions.from_dict(self.options)

    def lines_of(self, unit: str) -> list[Qrel]:
        """The lines of one of its files."""
        return [Qrel(*row) for row in self.lines.filter(unit=unit).values_list("topic_id", "unit_id", "grade")]

    def __str__(self) -> str:
        return f"Release {self.version}"

    def get_absolute_url(self) -> str:
        return reverse("releases", args=[self.pool.campaign.slug], query={"release": self.version})


class QrelsLine(models.Model):
    class Unit(models.TextChoices):
        POST = "post", "By post"
        VISUAL = "visual", "By visual id"
        INSTANCE = "instance", "By formula instance"
        WRITTEN = "written", "Written answers"
        DOCUMENT = "document", "By document"

    qrels = models.ForeignKey(Qrels, models.PROTECT, related_name="lines")
    unit = models.CharField(max_length=10, choices=Unit)
    topic_id = models.CharField(max_length=LONGEST_ID)
    unit_id = models.CharField(max_length=LONGEST_ID)
    grade = models.SmallIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["qrels", "unit", "topic_id", "unit_id"], name="qrels_line_once")]


class QrelsPart(models.Model):
    """The judgments of one assignment that a release counts: those after the first ``events`` of its events;
    ``sha256`` ends the chain of hashes of these (`services.releases.derivation`). ``round`` and ``official``: those of
    the assignment then, before it was handed over; None in releases of 0.1.0, whose events are without late ones.
    ``settles``: they are an expert's, whose grades replace those of others."""

    qrels = models.ForeignKey(Qrels, models.PROTECT, related_name="parts")
    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="+")
    round = models.ForeignKey(Round, models.PROTECT, null=True, related_name="+")
    official = models.BooleanField(null=True)
    settles = models.BooleanField(default=False)
    events = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["qrels", "assignment"], name="qrels_part_once")]

    @property
    def is_old(self) -> bool:
        """Whether it is hashed as in 0.1.0: without times, people and comments."""
        return self.official is None
