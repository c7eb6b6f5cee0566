"""Pools, rounds and assignments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from assess.ir.campaign.presets import stored_protocol
from assess.ir.campaign.protocol import Protocol
from assess.ir.common.rows import LONGEST_ID, LONGEST_NAME
from assess.models.campaign import Campaign, Topic
from assess.models.collection import VisualMap

if TYPE_CHECKING:
    from assess.models.judging import Judgment

GRADE_OR_OUTCOME = models.Q(grade__isnull=False, outcome="") | (models.Q(grade=None) & ~models.Q(outcome=""))


class TestPools(models.Manager["Pool"]):
    """Without the pools of training and qualification rounds."""

    def get_queryset(self) -> models.QuerySet[Pool]:
        return super().get_queryset().filter(is_training=False)


class Pool(models.Model):
    """The units to judge for each topic. A pool records what it was made from: protocol, seed, name, role and hash of
    every run. An extension increases the version and adds the old one to ``history``; entries and instances have the
    version that added them. ``is_training``: made for one training or qualification round, from topics that others
    have judged before; nothing of it ever enters the qrels. ``judgment_source``: whose grades are then the gold grades
    of its documents."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="pools")
    version = models.PositiveIntegerField()
    protocol = models.JSONField()
    seed = models.PositiveBigIntegerField()
    runs = models.JSONField(default=list)
    source = models.CharField(max_length=200, blank=True, help_text="The file of a pool made elsewhere.")
    judgment_source = models.ForeignKey("assess.JudgmentSource", models.PROTECT, null=True, related_name="pools")
    missing = models.JSONField(default=list, help_text="Documents whose text the collection lacks.")
    left_out = models.JSONField(default=list, help_text="Topic, unit and document of each without text, left out.")
    visual_map = models.ForeignKey(VisualMap, models.PROTECT, null=True, related_name="pools")
    created = models.DateTimeField(auto_now_add=True)
    frozen = models.DateTimeField(null=True)
    frozen_by = models.ForeignKey("auth.User", models.PROTECT, null=True, related_name="+")
    extended = models.DateTimeField(null=True)
    extended_by = models.ForeignKey("auth.User", models.PROTECT, null=True, related_name="+")
    reason = models.CharField(max_length=500, blank=True, help_text="Why it was extended.")
    history = models.JSONField(default=list)
    job = models.OneToOneField(
        "assess.Job", models.SET_NULL, null=True, related_name="+", help_text="It froze or last extended the pool."
    )
    is_training = models.BooleanField(default=False)

    objects = TestPools()
    every = models.Manager["Pool"]()

    class Meta:
        ordering = ["-version"]
        constraints = [models.UniqueConstraint(fields=["campaign", "version", "is_training"], name="pool_version_once")]

    def __str__(self) -> str:
        return f"{self.campaign}, pool {self.version}"

    @property
    def rules(self) -> Protocol:
        return stored_protocol(self.protocol)


class PoolEntry(models.Model):
    """A unit to judge: an answer, or a visually distinct formula with its instances."""

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="entries")
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="entries")
    unit_id = models.CharField(max_length=LONGEST_ID)
    version = models.PositiveIntegerField(default=1)

    class Meta:
        ordering = ["topic__number", "id"]
        constraints = [models.UniqueConstraint(fields=["pool", "topic", "unit_id"], name="unit_once")]

    def __str__(self) -> str:
        return f"{self.topic} {self.unit_id}"


class Instance(models.Model):
    """A document of an entry: the answer itself, or an occurrence of the formula. ``content_hash``: of what is shown
    for it, set when the pool is frozen."""

    own_judgment: Judgment | None = None
    """In the assignment for which it was asked by `services.desk.documents.with_judgments`."""

    class Kind(models.TextChoices):
        POST = "post", "Answer"
        FORMULA = "formula", "Formula"
        WRITTEN = "written", "Written answer"
        DOCUMENT = "document", "Document"

    entry = models.ForeignKey(PoolEntry, models.CASCADE, related_name="instances")
    doc_id = models.CharField(max_length=LONGEST_ID)
    kind = models.CharField(max_length=10, choices=Kind)
    post_id = models.CharField(max_length=LONGEST_ID, blank=True)
    votes = models.FloatField(help_text="Sum of reciprocal ranks over the whole lists of all pooled runs.")
    runs = models.PositiveIntegerField(help_text="How many pooled runs retrieved it.")
    content_hash = models.CharField(max_length=64, blank=True)
    version = models.PositiveIntegerField(default=1)

    class Meta:
        ordering = ["-votes", "doc_id"]
        constraints = [models.UniqueConstraint(fields=["entry", "doc_id"], name="document_once")]
        indexes = [models.Index(fields=["post_id"])]

    def __str__(self) -> str:
        return self.doc_id


