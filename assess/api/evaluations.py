"""The numbers of evaluations: means, tables of results, the value of each topic, reliability. For organizers."""

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.response import Response

from assess.api.common import InCampaign
from assess.models import Evaluation, ReliabilityReport, Run, Score
from assess.services.results import categories, results
from assess.services.results.topic_sets import choices


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


class CellSerializer(serializers.Serializer[Any]):
    """A mean over ``topics`` topics; whether it is the best of its column."""

    value = serializers.FloatField()
    topics = serializers.IntegerField()
    best = serializers.BooleanField()


class ResultsRowSerializer(serializers.Serializer[Any]):
    """A run of a table of results; ``cells`` has a list for each set of topics: for each measure a cell, or null."""

    run = serializers.CharField(source="run.name")
    team = serializers.CharField(source="run.team")
    kind = serializers.CharField(source="run.kind")
    method = serializers.CharField(source="run.method")
    uses = serializers.CharField(source="run.data")
    flags = serializers.CharField()
    is_pooled = serializers.BooleanField()
    cells = serializers.ListField(child=serializers.ListField(child=CellSerializer(allow_null=True)))


class TopicSetSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    name = serializers.CharField()


class ResultsTableSerializer(serializers.Serializer[Any]):
    """Runs in the order of the labs' tables: baselines, then teams by their best run."""

    name = serializers.CharField()
    sets = TopicSetSerializer(many=True)
    measures = serializers.ListField(child=serializers.CharField())
    rows = ResultsRowSerializer(many=True)


class CategoryMeanSerializer(serializers.Serializer[Any]):
    """The mean of a run over the topics of a category, which is empty for topics without one."""

    run = serializers.CharField()
    measure = serializers.CharField()
    column = serializers.CharField()
    category = serializers.CharField(allow_blank=True)
    value = serializers.FloatField()
    topics = serializers.IntegerField()


class ReliabilitySerializer(serializers.ModelSerializer[ReliabilityReport]):
    """``assessors``: the runs under the judgments of each two assessors; ``reusability``: what runs and teams brought
    into the pool, and what changes without each team."""

    release = serializers.IntegerField(source="evaluation.qrels.version")

    class Meta:
        model = ReliabilityReport
        fields = ("id", "release", "evaluation", "created", "assessors", "reusability")


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


class ResultsTables(InEvaluation, generics.GenericAPIView[Any]):
    """The tables of results, of runs and of written answers; over the sets of topics that ``sets`` names."""

    serializer_class = ResultsTableSerializer

    @extend_schema(
        parameters=[OpenApiParameter("sets", str, many=True, description="Keys of sets of topics, by default `all`")],
        responses=ResultsTableSerializer(many=True),
    )
    def get(self, request: Request, slug: str, pk: int) -> Response:
        evaluation = self.evaluation()
        wanted = request.query_params.getlist("sets")
        chosen = [choice for choice in choices(evaluation, request.user) if choice.key in wanted]
        tables = results.tables(evaluation, chosen)
        return Response(self.get_serializer([as_table(*pair) for pair in tables.items()], many=True).data)


def as_table(name: str, table: results.ResultsTable) -> dict[str, Any]:
    rows = [
        {
            "run": row.run,
            "flags": results.flags(row.run),
            "is_pooled": row.is_pooled,
            "cells": [[cell and cell._asdict() for cell in entry.cells] for entry in row.entries],
        }
        for row in table.rows
    ]
    return {"name": name, "sets": table.sets, "measures": table.measures, "rows": rows}


class TopicScores(InEvaluation, generics.ListAPIView[Score]):
    """The value of each topic; of one run, topic or measure by parameters of these names. Pages have up to 10,000."""

    serializer_class = ScoreSerializer
    pagination_class = LargePages
    queryset = Score.objects.none()

    def get_queryset(self) -> QuerySet[Score]:
        sent = self.request.query_params
        wanted = {field: sent[name] for name, field in FILTERS.items() if name in sent}
        return self.evaluation().scores.filter(**wanted).select_related("run").order_by("pk")


class CategoryMeans(InEvaluation, generics.GenericAPIView[Any]):
    """The means of all runs by category of the topics, for each column of the topic sheet; of one measure by the
    parameter of this name, by default the first."""

    serializer_class = CategoryMeanSerializer

    @extend_schema(parameters=[OpenApiParameter("measure", str)], responses=CategoryMeanSerializer(many=True))
    def get(self, request: Request, slug: str, pk: int) -> Response:
        evaluation = self.evaluation()
        known = results.of_topics(results.measured(evaluation))
        measure = request.query_params.get("measure") or next(iter(known), "")
        breakdown = categories.by_category(evaluation, measure, categories.sheet(self.campaign()))
        return Response(self.get_serializer(list(as_means(breakdown, measure)), many=True).data)


def as_means(breakdown: categories.Breakdown, measure: str) -> Iterator[dict[str, Any]]:
    for row in breakdown.rows:
        for group, shares in zip(breakdown.groups, row.shares, strict=True):
            for category, share in zip(group.categories, shares, strict=True):
                if share:
                    about = {"run": row.run.name, "measure": measure, "column": group.column, "category": category}
                    yield {**about, **share._asdict()}


class Results(InCampaign, generics.RetrieveAPIView[Evaluation]):
    """The latest evaluation of all runs: for organizers only; 404 before the first one."""

    serializer_class = EvaluationSerializer

    def get_object(self) -> Evaluation:
        evaluations = Evaluation.objects.of(self.campaign()).select_related("qrels")
        return get_object_or_404(evaluations[:1])


class Reliability(InCampaign, generics.RetrieveAPIView[ReliabilityReport]):
    """The latest report on reliability: for organizers only; 404 before the first one."""

    serializer_class = ReliabilitySerializer

    def get_object(self) -> ReliabilityReport:
        reports = ReliabilityReport.objects.of(self.campaign())
        return get_object_or_404(reports.select_related("evaluation__qrels")[:1])
