"""Formulas that MathJax could not typeset in assessors' browsers."""

from django.db import models
from django.utils import timezone

from assess.ir.common.rows import LONGEST_ID
from assess.models.campaign import Campaign, Topic


class MathProblem(models.Model):
    """A formula of a document that MathJax could not typeset, so that assessors see its source instead.

    ``document``: the post, the written answer or, for a formula of the topic, the topic's id. ``digest``: SHA-256 of
    the TeX, which is too long for a database index. ``count``: how many page views reported it.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="math_problems")
    topic = models.ForeignKey(Topic, models.CASCADE, related_name="+")
    document = models.CharField(max_length=LONGEST_ID)
    tex = models.TextField()
    digest = models.CharField(max_length=64)
    message = models.CharField(max_length=500)
    count = models.PositiveIntegerField(default=1)
    first = models.DateTimeField(default=timezone.now)
    last = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-count", "document", "id"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "document", "digest"], name="math_problem_once"),
        ]

    def __str__(self) -> str:
        return f"{self.document}: {self.tex[:40]}"
