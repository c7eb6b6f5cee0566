"""Judgments: the current ones and their history, what assessors reply about written answers, and judgments made
elsewhere, as named sources of their own.

The index of their unique constraint also serves to look up judgments and events by assignment: another index would slow
down every save.
"""

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from assess.ir.common.rows import LONGEST_ID, LONGEST_NAME
from assess.models.campaign import Campaign, Topic
from assess.models.job import MadeByJob
from assess.models.pool import GRADE_OR_OUTCOME, Assignment, Instance, Pool, PoolEntry
from assess.models.qrels import Qrels

REPLIES = ["yes", "no", "cannot_tell"]


class Judgment(models.Model):
    """One assessor's decision on one document: a grade or an outcome. An unjudged document has no row.

    ``active_ms``: active time on the document, over all visits. ``key``: of the last decision; the next decision names
    it, to show what it was based on. ``passage``: what the assessor marked in the document as the reason; mostly empty.
    """

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="judgments", db_index=False)
    instance = models.ForeignKey(Instance, models.PROTECT, related_name="judgments")
    grade = models.SmallIntegerField(null=True)
    outcome = models.CharField(max_length=20, blank=True)
    comment = models.TextField(blank=True)
    passage = models.TextField(blank=True, default="")
    active_ms = models.PositiveBigIntegerField(default=0)
    key = models.CharField(max_length=36)
    created = models.DateTimeField(auto_now_add=True)
    changed = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "instance"], name="judgment_once"),
            models.CheckConstraint(condition=GRADE_OR_OUTCOME, name="grade_or_outcome"),
        ]

    def __str__(self) -> str:
        return f"{self.instance}: {self.decision}"

    @property
    def decision(self) -> str:
        return self.outcome or str(self.grade)


class JudgmentEvent(models.Model):
    """One change of a judgment: who, when, from what to what. Rows are only added.

    ``decision`` is empty if the assessor took the judgment back. ``key``: set by the sender, so that a decision that
    arrives twice is stored once. ``active_ms`` and ``wall_ms``: active time and all time since the document was opened.
    ``guide``: the version of the instructions (`assess.ir.campaign.presets`); empty for older judgments. ``late``: it
    arrived after its topic was handed over, and changed no judgment.
    """

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="events", db_index=False)
    instance = models.ForeignKey(Instance, models.PROTECT, related_name="events")
    by = models.ForeignKey("auth.User", models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    old_decision = models.CharField(max_length=20, blank=True)
    old_comment = models.TextField(blank=True)
    decision = models.CharField(max_length=20, blank=True)
    comment = models.TextField(blank=True)
    passage = models.TextField(blank=True, default="")
    key = models.CharField(max_length=36)
    active_ms = models.PositiveBigIntegerField(default=0)
    wall_ms = models.PositiveBigIntegerField(default=0)
    content_hash = models.CharField(max_length=64)
    guide = models.CharField(max_length=16, blank=True)
    late = models.BooleanField(default=False)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["assignment", "key"], name="decision_once")]

    def __str__(self) -> str:
        return f"{self.instance}: {self.old_decision or '—'} → {self.decision or '—'}"


class Deferral(models.Model):
    """An entry that its assessor has deferred until all others are judged."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="deferrals")
    entry = models.ForeignKey(PoolEntry, models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["assignment", "entry"], name="deferred_once")]


class PostTask(models.Model):
    """Replies to two questions about a written answer of a judged topic (Task 3; Mansouri et al., CLEF 2022, 6.4.3).
    Rows are only added; the latest of an assignment and instance counts. ``machine``: does it seem to have been written
    by a machine? ``unrelated``: does it contain information unrelated to the question?"""

    class Reply(models.TextChoices):
        YES = "yes", _("Yes")
        NO = "no", _("No")
        CANNOT_TELL = "cannot_tell", _("Cannot tell")

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="post_tasks")
    instance = models.ForeignKey(Instance, models.PROTECT, related_name="post_tasks")
    by = models.ForeignKey("auth.User", models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    machine = models.CharField(max_length=12, choices=Reply)
    unrelated = models.CharField(max_length=12, choices=Reply)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(condition=models.Q(machine__in=REPLIES, unrelated__in=REPLIES), name="known_reply")
        ]


class DiscussionNote(models.Model):
    """What somebody writes about a document of a training or qualification round, for everybody in it."""

    instance = models.ForeignKey(Instance, models.CASCADE, related_name="notes")
    by = models.ForeignKey("auth.User", models.PROTECT, related_name="+")
    text = models.TextField()
    changed = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["instance", "by"], name="note_once")]


class Ruling(models.Model):
    """A rule for judging a topic, or all topics of a ``campaign``. Rows are only added: a change is a ruling that
    ``supersedes`` another. Each ruling increases `Topic.ruling_version` of its topics."""

    topic = models.ForeignKey(Topic, models.CASCADE, null=True, related_name="rulings")
    campaign = models.ForeignKey(Campaign, models.CASCADE, null=True, related_name="rulings")
    text = models.TextField()
    by = models.ForeignKey("auth.User", models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    supersedes = models.OneToOneField("self", models.CASCADE, null=True, related_name="superseded_by")

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(topic=None) ^ models.Q(campaign=None), name="ruling_of_topic_or_campaign"
            )
        ]


class Question(models.Model):
    """An assessor's question about a topic, asked at an entry of an assignment, perhaps about one document
    (``instance``); rebuilding the pool removes these three. ``ruling``: the current answer, None while it is open."""

    topic = models.ForeignKey(Topic, models.CASCADE, related_name="questions")
    by = models.ForeignKey("auth.User", models.PROTECT, related_name="+")
    assignment = models.ForeignKey(Assignment, models.SET_NULL, null=True, related_name="questions")
    entry = models.ForeignKey(PoolEntry, models.SET_NULL, null=True, related_name="+")
    instance = models.ForeignKey(Instance, models.SET_NULL, null=True, related_name="+")
    text = models.TextField()
    at = models.DateTimeField(auto_now_add=True)
    ruling = models.ForeignKey(Ruling, models.RESTRICT, null=True, related_name="questions")

    class Meta:
        ordering = ["-id"]


class RulingSeen(models.Model):
    """An assessor has read a ruling and reviewed what they had judged before it."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="rulings_seen")
    ruling = models.ForeignKey(Ruling, models.CASCADE, related_name="seen")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["assignment", "ruling"], name="ruling_seen_once")]


