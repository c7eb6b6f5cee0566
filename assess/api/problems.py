"""What a program reads if something fails: JSON as RFC 9457 (Problem Details for HTTP APIs) has it."""

from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import Direction
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler

from assess.ir.common.problems import BadInput
from assess.services.common.errors import Refused

PROBLEM = "application/problem+json"
FAILURES = ["401", "403", "404", "429"]
OF_BODIES = ["400", "409", "413", "415", "422"]
DETAILS = {
    400: "The server can't read this request.",
    404: "There is nothing at this address.",
    413: "The request is too large.",
    500: "The server has failed. Its log says why.",
    503: "The server can save nothing at the moment. Try again later.",
}
"""What the pages' handlers say of requests that never reach a door of the API, or that break it."""


class KeptSerializer(serializers.Serializer[Any]):
    word = serializers.CharField()
    comment = serializers.CharField()
    passage = serializers.CharField()
    key = serializers.CharField()


class JudgmentSerializer(KeptSerializer):
    """A judgment as it is kept; all but its document is empty if it was taken back. ``guide``: the version of the
    guidelines, and how many rulings there were."""

    instance = serializers.IntegerField()
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


class ProblemSchema(AutoSchema):
    """Adds the failures that every door can answer, in the form of RFC 9457."""

    def _get_response_bodies(self, direction: Direction = "response") -> dict[str, Any]:
        statuses = FAILURES + (OF_BODIES if self.method in ("POST", "PUT", "PATCH") else [])
        describe: Any = self._get_response_for_code
        failures = {each: describe(ProblemSerializer, each, [PROBLEM]) for each in statuses}
        return failures | super()._get_response_bodies(direction)


def problem(status: int, detail: str, **more: Any) -> dict[str, Any]:
    """``more``: members beside those of the standard, such as ``errors`` by field."""
    title = HTTPStatus(status).phrase
    return {"type": "about:blank", "title": title, "status": status, "detail": detail or title, **more}


def answer_problem(error: Exception, context: dict[str, Any]) -> Response | None:
    """What the API answers to an exception; None if it is our fault."""
    if isinstance(error, Refused | BadInput) and not isinstance(error, PermissionDenied):
        return Response(problem(422, str(error)), status=422, content_type=PROBLEM)
    response = exception_handler(error, context)
    if response is None:
        return None
    if isinstance(error, ValidationError):
        errors = dict(by_field(error.detail))
        detail = " ".join(f"{field}: {' '.join(texts)}".removeprefix(": ") for field, texts in errors.items())
        response.status_code, response.data = 422, problem(422, detail, errors=errors)
    else:
        response.data = problem(response.status_code, str(response.data["detail"]))
    response.content_type = PROBLEM
    return response


def by_field(errors: Any, field: str = "") -> Iterator[tuple[str, list[str]]]:
    """What a serializer says is wrong: ``options.k``, ``0.word`` in a list, empty for the whole."""
    if isinstance(errors, Mapping):
        for name, of_name in errors.items():
            yield from by_field(of_name, f"{field}.{name}".strip(".") if name != "non_field_errors" else field)
    elif any(isinstance(each, Mapping) for each in errors):
        yield from by_field({str(number): each for number, each in enumerate(errors) if each}, field)
    else:
        yield field, [str(each) for each in errors]


def describe_failures(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Below ``/api/`` everything that fails is JSON, also an unknown address and what other middleware refuses."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        status = response.status_code
        if status >= 400 and request.path_info.startswith("/api/") and response["Content-Type"] != PROBLEM:
            response.content = JsonResponse(problem(status, DETAILS.get(status, ""))).content
            response["Content-Type"] = PROBLEM
        return response

    return middleware
