"""The API of judgments made elsewhere: list, read and import; for organizers only."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import generics
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from assess.api import serializers
from assess.api.views import InCampaign, checked, refused, started
from assess.ir.formats.source_records import Columns
from assess.models import Job, JudgmentSource, SourceLine
from assess.services.common import uploads
from assess.services.common.errors import Refused
from assess.services.pool import judgment_sources


class JudgmentSources(InCampaign, generics.ListAPIView[JudgmentSource]):
    """The sources of judgments of a campaign. POST imports one, as a job."""

    serializer_class = serializers.JudgmentSourceSerializer
    parser_classes = (MultiPartParser,)
    queryset = JudgmentSource.objects.none()

    def get_queryset(self) -> QuerySet[JudgmentSource]:
        return self.campaign().judgment_sources.select_related("imported_by")

    @extend_schema(
        request=serializers.SourceFileSerializer,
        responses={202: serializers.JobSerializer, 422: serializers.RefusalSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        campaign = self.campaign()
        try:
            data = checked(serializers.SourceFileSerializer(data=request.data))
            judgment_sources.refuse_known_name(campaign, data["name"])
            judgment_sources.refuse_unsaid_items(campaign, data["items"])
            file = data.pop("file")
            columns = [data.pop(f"{name}_column") for name in Columns._fields]
            meta = judgment_sources.SourceMeta(file.name, columns=columns, **data)
            return started(request, campaign, Job.Kind.SOURCE, path=uploads.store(file), meta=meta._asdict())
        except Refused as error:
            return refused(error)


class JudgmentSourceDetail(InCampaign, generics.RetrieveAPIView[JudgmentSource]):
    """A source with its counts."""

    serializer_class = serializers.JudgmentSourceSerializer

    def get_object(self) -> JudgmentSource:
        return get_object_or_404(self.campaign().judgment_sources, pk=self.kwargs["pk"])


class SourceLines(InCampaign, generics.ListAPIView[SourceLine]):
    """The judgments of a source, page by page, in the order of its file."""

    serializer_class = serializers.SourceLineSerializer
    queryset = SourceLine.objects.none()

    def get_queryset(self) -> QuerySet[SourceLine]:
        source: Any = get_object_or_404(self.campaign().judgment_sources, pk=self.kwargs["pk"])
        return SourceLine.objects.filter(source=source)