class AgreementReport(MadeByJob):
    """Agreement of the judgments at one moment, on documents: ``pairs``, ``assessors`` and ``topics`` (the pairs of
    each topic) are lists of rows from `assess.ir.agreement.agreement`, and ``means`` has the means over pairs and
    topics, by topic, round and week, and what all assessors have together. ``visual``: the same on visually distinct
    formulas. ``influence``: what settling disagreements would change (`services.scores.influence`)."""

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="agreement_reports")
    judgments = models.PositiveIntegerField()
    pairs = models.JSONField()
    assessors = models.JSONField()
    topics = models.JSONField()
    means = models.JSONField()
    visual = models.JSONField(default=dict)
    influence = models.JSONField(default=dict)


class JudgmentSource(MadeByJob):
    """Judgments from a file, of people or of a program: an earlier edition, a crowd, a language model. It never changes
    after the import. Only organizers see it, and it never enters qrels.

    ``items``: what its ids are, documents or (formulas only) visual ids. ``counts``: lines, items, topics, and how many
    lines have each ``grades`` and come from each of ``labellers``; ``notes``: what was corrected when it was read."""

    class Kind(models.TextChoices):
        HUMAN = "human", "People"
        MACHINE = "machine", "A program"

    class Items(models.TextChoices):
        DOCUMENT = "document", "Documents (for formulas: instances)"
        UNIT = "unit", "Visual ids (formulas only)"

    class Format(models.TextChoices):
        QRELS = "qrels", "Qrels"
        TABLE = "table", "Table with a header (CSV or TSV)"
        TURKLE = "turkle", "Results of a Turkle batch (CSV)"
        JSONL = "jsonl", "JSON lines"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="judgment_sources")
    name = models.CharField(max_length=LONGEST_NAME)
    kind = models.CharField(max_length=10, choices=Kind)
    items = models.CharField(max_length=10, choices=Items, default=Items.DOCUMENT)
    format = models.CharField(max_length=10, choices=Format)
    file_name = models.CharField(max_length=LONGEST_ID)
    sha256 = models.CharField(max_length=64)
    note = models.TextField(blank=True)
    counts = models.JSONField(default=dict)
    notes = models.JSONField(default=list)
    imported_by = models.ForeignKey("auth.User", models.PROTECT, related_name="+")

    class Meta(MadeByJob.Meta):
        constraints = [models.UniqueConstraint(fields=["campaign", "name"], name="source_name_once")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("judgment_sources", args=[self.campaign.slug], query={"source": self.pk})


class SourceLine(models.Model):
    """One judgment of a source. ``labeller`` is empty if the file does not name it."""

    source = models.ForeignKey(JudgmentSource, models.CASCADE, related_name="lines", db_index=False)
    topic_id = models.CharField(max_length=LONGEST_ID)
    item_id = models.CharField(max_length=LONGEST_ID)
    labeller = models.CharField(max_length=LONGEST_NAME, blank=True)
    grade = models.SmallIntegerField(null=True)
    outcome = models.CharField(max_length=20, blank=True)
    comment = models.TextField(blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["source", "topic_id", "item_id", "labeller"], name="source_line_once"),
            models.CheckConstraint(condition=GRADE_OR_OUTCOME, name="source_grade_or_outcome"),
        ]


class SecondOpinion(models.Model):
    """A source compared with the assessors in a report on agreement: ``rows`` from
    `assess.services.agreement.agreement`."""

    report = models.ForeignKey(AgreementReport, models.CASCADE, related_name="second_opinions")
    source = models.ForeignKey(JudgmentSource, models.PROTECT, related_name="second_opinions")
    rows = models.JSONField()

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["report", "source"], name="second_opinion_once")]


class WhatIf(MadeByJob):
    """All runs scored with the grades of a source, beside a release: not official. ``tables`` from
    `assess.services.scores.what_if`."""

    source = models.ForeignKey(JudgmentSource, models.CASCADE, related_name="what_ifs")
    release = models.ForeignKey(Qrels, models.CASCADE, related_name="what_ifs")
    tables = models.JSONField()

    def get_absolute_url(self) -> str:
        return reverse("results", args=[self.source.campaign.slug], query={"what_if": self.pk})
