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


class InEvaluation(InCampaign):
    def evaluation(self) -> Evaluation:
        evaluations = Evaluation.objects.of(self.campaign())
        return get_object_or_404(evaluations.select_related("qrels__pool__campaign"), pk=self.kwargs["pk"])


class Evaluations(InCampaign, generics.ListAPIView[Evaluation]):
    """The evaluations of a campaign, the latest first."""

    serializer_class = EvaluationSummarySerializer
    queryset = Evaluation.objects.none()

    def get_queryset(self) -> QuerySet[Evaluation]:
        evaluations = Evaluation.objects.of(self.campaign())
        return evaluations.select_related("qrels").defer("means")


class EvaluationDetail(InEvaluation, generics.RetrieveAPIView[Evaluation]):
    """An evaluation with the means of all runs."""

    serializer_class = EvaluationSerializer

    def get_object(self) -> Evaluation:
        return self.evaluation()


class TopicScores(InEvaluation, generics.ListAPIView[Score]):
    """The value of each topic; of one run, topic or measure by parameters of these names. Pages have up to 10,000."""

    serializer_class = ScoreSerializer
    pagination_class = LargePages
    queryset = Score.objects.none()

    def get_queryset(self) -> QuerySet[Score]:
        sent = self.request.query_params
        wanted = {field: sent[name] for name, field in FILTERS.items() if name in sent}
        return self.evaluation().scores.filter(**wanted).select_related("run").order_by("pk")


class Results(InCampaign, generics.RetrieveAPIView[Evaluation]):
    """The latest evaluation of all runs: for organizers only; 404 before the first one."""

    serializer_class = EvaluationSerializer

    def get_object(self) -> Evaluation:
        evaluations = Evaluation.objects.of(self.campaign()).select_related("qrels")
        return get_object_or_404(evaluations[:1])
