"""Judgments made elsewhere: list, read and import; for organizers only."""

from typing import Any, cast

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from assess.api.common import InCampaign, JobSerializer, checked_data, start_job
from assess.ir.common.rows import LONGEST_ID, LONGEST_NAME
from assess.ir.formats.source_records import Columns
from assess.models import JudgmentSource, SourceLine
from assess.services import job_kinds
from assess.services.common import workspace
from assess.services.pool import judgment_sources


class JudgmentSourceSerializer(serializers.ModelSerializer[JudgmentSource]):
    """Judgments made elsewhere; ``counts`` has lines, items, topics, and lines by grade and labeller."""

    imported_by = serializers.SlugRelatedField[Any](slug_field="username", read_only=True)

    class Meta:
        model = JudgmentSource
        fields = (
            *("id", "name", "kind", "items", "format", "file_name", "sha256", "note", "counts", "notes"),
            *("imported_by", "created"),
        )


class SourceLineSerializer(serializers.ModelSerializer[SourceLine]):
    class Meta:
        model = SourceLine
        fields = ("topic_id", "item_id", "labeller", "grade", "outcome", "comment")


class SourceFileSerializer(serializers.Serializer[Any]):
    """A file with judgments, and what it is. ``format`` is detected if empty, and so are the columns. ``labels``: what
    labels mean that the scale does not name; the campaign remembers it."""

    file = serializers.FileField(max_length=LONGEST_ID)
    name = serializers.CharField(max_length=LONGEST_NAME)
    kind = serializers.ChoiceField(choices=JudgmentSource.Kind.choices)
    items = serializers.ChoiceField(choices=JudgmentSource.Items.choices, required=False, allow_blank=True, default="")
    note = serializers.CharField(required=False, allow_blank=True, default="", max_length=2000)
    format = serializers.ChoiceField(
        choices=JudgmentSource.Format.choices, required=False, allow_blank=True, default=""
    )
    topic_column = serializers.CharField(required=False, allow_blank=True, default="", max_length=LONGEST_NAME)
    item_column = serializers.CharField(required=False, allow_blank=True, default="", max_length=LONGEST_NAME)
    grade_column = serializers.CharField(required=False, allow_blank=True, default="", max_length=LONGEST_NAME)
    labeller_column = serializers.CharField(required=False, allow_blank=True, default="", max_length=LONGEST_NAME)
    comment_column = serializers.CharField(required=False, allow_blank=True, default="", max_length=LONGEST_NAME)
    labels = serializers.JSONField(required=False, default=dict)


class OfCampaign(InCampaign):
    serializer_class = JudgmentSourceSerializer
    queryset = JudgmentSource.objects.none()

    def get_queryset(self) -> QuerySet[JudgmentSource]:
        return self.campaign().judgment_sources.select_related("imported_by")


class JudgmentSources(OfCampaign, generics.ListAPIView[JudgmentSource]):
    """The sources of judgments of a campaign. POST imports one, as a job."""

    parser_classes = (MultiPartParser,)

    @extend_schema(request=SourceFileSerializer, responses={202: JobSerializer})
    def post(self, request: Request, slug: str) -> Response:
        campaign = self.campaign()
        data = checked_data(SourceFileSerializer(data=request.data))
        judgment_sources.refuse_known_name(campaign, data["name"])
        judgment_sources.refuse_unsaid_items(campaign, data["items"])
        judgment_sources.remember_labels(campaign, data.pop("labels"), cast(User, request.user))
        file = data.pop("file")
        columns = [data.pop(f"{name}_column") for name in Columns._fields]
        meta = judgment_sources.SourceMeta(file.name, columns=columns, **data)
        return start_job(
            request, campaign, job_kinds.import_source, path=workspace.keep_file(file), meta=meta._asdict()
        )


class JudgmentSourceDetail(OfCampaign, generics.RetrieveAPIView[JudgmentSource]):
    """A source with its counts."""


class SourceLines(InCampaign, generics.ListAPIView[SourceLine]):
    """The judgments of a source, page by page, in the order of its file."""

    serializer_class = SourceLineSerializer
    queryset = SourceLine.objects.none()

    def get_queryset(self) -> QuerySet[SourceLine]:
        source: Any = get_object_or_404(self.campaign().judgment_sources, pk=self.kwargs["pk"])
        return SourceLine.objects.filter(source=source)
