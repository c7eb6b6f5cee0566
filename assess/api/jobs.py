"""Jobs: submitted by other modules, watched here."""

from typing import Any, cast

from django.contrib.auth.models import User
from django.db import transaction
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from assess.models import Campaign, Job
from assess.models.job_kind import JobKind
from assess.services.common.access import job_for
from assess.services.jobs import job_queue
from assess.tasks import enqueue


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


def started(request: Request, campaign: Campaign, kind: JobKind, **params: Any) -> Response:
    """Submits a job and answers with it. Raises Refused."""
    job = job_queue.submit(campaign, kind, cast(User, request.user), **params)
    transaction.on_commit(lambda: enqueue(job.pk))
    return Response(JobSerializer(job).data, status=status.HTTP_202_ACCEPTED)
