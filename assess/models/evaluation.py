"""The values of the measures for all runs, and how far they can be relied on."""

from __future__ import annotations

from typing import Any, Self

from django.db import models
from django.urls import reverse

from assess.ir.common.rows import LONGEST_ID, RELEVANT, Order
from assess.ir.scores.measures import MEASURES, WRITTEN_MEASURES
from assess.models.campaign import Campaign
from assess.models.job import MadeByJob
from assess.models.qrels import Qrels
from assess.models.run import Run

ORDERS = [("", "Each as chosen at import"), *Run.Order.choices]


def main_measures() -> list[str]:
    return list(MEASURES)


def main_written_measures() -> list[str]:
    return list(WRITTEN_MEASURES)


class EvaluationQuerySet(models.QuerySet["Evaluation"]):
    def of(self, campaign: Campaign) -> Self:
        return self.filter(qrels__pool__campaign=campaign)


class Evaluation(MadeByJob):
    """All runs scored with one release. ``measures`` and ``written_measures`` (of written answers) are those asked for;
    without an ``order``, each run has its own. ``means`` has {run, run_id, measure, value, topics} for each run and
    measure; ``notes`` tells of runs that have nothing in common with the release; ``not_pooled`` has the ids of runs
    that added nothing to the pool, being late or unofficial, so that more of their documents are unjudged. It is empty
    if the pool's runs are unknown."""

    class Average(models.TextChoices):
        QRELS = "qrels", "All topics of the qrels; a missing one counts 0"
        RUN = "run", "The run's judged topics"

    class Gain(models.TextChoices):
        LINEAR = "linear", "The grade"
        EXPONENTIAL = "exponential", "2 to the power of the grade, minus 1"

    qrels = models.ForeignKey(Qrels, models.PROTECT, related_name="evaluations")
    average = models.CharField("mean over", max_length=10, choices=Average)
    gain = models.CharField(
        max_length=12, choices=Gain, default=Gain.LINEAR, help_text="What nDCG adds for a relevant unit."
    )
    level = models.PositiveSmallIntegerField(
        "relevant from grade", default=RELEVANT, help_text="For all measures but nDCG and AR."
    )
    order = models.CharField("order of the runs", max_length=10, choices=ORDERS, blank=True)
    measures = models.JSONField(default=main_measures)
    written_measures = models.JSONField(default=main_written_measures)
    not_pooled = models.JSONField(default=list)
    means = models.JSONField(default=list)
    notes = models.JSONField(default=list)

    objects = EvaluationQuerySet.as_manager()
    OPTIONS = ("average", "gain", "level", "order")
    """The fields of every choice that changes a number. Form, API and words are made from them."""

    @property
    def options(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.OPTIONS}

    @property
    def options_in_words(self) -> str:
        fields: list[Any] = [self._meta.get_field(name) for name in self.OPTIONS]
        named = ((field.verbose_name, dict(field.flatchoices), self.options[field.name]) for field in fields)
        return "; ".join(f"{name}: {labels.get(value, value)}" for name, labels, value in named).lower()

    @property
    def names_not_pooled(self) -> list[str]:
        names = Run.objects.filter(pk__in=self.not_pooled).order_by("name")
        return list(names.values_list("name", flat=True))

    @property
    def campaign(self) -> Campaign:
        return self.qrels.pool.campaign

    def measures_of(self, run: Run) -> list[str]:
        return list(self.written_measures if run.is_written else self.measures)

    def order_of(self, run: Run) -> Order:
        return self.order or run.order  # type: ignore[return-value]

    def get_absolute_url(self) -> str:
        return reverse("results", args=[self.campaign.slug], query={"evaluation": self.pk})


class Score(models.Model):
    evaluation = models.ForeignKey(Evaluation, models.CASCADE, related_name="scores")
    run = models.ForeignKey(Run, models.PROTECT, related_name="scores")
    topic_id = models.CharField(max_length=LONGEST_ID)
    measure = models.CharField(max_length=20)
    value = models.FloatField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["evaluation", "run", "topic_id", "measure"], name="score_once")]


class RankProfile(models.Model):
    """How much of a run was judged, and how relevant it is, by rank: ``bands`` as `ir.scores.reusability.Band`.
    ``judged``: judged@10 of each topic that counts; empty if an earlier version made it."""

    evaluation = models.ForeignKey(Evaluation, models.CASCADE, related_name="profiles")
    run = models.ForeignKey(Run, models.CASCADE, related_name="+")
    bands = models.JSONField()
    judged = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["evaluation", "run"], name="profile_once")]


class ReliabilityReport(MadeByJob):
    """How far the results of an evaluation would be others with other assessors, or without a team, at one moment:
    ``assessors``, the runs under the judgments of each two (`ir.scores.leaderboard`); ``reusability``, what runs
    brought into the pool, and what changes without each team (`.reusability`)."""

    evaluation = models.ForeignKey(Evaluation, models.CASCADE, related_name="reliability_reports")
    assessors = models.JSONField()
    reusability = models.JSONField()
