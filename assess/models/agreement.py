"""Frozen reports on the agreement of assessors."""

from django.db import models

from assess.models.pool import Pool


class AgreementReport(models.Model):
    """Agreement of the judgments at one moment, on documents: ``pairs``, ``assessors`` and ``topics`` (the pairs of
    each topic) are lists of rows from `assess.ir.agreement.agreement`, and ``means`` has the means over pairs and
    topics, by topic, round and week, and what all assessors have together. ``visual``: the same on visually distinct
    formulas. ``influence``: what settling disagreements would change (`services.scores.influence`)."""

    pool = models.ForeignKey(Pool, models.CASCADE, related_name="agreement_reports")
    created = models.DateTimeField(auto_now_add=True)
    judgments = models.PositiveIntegerField()
    pairs = models.JSONField()
    assessors = models.JSONField()
    topics = models.JSONField()
    means = models.JSONField()
    visual = models.JSONField(default=dict)
    influence = models.JSONField(default=dict)
    job = models.OneToOneField("assess.Job", models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["-id"]
