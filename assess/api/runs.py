"""The runs of a campaign, and fusing them; for organizers only."""

from typing import Any

from django.db.models import BigIntegerField, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from assess.api.common import InCampaign, JobSerializer, checked_data, start_job
from assess.ir.common.ids import CONTROL
from assess.ir.common.options import Option
from assess.ir.common.rows import LONGEST_NAME
from assess.ir.runs.fusion.methods import METHODS, OPTIONS
from assess.models import Run
from assess.services import job_kinds
from assess.services.runs import fusion


class RunSerializer(serializers.ModelSerializer[Run]):
    class Meta:
        model = Run
        fields = (
            *("id", "name", "team", "kind", "method", "data", "answers", "pool_role", "format", "order"),
            *("file_name", "sha256", "lines", "topics", "coverage", "notes", "provenance", "created"),
        )


NUMBERS: dict[type, type[serializers.Field[Any, Any, Any, Any]]] = {
    float: serializers.FloatField,
    int: serializers.IntegerField,
}


def field_of(option: Option) -> serializers.Field[Any, Any, Any, Any]:
    if option.choices:
        return serializers.ChoiceField(required=False, choices=option.values)
    field = NUMBERS.get(option.kind, serializers.CharField)
    return serializers.ListField(required=False, child=field()) if option.is_list else field(required=False)


class FusionOptionsSerializer(serializers.Serializer[Any]):
    """The options of methods; each takes only its own, and has defaults for them."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {name: field_of(option) for name, option in OPTIONS.items()}

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict) and (unknown := sorted(set(data) - set(self.fields))):
            raise serializers.ValidationError({name: ["There is no such option."] for name in unknown})
        return super().to_internal_value(data)


class FusionSerializer(serializers.Serializer[Any]):
    """A run to make of several: ids of ``runs`` in their order, and for regression the number of a ``release``."""

    name = serializers.CharField(max_length=LONGEST_NAME)
    method = serializers.ChoiceField(choices=list(METHODS))
    runs = serializers.ListField(child=serializers.IntegerField(min_value=0, max_value=BigIntegerField.MAX_BIGINT))
    options = FusionOptionsSerializer(required=False)
    release = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=2**31 - 1)

    def validate_name(self, name: str) -> str:
        if CONTROL.search(name):
            raise serializers.ValidationError("Tabs, line breaks and other control characters are not allowed.")
        return name


class Runs(InCampaign, generics.ListAPIView[Run]):
    """The runs of a campaign: for its organizers only."""

    serializer_class = RunSerializer
    queryset = Run.objects.none()

    def get_queryset(self) -> QuerySet[Run]:
        return self.campaign().runs.all()


class FusedRuns(InCampaign, generics.GenericAPIView[Any]):
    """Fuse runs of a campaign, in a job whose result is the ``run``: for its organizers only."""

    serializer_class = FusionSerializer

    @extend_schema(responses={202: JobSerializer})
    def post(self, request: Request, slug: str) -> Response:
        campaign = self.campaign()
        wanted = fusion.Fusion(**{"options": {}, **checked_data(self.get_serializer(data=request.data))})
        fusion.check_fusion(campaign, wanted)
        return start_job(request, campaign, job_kinds.fuse_runs, **wanted._asdict())
