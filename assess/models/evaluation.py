"""The values of the measures for all runs."""

from django.db import models
from django.urls import reverse

from assess.ir.common.rows import LONGEST_ID
from assess.models.qrels import Qrels
from assess.models.run import Run


class Evaluation(models.Model):
    """All runs scored with one release. ``average`` and ``level`` are the options used; ``means`` has
    {run, measure, value, topics} for each run and measure; ``notes`` tells of runs that have nothing in common with
    the release."""

    class Average(models.TextChoices):
        QRELS = "qrels", "All topics of the qrels; a missing one counts 0"
        RUN = "run", "The run's judged topics"

    qrels = models.ForeignKey(Qrels, models.PROTECT, related_name="evaluations")
    average = models.CharField(max_length=10, choices=Average)
    level = models.PositiveSmallIntegerField(default=2)
    means = models.JSONField(default=list)
    notes = models.JSONField(default=list)
    created = models.DateTimeField(auto_now_add=True)
    job = models.OneToOneField("assess.Job", models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"evaluation with {self.qrels}"

    def get_absolute_url(self) -> str:
        return reverse("evaluation", args=[self.qrels.pool.campaign.slug, self.pk])


class Score(models.Model):
    """The value of a measure for a run on a topic."""

    evaluation = models.ForeignKey(Evaluation, models.CASCADE, related_name="scores")
    run = models.ForeignKey(Run, models.PROTECT, related_name="scores")
    topic_id = models.CharField(max_length=LONGEST_ID)
    measure = models.CharField(max_length=20)
    value = models.FloatField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["evaluation", "run", "topic_id", "measure"], name="score_once")]

    def __str__(self) -> str:
        return f"{self.run} {self.topic_id} {self.measure} {self.value:.4f}"
