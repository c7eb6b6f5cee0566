"""Frozen reports on the agreement of assessors."""

from django.db import models

from assess.models.pool import Pool


class AgreementReport(models.Model):
    """Cohen's kappas of the judgments at one moment: ``pairs``, ``assessors`` and ``topics`` are lists of rows from
    `assess.ir.results.agreement`."""

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="agreement_reports")
    created = models.DateTimeField(auto_now_add=True)
    judgments = models.PositiveIntegerField()
    pairs = models.JSONField()
    assessors = models.JSONField()
    topics = models.JSONField()
    job = models.OneToOneField("assess.Job", models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"agreement of {self.created:%Y-%m-%d %H:%M}"
