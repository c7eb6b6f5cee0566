"""All judgments of a campaign for study and training; for organizers only."""

from typing import Any

from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from assess.api.common import InCampaign
from assess.models import Judgment
from assess.services.results import export


class ExportedSerializer(serializers.Serializer[Any]):
    """What judgments and their changes have in common."""

    topic = serializers.CharField()
    unit = serializers.CharField()
    document = serializers.CharField()
    kind = serializers.CharField(help_text="post, formula or written")
    assessor = serializers.CharField(help_text="A pseudonym, unless names are asked for.")
    round = serializers.CharField(help_text="main or dual")
    active_seconds = serializers.FloatField()
    guide = serializers.CharField()
    comment = serializers.CharField()


class ExportedJudgmentSerializer(ExportedSerializer):
    grade = serializers.IntegerField(allow_null=True)
    outcome = serializers.CharField()
    created = serializers.DateTimeField()
    changed = serializers.DateTimeField()


class ExportedEventSerializer(ExportedSerializer):
    at = serializers.DateTimeField()
    by = serializers.CharField(help_text="Who did it: the assessor, or an organizer who took the judgment back.")
    old_decision = serializers.CharField()
    decision = serializers.CharField()
    wall_seconds = serializers.FloatField()
    content_hash = serializers.CharField()
    old_comment = serializers.CharField()


class TrainingTripleSerializer(serializers.Serializer[Any]):
    topic = serializers.CharField()
    item = serializers.CharField(help_text="A post, a written answer or a visually distinct formula.")
    target = serializers.FloatField(help_text="1 for high and medium, 0.5 for low, 0 for not relevant.")


class Exported(InCampaign, generics.ListAPIView[Any]):
    """Rows of an export; with the parameter ``names`` with user names, else with pseudonyms."""

    queryset = Judgment.objects.none()

    def names(self) -> bool:
        return "names" in self.request.query_params


class ExportedJudgments(Exported):
    """All judgments of the campaign that are in force, as `manage.py export` prints them."""

    serializer_class = ExportedJudgmentSerializer

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        campaign = self.campaign()
        page = self.paginate_queryset(export.judgments(campaign)) or []
        rows = [export.as_judgment(campaign, row, self.names())._asdict() for row in page]
        return self.get_paginated_response(rows)


class ExportedHistory(Exported):
    """Every change of the judgments of the campaign."""

    serializer_class = ExportedEventSerializer

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        campaign = self.campaign()
        page = self.paginate_queryset(export.events(campaign)) or []
        return self.get_paginated_response([export.as_event(campaign, row, self.names())._asdict() for row in page])


class ExportedTriples(Exported):
    """What learners train on: topic, item and target of each graded item, from the official judgments."""

    serializer_class = TrainingTripleSerializer

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        page = self.paginate_queryset([*export.exported_triples(self.campaign())]) or []
        return self.get_paginated_response([triple._asdict() for triple in page])
