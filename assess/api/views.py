"""The API: what the pages know, for programs; and an assessor's own judgments. Services decide who may see what."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from assess.api import serializers
from assess.ir.common.problems import BadInput
from assess.models import (
    AgreementReport,
    Campaign,
    Evaluation,
    Job,
    Judgment,
    JudgmentEvent,
    Qrels,
    QrelsLine,
    ReliabilityReport,
    Run,
    Topic,
)
from assess.services import pipeline
from assess.services.common.access import EVERYONE, ORGANIZER, STAFF, campaign_for, job_for, own_assignments
from assess.services.common.errors import Conflict, Refused
from assess.services.jobs import job_queue
from assess.services.judging import judging, progress
from assess.services.results import export, manifest
from assess.services.runs import fusion
from assess.tasks import enqueue


class InCampaign(generics.GenericAPIView[Any]):
    """A door below a campaign: 404 for outsiders, 403 for members whose role is not among ``roles``."""

    roles: tuple[str, ...] = ORGANIZER

    def campaign(self) -> Campaign:
        return campaign_for(self.request.user, self.kwargs["slug"], self.roles)


class Campaigns(generics.ListAPIView[Campaign]):
    """The campaigns that you are a member of."""

    serializer_class = serializers.CampaignSerializer

    def get_queryset(self) -> QuerySet[Campaign]:
        return Campaign.objects.visible_to(self.request.user).annotate(role=F("members__role"))


class CampaignDetail(InCampaign, generics.RetrieveAPIView[Campaign]):
    """One campaign with its protocol."""

    serializer_class = serializers.CampaignSerializer
    roles = EVERYONE

    def get_object(self) -> Campaign:
        return self.campaign()


class Steps(InCampaign, generics.GenericAPIView[Any]):
    """The steps of a campaign, in order, and which comes next."""

    serializer_class = serializers.StepsSerializer

    def get(self, request: Request, slug: str) -> Response:
        steps = pipeline.steps(self.campaign())
        next_step = pipeline.next_step(steps)
        return Response(self.get_serializer({"steps": steps, "next": next_step and next_step.key}).data)


class Topics(InCampaign, generics.ListAPIView[Topic]):
    """The topics of a campaign."""

    serializer_class = serializers.TopicSerializer
    roles = STAFF
    queryset = Topic.objects.none()

    def get_queryset(self) -> QuerySet[Topic]:
        return self.campaign().topics.all()


class Runs(InCampaign, generics.ListAPIView[Run]):
    """The runs of a campaign: for its organizers only."""

    serializer_class = serializers.RunSerializer
    queryset = Run.objects.none()

    def get_queryset(self) -> QuerySet[Run]:
        return self.campaign().runs.all()


class FusedRuns(InCampaign, generics.GenericAPIView[Any]):
    """Fuse runs of a campaign, in a job whose result is the ``run``: for its organizers only."""

    serializer_class = serializers.FusionSerializer

    @extend_schema(responses={202: serializers.JobSerializer, 422: serializers.RefusalSerializer})
    def post(self, request: Request, slug: str) -> Response:
        campaign = self.campaign()
        try:
            wanted = fusion.Fusion(**{"options": {}, **checked(self.get_serializer(data=request.data))})
            fusion.check(campaign, wanted)
            return started(request, campaign, Job.Kind.FUSION, **wanted._asdict())
        except (Refused, BadInput) as error:
            return refused(error)


class Exported(InCampaign, generics.ListAPIView[Any]):
    """Rows of an export; with the parameter ``names`` with user names, else with pseudonyms."""

    queryset = Judgment.objects.none()

    def names(self) -> bool:
        return "names" in self.request.query_params


class ExportedJudgments(Exported):
    """All judgments of the campaign that are in force, as `manage.py export` prints them."""

    serializer_class = serializers.ExportedJudgmentSerializer

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        campaign = self.campaign()
        page = self.paginate_queryset(export.judgments(campaign)) or []
        rows = [export.as_judgment(campaign, row, self.names())._asdict() for row in page]
        return self.get_paginated_response(rows)


class ExportedHistory(Exported):
    """Every change of the judgments of the campaign."""

    serializer_class = serializers.ExportedEventSerializer

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        campaign = self.campaign()
        page = self.paginate_queryset(export.events(campaign)) or []
        return self.get_paginated_response([export.as_event(campaign, row, self.names())._asdict() for row in page])


class ExportedTriples(Exported):
    """What learners train on: topic, item and target of each graded item, from the official judgments."""

    serializer_class = serializers.TrainingTripleSerializer

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        page = self.paginate_queryset([*export.exported_triples(self.campaign())]) or []
        return self.get_paginated_response([triple._asdict() for triple in page])


class Progress(InCampaign, generics.RetrieveAPIView[Any]):
    """How far the judging of the frozen pool is; 404 before the first one."""

    serializer_class = serializers.ProgressSerializer
    roles = STAFF

    def get_object(self) -> progress.Overview:
        pools = self.campaign().pools.filter(frozen__isnull=False).order_by("-version")
        return progress.overview(get_object_or_404(pools[:1]), with_medians=True)


class Agreement(InCampaign, generics.RetrieveAPIView[AgreementReport]):
    """The latest report on agreement; 404 before the first one."""

    serializer_class = serializers.AgreementSerializer
    roles = STAFF

    def get_object(self) -> AgreementReport:
        return get_object_or_404(AgreementReport.objects.of(self.campaign())[:1])


class ReleaseLines(InCampaign, generics.ListAPIView[QrelsLine]):
    """The lines of a release, page by page, sorted by unit, topic and id."""

    serializer_class = serializers.QrelsLineSerializer
    roles = STAFF
    queryset = QrelsLine.objects.none()

    def get_queryset(self) -> QuerySet[QrelsLine]:
        releases = Qrels.objects.of(self.campaign())
        release = get_object_or_404(releases, version=self.kwargs["version"])
        return release.lines.order_by("unit", "topic_id", "unit_id")


class ReleaseManifest(InCampaign):
    """What a release was made from, with the hashes that it is checked by; assessors have the pseudonyms of exports."""

    roles = STAFF

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request, slug: str, version: int) -> Response:
        releases = Qrels.objects.of(self.campaign()).select_related("visual_map")
        return Response(manifest.provenance(get_object_or_404(releases, version=version)))


class Results(InCampaign, generics.RetrieveAPIView[Evaluation]):
    """The latest evaluation of all runs: for organizers only; 404 before the first one."""

    serializer_class = serializers.EvaluationSerializer

    def get_object(self) -> Evaluation:
        evaluations = Evaluation.objects.of(self.campaign()).select_related("qrels")
        return get_object_or_404(evaluations[:1])


class Reliability(InCampaign, generics.RetrieveAPIView[ReliabilityReport]):
    """The latest report on reliability: for organizers only; 404 before the first one."""

    serializer_class = serializers.ReliabilitySerializer

    def get_object(self) -> ReliabilityReport:
        reports = ReliabilityReport.objects.of(self.campaign())
        return get_object_or_404(reports.select_related("evaluation__qrels")[:1])


class JobDetail(generics.RetrieveAPIView[Job]):
    """A job of a campaign that you organize."""

    serializer_class = serializers.JobSerializer
    queryset = Job.objects.none()

    def get_object(self) -> Job:
        return job_for(self.request.user, self.kwargs["pk"])


class Judgments(APIView):
    """Your own judgments in one of your assignments: all decisions are kept, or none."""

    @extend_schema(
        request=serializers.DecisionSerializer(many=True),
        responses={
            200: serializers.JudgmentSerializer(many=True),
            409: serializers.RefusalSerializer,
            422: serializers.RefusalSerializer,
        },
    )
    def post(self, request: Request, pk: int) -> Response:
        assert isinstance(request.user, User)
        get_object_or_404(own_assignments(request.user), pk=pk)
        sent = serializers.DecisionSerializer(data=request.data, many=True)
        try:
            if not sent.is_valid():
                raise Refused(problems(sent.errors))
            decisions = [judging.Decision(**fields) for fields in sent.validated_data]
            kept = judging.record(pk, request.user, decisions).judgments
        except Conflict as error:
            [standing] = as_rows(pk, [error.instance_id], [error.standing])
            return Response({"detail": str(error), "standing": standing}, status=status.HTTP_409_CONFLICT)
        except Refused as error:
            return refused(error)
        return Response(as_rows(pk, [decision.instance_id for decision in decisions], kept))


def as_rows(pk: int, instances: list[int], judgments: Sequence[judging.Standing]) -> list[dict[str, Any]]:
    """The judgments of documents of an assignment, each with the guide version of its last decision."""
    keys = [judgment.key for judgment in judgments if judgment]
    guides = dict(JudgmentEvent.objects.filter(assignment=pk, key__in=keys).values_list("key", "guide"))
    rows = [
        {
            "instance": instance,
            **judging.as_fields(judgment),
            "guide": guides.get(judgment.key, "") if judgment else "",
        }
        for instance, judgment in zip(instances, judgments, strict=True)
    ]
    return list(serializers.JudgmentSerializer(rows, many=True).data)


def checked(sent: BaseSerializer[Any]) -> dict[str, Any]:
    """What was sent, by field. Raises Refused."""
    if not sent.is_valid():
        raise Refused(" ".join(in_fields(cast(Mapping[str, Any], sent.errors))))
    return dict(sent.validated_data)


def started(request: Request, campaign: Campaign, kind: Job.Kind, **params: Any) -> Response:
    """Submits a job and answers with it. Raises Refused."""
    job = job_queue.submit(campaign, kind, cast(User, request.user), **params)
    transaction.on_commit(lambda: enqueue(job.pk))
    return Response(serializers.JobSerializer(job).data, status=status.HTTP_202_ACCEPTED)


def refused(error: Exception) -> Response:
    return Response({"detail": str(error)}, status=status.HTTP_422_UNPROCESSABLE_ENTITY)


def in_fields(errors: Mapping[str, Any]) -> Iterator[str]:
    """What a serializer says is wrong, each with its field."""
    for field, texts in errors.items():
        if isinstance(texts, Mapping):
            yield from in_fields(texts)
        else:
            yield f"{field}: {' '.join(map(str, texts))}"


def problems(errors: Mapping[Any, Any]) -> str:
    """What a serializer of a list says is wrong, in a line: of the whole list, or by the number of the decision."""
    if whole := errors.get("non_field_errors"):
        return " ".join(whole)
    rows = [(index + 1, field, texts) for index, fields in errors.items() for field, texts in fields.items()]
    return " ".join(f"{number}, {field}: {' '.join(texts)}" for number, field, texts in rows)
