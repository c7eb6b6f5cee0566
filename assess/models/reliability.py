"""Frozen reports on how far results can be relied on."""

from __future__ import annotations

from typing import Self

from django.db import models

from assess.models.campaign import Campaign
from assess.models.evaluation import Evaluation


class ReliabilityReportQuerySet(models.QuerySet["ReliabilityReport"]):
    def of(self, campaign: Campaign) -> Self:
        return self.filter(evaluation__qrels__pool__campaign=campaign)


class ReliabilityReport(models.Model):
    """How far the results of an evaluation would be others with other assessors, or without a team, at one moment.
    ``assessors``: the runs under the judgments of each two assessors (`assess.ir.scores.by_assessor`);
    ``reusability``: what runs and teams brought into the pool, and what changes without each team (`.reusability`).
    Rows are stored as objects."""

    evaluation = models.ForeignKey(Evaluation, models.CASCADE, related_name="reliability_reports")
    created = models.DateTimeField(auto_now_add=True)
    assessors = models.JSONField()
    reusability = models.JSONField()
    job = models.OneToOneField("assess.Job", models.SET_NULL, null=True, related_name="+")

    objects = ReliabilityReportQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"reliability of {self.created:%Y-%m-%d %H:%M}"
