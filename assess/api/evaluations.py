"""The numbers of evaluations: tables of results, means by category, and the value of each topic. For organizers."""

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.response import Response

from assess.api import serializers
from assess.api.views import InCampaign
from assess.models import Evaluation, Score
from assess.services.results import categories, results
from assess.services.results.topic_sets import choices

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

    serializer_class = serializers.EvaluationSummarySerializer
    queryset = Evaluation.objects.none()

    def get_queryset(self) -> QuerySet[Evaluation]:
        evaluations = Evaluation.objects.of(self.campaign())
        return evaluations.select_related("qrels").defer("means")


class Detail(InEvaluation, generics.RetrieveAPIView[Evaluation]):
    """An evaluation with the means of all runs."""

    serializer_class = serializers.EvaluationSerializer

    def get_object(self) -> Evaluation:
        return self.evaluation()


class Tables(InEvaluation, generics.GenericAPIView[Any]):
    """The tables of results, of runs and of written answers; over the sets of topics that ``sets`` names."""

    serializer_class = serializers.ResultsTableSerializer

    @extend_schema(
        parameters=[OpenApiParameter("sets", str, many=True, description="Keys of sets of topics, by default `all`")],
        responses=serializers.ResultsTableSerializer(many=True),
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


class Scores(InEvaluation, generics.ListAPIView[Score]):
    """The value of each topic; of one run, topic or measure by parameters of these names. Pages have up to 10,000."""

    serializer_class = serializers.ScoreSerializer
    pagination_class = LargePages
    queryset = Score.objects.none()

    def get_queryset(self) -> QuerySet[Score]:
        sent = self.request.query_params
        wanted = {field: sent[name] for name, field in FILTERS.items() if name in sent}
        return self.evaluation().scores.filter(**wanted).select_related("run").order_by("pk")


class Parts(InEvaluation, generics.GenericAPIView[Any]):
    """The means of all runs by category of the topics, for each column of the topic sheet; of one measure by the
    parameter of this name, by default the first."""

    serializer_class = serializers.PartSerializer

    @extend_schema(parameters=[OpenApiParameter("measure", str)], responses=serializers.PartSerializer(many=True))
    def get(self, request: Request, slug: str, pk: int) -> Response:
        evaluation = self.evaluation()
        known = results.measured(evaluation)
        measure = request.query_params.get("measure") or next(iter(known), "")
        shown = categories.by_category(evaluation, measure, categories.sheet(self.campaign()))
        return Response(self.get_serializer(list(as_parts(shown, measure)), many=True).data)


def as_parts(shown: categories.Breakdown, measure: str) -> Iterator[dict[str, Any]]:
    for row in shown.rows:
        for group, shares in zip(shown.groups, row.shares, strict=True):
            for category, share in zip(group.categories, shares, strict=True):
                if share:
                    about = {"run": row.run.name, "measure": measure, "column": group.column, "category": category}
                    yield {**about, **share._asdict()}
