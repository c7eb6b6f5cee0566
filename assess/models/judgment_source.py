"""Judgments made elsewhere, as named sources of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models
from django.urls import reverse

from assess.ir.common.rows import LONGEST_ID, LONGEST_NAME
from assess.models.campaign import Campaign
from assess.models.job import MadeByJob
from assess.models.pool import GRADE_OR_OUTCOME

if TYPE_CHECKING:
    from assess.models.judging import AgreementReport
    from assess.models.qrels import Qrels


class JudgmentSource(models.Model):
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
    created = models.DateTimeField(auto_now_add=True)
    job = models.OneToOneField("assess.Job", models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["-id"]
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

    report: models.ForeignKey[AgreementReport] = models.ForeignKey(
        "assess.AgreementReport", models.CASCADE, related_name="second_opinions"
    )
    source = models.ForeignKey(JudgmentSource, models.PROTECT, related_name="second_opinions")
    rows = models.JSONField()

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["report", "source"], name="second_opinion_once")]


class WhatIf(MadeByJob):
    """All runs scored with the grades of a source, beside a release: not official. ``tables`` from
    `assess.services.scores.what_if`."""

    source = models.ForeignKey(JudgmentSource, models.CASCADE, related_name="what_ifs")
    release: models.ForeignKey[Qrels] = models.ForeignKey("assess.Qrels", models.CASCADE, related_name="what_ifs")
    tables = models.JSONField()

    def get_absolute_url(self) -> str:
        return reverse("results", args=[self.source.campaign.slug], query={"what_if": self.pk})
