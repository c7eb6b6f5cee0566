"""The numbers of evaluations: means, and the value of each topic. For organizers."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from rest_framework.serializers import CharField, IntegerField, ListField, ModelSerializer, ValidationError

from assess.api.doors import Door, LargePages, lists, reads, rows, sends, starts
from assess.ir.scores.definitions import find_measure
from assess.models import Evaluation, Qrels, Score
from assess.services import job_kinds

MeanSerializer = sends(
    "Mean", "The mean of a measure over ``topics`` topics.", run=str, measure=str, value=float, topics=int
)
EvaluationSerializer = rows(
    Evaluation,
    "id average level gain order measures written_measures created",
    "``not_pooled``: the names of runs that added nothing to the pool.",
    release=IntegerField(source="qrels.version"),
    means=MeanSerializer(many=True),
    not_pooled=ListField(child=CharField(), source="names_not_pooled"),
)
EvaluationSummarySerializer = rows(
    Evaluation,
    "id average level created",
    "An evaluation without its numbers.",
    "EvaluationSummary",
    release=IntegerField(source="qrels.version"),
)
ScoreSerializer = rows(Score, "topic_id measure value", "The value of a measure for a run on a topic.", run="run.name")


class MeasureField(CharField):
    """The name of a measure of rankings, read as a lab's file is."""

    def to_internal_value(self, data: Any) -> str:
        try:
            measure = find_measure(super().to_internal_value(data))
        except ValueError as error:
            raise ValidationError(str(error)) from error
        if measure.input == "elsewhere":
            raise ValidationError(f"Rankings have no {measure.name}.")
        return measure.name


def evaluations_of(door: Door) -> QuerySet[Evaluation]:
    return Evaluation.objects.of(door.campaign).select_related("qrels")


@lists("evaluations/", EvaluationSummarySerializer)
def evaluations(door: Door) -> Any:
    """The evaluations of a campaign, the latest first."""
    return evaluations_of(door).defer("means")


class EvaluateSerializer(ModelSerializer[Evaluation]):
    release = IntegerField(min_value=0, max_value=2**31 - 1)
    measures = ListField(child=MeasureField(), required=False, max_length=50)

    class Meta:
        model = Evaluation
        fields = ("release", "measures", *Evaluation.OPTIONS)
        extra_kwargs = {"average": {"required": False}, "level": {"min_value": 1, "max_value": 20}}


@starts("evaluations/", shape=EvaluateSerializer)
def evaluate(door: Door, release: int, **options: Any) -> Any:
    """Scores all runs with a release. What is not sent is as the protocol says."""
    released = get_object_or_404(Qrels.objects.of(door.campaign), version=release)
    chosen = {name: value for name, value in options.items() if value}
    return job_kinds.evaluate_runs, {"average": released.pool.rules.kind.average, **chosen, "qrels": released.pk}


@reads("evaluations/<int:pk>/", EvaluationSerializer)
def evaluation(door: Door, pk: int) -> Evaluation:
    """An evaluation with the means of all runs."""
    return get_object_or_404(evaluations_of(door), pk=pk)


@lists(
    "evaluations/<int:pk>/scores/",
    ScoreSerializer,
    pages=LargePages,
    run="run__name",
    topic="topic_id",
    measure="measure",
)
def scores(door: Door, pk: int) -> Any:
    """The value of each topic."""
    return evaluation(door, pk).scores.select_related("run").order_by("pk")