class Round(models.Model):
    """What several people judge for one purpose. The main round and that of the additional topics make the qrels; a
    dual round measures agreement; training and qualification rounds have a pool of their own; in the adjudication an
    expert settles disagreements, which is no second opinion and does not grow with the pool.

    ``name`` distinguishes rounds of a kind; ``due``: the last day that assessors are asked to keep; ``discussed``:
    when the members of a training round could first see each other's judgments and the gold grades;
    ``discussion_closed``: since when they no longer can; ``coverage``: of a training round, what of its qrels there was
    to choose from (`services.rounds.rounds.Coverage`)."""

    class Kind(models.TextChoices):
        QUALIFICATION = "qualification", _("Qualification")
        TRAINING = "training", _("Training")
        MAIN = "main", _("Main")
        DUAL = "dual", _("Dual")
        ADDITIONAL = "additional", _("Additional topics")
        ADJUDICATION = "adjudication", _("Adjudication")

    OFFICIAL = (Kind.MAIN, Kind.ADDITIONAL)
    PREPARATORY = (Kind.QUALIFICATION, Kind.TRAINING)
    SINGLE = (*OFFICIAL, Kind.ADJUDICATION)
    """Kinds of which a pool has one round at most."""

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="rounds")
    kind = models.CharField(max_length=20, choices=Kind)
    name = models.CharField(max_length=LONGEST_NAME, blank=True)
    created = models.DateTimeField(auto_now_add=True, null=True)
    due = models.DateField(null=True)
    discussed = models.DateTimeField(null=True)
    discussion_closed = models.DateTimeField(null=True)
    coverage = models.JSONField(default=dict)
    job = models.OneToOneField("assess.Job", models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["pool", "kind"],
                condition=models.Q(kind__in=["main", "additional", "adjudication"]),
                name="round_once",
            )
        ]

    def __str__(self) -> str:
        return self.name or str(self.get_kind_display())

    @property
    def is_preparatory(self) -> bool:
        return self.kind in self.PREPARATORY

    @property
    def is_discussion_open(self) -> bool:
        return self.discussed is not None and self.discussion_closed is None

    @property
    def is_announced(self) -> bool:
        """Whether its members may know which round it is. A second assessor must not know that they are one."""
        return self.kind in (*self.PREPARATORY, self.Kind.ADJUDICATION)

    @property
    def is_settling(self) -> bool:
        """Whether an expert settles disagreements in it: each grade has its reason."""
        return self.kind == self.Kind.ADJUDICATION

    def get_absolute_url(self) -> str:
        return reverse("round", args=[self.pool.campaign.slug], query={"round": self.pk})


class GoldGrade(models.Model):
    """The grade that a document is known to have. A training or qualification round is compared with it: it is that of
    qrels or a source of judgments, or the expert's own (``by``), with the expert's reasoning."""

    instance = models.OneToOneField(Instance, models.CASCADE, related_name="gold")
    grade = models.SmallIntegerField()
    reason = models.TextField(blank=True)
    by = models.ForeignKey("auth.User", models.PROTECT, null=True, related_name="+")
    changed = models.DateTimeField(auto_now=True)


class OpenAssignments(models.Manager["Assignment"]):
    """Without those that were taken back."""

    def get_queryset(self) -> models.QuerySet[Assignment]:
        return super().get_queryset().filter(closed=None)


class Assignment(models.Model):
    """One assessor, one topic, one round. ``order``: the ids of the entries in the order for this assessor;
    ``instance_order``: those of their instances that this assessor judges, entry by entry: all of them, unless part of
    the topic was handed over. ``official``: whether the round makes the qrels, repeated here so that the database
    allows only one such assessor at a time for each ``seat`` of a topic; the protocol says how many seats there are.

    ``paused``: since when its assessor does not see it. ``closed``: when it was taken back; judgments made before that
    but arriving later are still kept. ``handed_over``: when the documents without a judgment went to someone else; the
    judgments made before that count on, decisions that arrive later are kept in the history only."""

    round = models.ForeignKey(Round, models.PROTECT, related_name="assignments")
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="assignments")
    assessor = models.ForeignKey("auth.User", models.PROTECT, related_name="assignments")
    official = models.BooleanField()
    seat = models.PositiveSmallIntegerField(default=1)
    order = models.JSONField()
    created = models.DateTimeField(auto_now_add=True)
    closed = models.DateTimeField(null=True)
    paused = models.DateTimeField(null=True)
    handed_over = models.DateTimeField(null=True)
    instance_order = models.JSONField()

    objects = OpenAssignments()
    every = models.Manager["Assignment"]()

    class Meta:
        ordering = ["topic__number", "id"]
        constraints = [
            models.UniqueConstraint(fields=["round", "topic", "assessor"], name="assignment_once"),
            models.UniqueConstraint(
                fields=["round", "topic", "seat"],
                condition=models.Q(official=True, handed_over=None),
                name="one_official_assessor_a_seat",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.topic}, {self.assessor}"

    @property
    def campaign(self) -> Campaign:
        return self.topic.campaign

    @property
    def is_open(self) -> bool:
        return not (self.closed or self.paused or self.handed_over)

    def get_absolute_url(self) -> str:
        return reverse("assignment", args=[self.pk])
