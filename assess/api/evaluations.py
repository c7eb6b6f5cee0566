"""The numbers of evaluations: means, and the value of each topic. For organizers."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from rest_framework import generics, serializers
from rest_framework.pagination import PageNumberPagination

from assess.api.common import InCampaign
from assess.models import Evaluation, Run, Score


class MeanSerializer(serializers.Serializer[Any]):
    """The mean of a measure over ``topics`` topics."""

    run = serializers.CharField()
    measure = serializers.CharField()
    value = serializers.FloatField()
    topics = serializers.IntegerField()


class EvaluationSerializer(serializers.ModelSerializer[Evaluation]):
    release = serializers.IntegerField(source="qrels.version")
    means = MeanSerializer(many=True)
    not_pooled = serializers.SerializerMethodField(help_text="The names of runs that added nothing to the pool.")

    def get_not_pooled(self, evaluation: Evaluation) -> list[str]:
        names = Run.objects.filter(pk__in=evaluation.not_pooled).order_by("name").values_list("name", flat=True)
        return list(names)

    class Meta:
        model = Evaluation
        fields = (
            *("id", "release", "average", "level", "gain", "order", "measures", "written_measures"),
            *("not_pooled", "created", "means"),
        )


class EvaluationSummarySerializer(serializers.ModelSerializer[Evaluation]):
    """An evaluation without its numbers."""

    release = serializers.IntegerField(source="qrels.version")

    class Meta:
        model = Evaluation
        fields = ("id", "release", "average", "level", "created")


class ScoreSerializer(serializers.ModelSerializer[Score]):
    """The value of a measure for a run on a topic."""

    run = serializers.CharField(source="run.name")

    class Meta:
        model = Score
        fields = ("run", "topic_id", "measure", "value")


FILTERS = {"run": "run__name", "topic": "topic_id", "measure": "measure"}


class LargePages(PageNumberPagination):
    """The values of one measure of a lab come in one page."""

    page_size_query_param = "page_size"
    max_page_size = 10_000


class OfCampaign(InCampaign):
    serializer_class: Any = EvaluationSerializer
    queryset = Evaluation.objects.none()

    def get_queryset(self) -> QuerySet[Evaluation]:
        return Evaluation.objects.of(self.campaign()).select_related("qrels")


class Evaluations(OfCampaign, generics.ListAPIView[Evaluation]):
    """The evaluations of a campaign, the latest first."""

    serializer_class = EvaluationSummarySerializer

    def get_queryset(self) -> QuerySet[Evaluation]:
        return super().get_queryset().defer("means")


class EvaluationDetail(OfCampaign, generics.RetrieveAPIView[Evaluation]):
    """An evaluation with the means of all runs."""


class Results(OfCampaign, generics.RetrieveAPIView[Evaluation]):
    """The latest evaluation of all runs: for organizers only; 404 before the first one."""

    def get_object(self) -> Evaluation:
        return get_object_or_404(self.get_queryset()[:1])


class TopicScores(InCampaign, generics.ListAPIView[Score]):
    """The value of each topic; of one run, topic or measure by parameters of these names. Pages have up to 10,000."""

    serializer_class = ScoreSerializer
    pagination_class = LargePages
    queryset = Score.objects.none()

    def get_queryset(self) -> QuerySet[Score]:
        sent = self.request.query_params
        wanted = {field: sent[name] for name, field in FILTERS.items() if name in sent}
        evaluation = get_object_or_404(Evaluation.objects.of(self.campaign()), pk=self.kwargs["pk"])
        return evaluation.scores.filter(**wanted).select_related("run").order_by("pk")
