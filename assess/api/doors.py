"""The doors of the API. A decorated function becomes a view of the REST framework: its address, who may pass, what it
takes and what it answers are said once, and checks and schema are made of it. Addresses are below a campaign, unless
they begin with a slash."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

from django.contrib.auth.models import User
from django.core.validators import RegexValidator
from django.db import transaction
from django.db.models import BigIntegerField, Model
from django.http import HttpResponseBase
from django.urls import URLPattern, path
from django_filters.rest_framework import CharFilter, FilterSet
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.pagination import PageNumberPagination
from rest_framework.parsers import JSONParser, MultiPartParser
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response

from assess.ir.common.options import Option
from assess.ir.common.rows import CONTROL, LONGEST_NAME
from assess.models import ApiToken, Campaign, Job
from assess.services.common.access import ORGANIZER, campaign_for
from assess.services.jobs import job_queue
from assess.tasks import enqueue

JUDGE = ApiToken.Scope.JUDGE
VIEWS: dict[str, type[Door]] = {}
"""By address; ``title`` is its name for `reverse`."""
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
Answer = Callable[["Door", Any], Response]


class Door(generics.GenericAPIView[Any]):
    """The view of an address: 404 for outsiders of its campaign, 403 for members in the wrong role. ``ways``: for each
    method who may pass, and the scope that a token needs."""

    title = ""
    ways: dict[str, tuple[tuple[str, ...], str]] = {}
    campaign: Campaign
    queryset: Any = Campaign.objects.none()
    serializer_class: Any = serializers.Serializer

    @property
    def person(self) -> User:
        return cast(User, self.request.user)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        method = "get" if request.method == "HEAD" else str(request.method).lower()
        roles, self.scope = self.ways.get(method, (ORGANIZER, ApiToken.Scope.ORGANIZE))
        super().initial(request, *args, **kwargs)
        if "slug" in kwargs:
            will_change = request.method not in SAFE_METHODS
            self.campaign = campaign_for(request.user, kwargs["slug"], roles, changes=will_change)


def open_door(
    address: str,
    method: str,
    function: Any,
    *,
    answer: Answer,
    answers: Any,
    roles: tuple[str, ...] = ORGANIZER,
    scope: str = ApiToken.Scope.ORGANIZE,
    find: Callable[..., Any] | None = None,
    shape: Any = None,
    schema: Mapping[str, Any] = {},
    **fields: Any,
) -> Callable[..., Any]:
    """``find``: what the address names, for which strangers get 404 whatever they send. ``shape``, or ``fields``: what
    is sent."""
    name, sent = function.__name__.replace("_", "-"), shape or (sends(function.__name__, **fields) if fields else None)
    view = VIEWS.setdefault(address, type(name, (Door,), {"title": f"api-{name}", "ways": {}}))
    view.ways[method] = roles, scope

    def handle(self: Door, request: Request, slug: str = "", **place: Any) -> HttpResponseBase:
        found = [find(self, **place)] if find else place.values()
        read = sent(data=request.data) if sent else None
        if read is not None:
            read.is_valid(raise_exception=True)
        done = function(self, *found, **({} if read is None else read.validated_data))
        return done if isinstance(done, HttpResponseBase) else answer(self, done)

    handle.__doc__ = function.__doc__
    described = {"request": sent, "responses": answers, **schema}
    setattr(view, method, extend_schema(**described)(handle))
    if sent and any(isinstance(field, serializers.FileField) for field in sent().fields.values()):
        view.parser_classes = (MultiPartParser, JSONParser)
    return cast(Callable[..., Any], function)


def addresses(below_campaign: bool) -> list[URLPattern]:
    chosen = [(address, view) for address, view in VIEWS.items() if address.startswith("/") != below_campaign]
    return [path(address.removeprefix("/"), view.as_view(), name=view.title) for address, view in chosen]


class LargePages(PageNumberPagination):
    page_size_query_param = "page_size"
    max_page_size = 10_000


def lists(address: str, shape: Any, *, roles: tuple[str, ...] = ORGANIZER, pages: Any = None, **by: str) -> Decorator:
    """The function returns rows; ``by``: the parameters that choose among them, with their lookups."""

    def answer(door: Door, rows: Any) -> Response:
        page = door.paginate_queryset(door.filter_queryset(rows))
        return door.get_paginated_response(shape(page, many=True).data)

    def decorate(function: Any) -> Any:
        open_door(address, "get", function, answer=answer, answers={200: shape(many=True)}, roles=roles)
        view, of_shape = VIEWS[address], getattr(shape, "Meta", None)
        model: Any = of_shape.model if of_shape else Campaign
        view.queryset, view.pagination_class = model._default_manager.none(), pages or view.pagination_class
        filters = {name: CharFilter(field_name=lookup) for name, lookup in by.items()}
        view.filterset_class = type(f"{function.__name__}Filter", (FilterSet,), filters)  # type: ignore[attr-defined]
        return function

    return decorate


def reads(address: str, shape: Any, **how: Any) -> Decorator:
    """The function returns one thing, or the response itself."""
    return partial(open_door, address, "get", answer=partial(answer_with, shape, 200), answers={200: shape}, **how)


def changes(
    address: str,
    *,
    method: str = "post",
    answer: Answer | None = None,
    answers: Any = None,
    status: int = 200,
    **how: Any,
) -> Decorator:
    """The function takes what was sent, and returns what was done (an `Action`, perhaps with notes); or a thing, if
    ``answers`` is its shape."""
    answer = answer or (partial(answer_with, answers, status) if answers else partial(answer_done, status))
    return partial(open_door, address, method, answer=answer, answers={status: answers or DoneSerializer}, **how)


def starts(address: str, **how: Any) -> Decorator:
    """The function returns a kind of job with its parameters."""
    return changes(address, answer=answer_job, answers=JobSerializer, status=202, **how)


def answer_with(shape: Any, status: int, door: Door, thing: Any) -> Response:
    kind: Any = type(shape.child) if isinstance(shape, serializers.ListSerializer) else shape
    return Response(kind(thing, many=isinstance(thing, list)).data, status=status)


def answer_done(status: int, door: Door, done: Any) -> Response:
    action, notes = done if isinstance(done, tuple) else (done, [])
    return Response({"done": str(action or "Nothing was changed."), "notes": notes}, status=status)


def answer_job(door: Door, wanted: tuple[Any, dict[str, Any]]) -> Response:
    kind, params = wanted
    job = job_queue.submit(door.campaign, kind, door.person, **params)
    transaction.on_commit(lambda: enqueue(job.pk))
    return Response(JobSerializer(job).data, status=202)


KINDS: dict[Any, type[serializers.Field[Any, Any, Any, Any]]] = {
    str: serializers.CharField,
    int: serializers.IntegerField,
    bool: serializers.BooleanField,
    float: serializers.FloatField,
}


def field_of(option: Option) -> Any:
    """For an option that a dataclass declares; without a value its default holds."""
    kind: Any = KINDS[option.kind]
    about: dict[str, Any] = {} if option.is_list else {"required": option.is_required}
    if option.choices:
        kind, about["allow_blank"] = serializers.ChoiceField, "" in option.choices and option.kind is str
        about["choices"] = [(value, label) for value, label in option.choices.items() if value]
    elif option.kind in (int, float):
        about |= {"min_value": option.least, "max_value": option.most}
    elif option.most:
        kind = serializers.CharField if option.is_long else NameField
        about |= {"allow_blank": not option.is_required, "max_length": option.most}
    return serializers.ListField(child=kind(**about), required=False) if option.is_list else kind(**about)


def as_fields(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: KINDS[kind]() if isinstance(kind, type) else kind for name, kind in given.items()}


def sends(name: str, about: str = "", /, **fields: Any) -> Any:
    """A shape with these fields, or fields of these types."""
    name = name if name[0].isupper() else name.title().replace("_", "")
    return type(f"{name}Serializer", (serializers.Serializer,), {**as_fields(fields), "__doc__": about})


def rows(model: type[Model], names: str, about: str = "", called: str = "", /, **more: Any) -> Any:
    """A shape with these fields of a model, also texts elsewhere (``topic=topic.topic_id``), and ``more``."""
    named = dict(name.partition("=")[::2] for name in names.split())
    elsewhere = {name: source for name, source in named.items() if source}
    texts = {name: serializers.CharField(source=at, read_only=True, default=None) for name, at in elsewhere.items()}
    meta = type("Meta", (), {"model": model, "fields": [*named, *more]})
    parts = {**texts, **as_fields(more), "Meta": meta, "__doc__": about}
    return type(f"{called or model.__name__}Serializer", (serializers.ModelSerializer,), parts)


NO_CONTROL = "Tabs, line breaks and other control characters are not allowed."
NameField = partial(
    serializers.CharField, max_length=LONGEST_NAME, validators=[RegexValidator(CONTROL, NO_CONTROL, inverse_match=True)]
)
"""A name that people choose, which later stands in a column of a table."""
KeyField = partial(serializers.IntegerField, min_value=0, max_value=BigIntegerField.MAX_BIGINT)
"""The number of a thing, of a size that databases take."""
DoneSerializer = sends(
    "Done",
    "What was done, in the words of the history, and what one should know of it.",
    done=serializers.CharField(),
    notes=serializers.ListField(child=serializers.CharField()),
)
JobSerializer = rows(
    Job, "id kind state done total message error result created started finished campaign=campaign.slug"
)
