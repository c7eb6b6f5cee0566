"""The product, and beside it the least that Django can do for a judgment: sign-in, the check against forgery, one
event."""

# isort: off
from assess.wsgi import application  # sets Django up for what follows

from uuid import uuid4

from django.http import HttpRequest, JsonResponse
from django.urls import path

from assess import urls
from assess.models import JudgmentEvent

__all__ = ["application"]


def bare(request: HttpRequest, pk: int, instance: int) -> JsonResponse:
    JudgmentEvent.objects.create(
        assignment_id=pk,
        instance_id=instance,
        by_id=request.user.pk or 0,
        decision=request.POST["word"],
        key=str(uuid4()),
    )
    return JsonResponse({})


urls.urlpatterns.append(path("bare/<int:pk>/<int:instance>/", bare))
