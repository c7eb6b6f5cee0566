"""How far the judging is, and an assessor’s own judgments."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db.models import BigIntegerField
from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from assess.api.common import InCampaign, JudgmentSerializer
from assess.api.problems import PROBLEM, problem
from assess.models import ApiToken, JudgmentEvent
from assess.services.common.access import STAFF, own_assignments
from assess.services.common.errors import Conflict
from assess.services.desk import decisions
from assess.services.desk.decisions import MAX_ACTIVE_MS, MAX_LENGTHS
from assess.services.rounds import progress


class PaceSerializer(serializers.Serializer[Any]):
    """How many documents are judged of how many; ``grades`` counts grades and outcomes by word; seconds are of
    attention."""

    judged = serializers.IntegerField()
    total = serializers.IntegerField()
    grades = serializers.DictField(child=serializers.IntegerField())
    mean_seconds = serializers.FloatField(allow_null=True)
    median_seconds = serializers.FloatField(allow_null=True)


class TopicProgressSerializer(serializers.Serializer[Any]):
    topic = serializers.CharField(source="topic.topic_id")
    units = serializers.IntegerField()
    pace = PaceSerializer()


class AssessorProgressSerializer(serializers.Serializer[Any]):
    assessor = serializers.CharField()
    pace = PaceSerializer()


class ProgressSerializer(serializers.Serializer[Any]):
    """The whole campaign and each topic over official judgments, each assessor over all rounds."""

    whole = PaceSerializer()
    topics = TopicProgressSerializer(many=True)
    assessors = AssessorProgressSerializer(many=True)


class Progress(InCampaign, generics.RetrieveAPIView[Any]):
    """How far the judging of the frozen pool is; 404 before the first one."""

    serializer_class = ProgressSerializer
    roles = STAFF

    def get_object(self) -> progress.Overview:
        pool = self.campaign().frozen_pool()
        if pool is None:
            raise Http404
        return progress.overview(pool, in_detail=True)


class DecisionsSerializer(serializers.ListSerializer[Any]):
    """Decisions that are kept together."""

    def validate(self, attrs: list[dict[str, Any]]) -> list[dict[str, Any]]:
        keys = [decision["key"] for decision in attrs if decision["key"]]
        if len(set(keys)) < len(keys):
            raise serializers.ValidationError("Each decision needs a key of its own.")
        return attrs


class DecisionSerializer(serializers.Serializer[Any]):
    """What an assessor says about one document: ``word`` is a grade (0 to 3, as text) or an outcome, empty to take the
    judgment back. The hash is that of the text that was on screen; it must be the pool's. ``key``: a known one
    is not stored again. ``after``: the key of the judgment that was known, empty if there was none, null to replace
    any."""

    instance = serializers.IntegerField(source="instance_id", min_value=0, max_value=BigIntegerField.MAX_BIGINT)
    content_hash = serializers.CharField(max_length=MAX_LENGTHS["content_hash"])
    word = serializers.CharField(max_length=MAX_LENGTHS["word"], allow_blank=True)
    comment = serializers.CharField(required=False, allow_blank=True, default="", max_length=MAX_LENGTHS["comment"])
    active_ms = serializers.IntegerField(required=False, default=0, min_value=0, max_value=MAX_ACTIVE_MS)
    key = serializers.CharField(required=False, allow_blank=True, default="", max_length=MAX_LENGTHS["key"])
    after = serializers.CharField(
        required=False, allow_blank=True, allow_null=True, default=None, max_length=MAX_LENGTHS["after"]
    )

    class Meta:
        list_serializer_class = DecisionsSerializer


class Judgments(APIView):
    """Your own judgments in one of your assignments: all decisions are kept, or none."""

    scope = ApiToken.Scope.JUDGE

    @extend_schema(
        request=DecisionSerializer(many=True),
        responses={200: JudgmentSerializer(many=True)},
    )
    def post(self, request: Request, pk: int) -> Response:
        assert isinstance(request.user, User)
        get_object_or_404(own_assignments(request.user), pk=pk)
        sent = DecisionSerializer(data=request.data, many=True)
        sent.is_valid(raise_exception=True)
        sent_decisions = [decisions.Decision(**fields) for fields in sent.validated_data]
        try:
            judgments = decisions.save_decisions(pk, request.user, sent_decisions).judgments
        except Conflict as error:
            [standing] = judgment_rows(pk, [error.instance_id], [error.standing])
            return Response(problem(409, str(error), standing=standing), status=409, content_type=PROBLEM)
        return Response(judgment_rows(pk, [decision.instance_id for decision in sent_decisions], judgments))


def judgment_rows(
    pk: int, instances: list[int], judgments: Sequence[decisions.CurrentJudgment]
) -> list[dict[str, Any]]:
    """The judgments of documents of an assignment, each with the guide version of its last decision."""
    keys = [judgment.key for judgment in judgments if judgment]
    guides = dict(JudgmentEvent.objects.filter(assignment=pk, key__in=keys).values_list("key", "guide"))
    rows = [
        {"instance": pk, "guide": guides.get(judgment.key, "") if judgment else "", **decisions.as_fields(judgment)}
        for pk, judgment in zip(instances, judgments, strict=True)
    ]
    return list(JudgmentSerializer(rows, many=True).data)
