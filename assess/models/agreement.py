"""Frozen reports on the agreement of assessors."""

from django.db import models

from assess.models.pool import Pool


class AgreementReport(models.Model):
    """Cohen's kappas of the judgments at one moment: ``pairs``, ``assessors`` and ``topics`` are lists of rows from
    `assess.ir.results.agreement`. ``made_by`` names the worker process."""

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="agreement_reports")
    created = models.DateTimeField(auto_now_add=True)
    judgments = models.PositiveIntegerField()
    pairs = models.JSONField()
    assessors = models.JSONField()
    topics = models.JSONField()
    made_by = models.CharField(max_length=120)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"agreement of {self.created:%Y-%m-%d %H:%M}"
