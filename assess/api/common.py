"""What all modules of the API share: who may enter, what is wrong with what was sent, and jobs."""

from typing import Any, cast

from django.contrib.auth.models import User
from django.db import transaction
from rest_framework import generics, serializers, status
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from assess.models import Campaign, Job
from assess.models.job_kind import JobKind
from assess.services.common.access import ORGANIZER, campaign_for, job_for
from assess.services.jobs import job_queue
from assess.tasks import enqueue


class InCampaign(generics.GenericAPIView[Any]):
    """A door below a campaign: 404 for outsiders, 403 for members whose role is not among ``roles``."""

    roles: tuple[str, ...] = ORGANIZER

    def campaign(self) -> Campaign:
        changes = self.request.method not in SAFE_METHODS
        return campaign_for(self.request.user, self.kwargs["slug"], self.roles, changes=changes)


class JudgmentSerializer(serializers.Serializer[Any]):
    """A judgment as it is kept; all but its document is empty if it was taken back. ``guide``: the version of the
    guidelines, and how many rulings there were."""

    instance = serializers.IntegerField()
    word = serializers.CharField()
    comment = serializers.CharField()
    key = serializers.CharField()
    guide = serializers.CharField()


class ProblemSerializer(serializers.Serializer[Any]):
    """Why something cannot be done, and what to do instead (RFC 9457); ``errors``: by field, if fields are wrong."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    errors = serializers.DictField(  # type: ignore[assignment]
        child=serializers.ListField(child=serializers.CharField()), required=False
    )
    standing = JudgmentSerializer(required=False, help_text="What was decided elsewhere; only with 409.")


def checked_data(sent: BaseSerializer[Any]) -> dict[str, Any]:
    """What was sent, by field. Raises ValidationError."""
    sent.is_valid(raise_exception=True)
    return dict(sent.validated_data)


class JobSerializer(serializers.ModelSerializer[Job]):
    campaign = serializers.SlugRelatedField[Campaign](slug_field="slug", read_only=True)

    class Meta:
        model = Job
        fields = (
            *("id", "campaign", "kind", "state", "done", "total", "message", "error", "result"),
            *("created", "started", "finished"),
        )


class JobDetail(generics.RetrieveAPIView[Job]):
    """A job of a campaign that you organize."""

    serializer_class = JobSerializer
    queryset = Job.objects.none()

    def get_object(self) -> Job:
        return job_for(self.request.user, self.kwargs["pk"])


def start_job(request: Request, campaign: Campaign, kind: JobKind, **params: Any) -> Response:
    """Submits a job and answers with it. Raises Refused."""
    job = job_queue.submit(campaign, kind, cast(User, request.user), **params)
    transaction.on_commit(lambda: enqueue(job.pk))
    return Response(JobSerializer(job).data, status=status.HTTP_202_ACCEPTED)
