"""Agreement, and releases of qrels."""

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from assess.api.common import InCampaign
from assess.models import AgreementReport, Qrels, QrelsLine
from assess.services.common.access import STAFF
from assess.services.releases import manifest


class AgreementSerializer(serializers.ModelSerializer[AgreementReport]):
    class Meta:
        model = AgreementReport
        fields = ("id", "created", "judgments", "pairs", "assessors", "topics", "means", "visual")


class QrelsLineSerializer(serializers.ModelSerializer[QrelsLine]):
    class Meta:
        model = QrelsLine
        fields = ("unit", "topic_id", "unit_id", "grade")


class Agreement(InCampaign, generics.RetrieveAPIView[AgreementReport]):
    """The latest report on agreement; 404 before the first one."""

    serializer_class = AgreementSerializer
    roles = STAFF

    def get_object(self) -> AgreementReport:
        return get_object_or_404(AgreementReport.objects.filter(pool__campaign=self.campaign())[:1])


class ReleaseLines(InCampaign, generics.ListAPIView[QrelsLine]):
    """The lines of a release, page by page, sorted by unit, topic and id."""

    serializer_class = QrelsLineSerializer
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
        return Response(manifest.provenance_of(get_object_or_404(releases, version=version)))
