"""An assessor’s own topics, and their judgments."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.response import Response

from assess.api.doors import JUDGE, Door, KeyField, LargePages, changes, lists, reads, rows, sends
from assess.api.problems import PROBLEM, JudgmentSerializer, KeptSerializer, problem
from assess.api.rounds import COUNTS, TEXT
from assess.models import Assignment, JudgmentEvent
from assess.services.common.access import assignment_for, own_assignments
from assess.services.common.errors import Conflict
from assess.services.desk import decisions, documents, rulings
from assess.services.desk.decisions import MAX_ACTIVE_MS, MAX_LENGTHS
from assess.services.pool.content import cards_of


class DecisionsSerializer(serializers.ListSerializer[Any]):
    """Decisions that are kept together."""

    def validate(self, attrs: list[dict[str, Any]]) -> list[dict[str, Any]]:
        keys = [decision["key"] for decision in attrs if decision["key"]]
        if len(set(keys)) < len(keys):
            raise serializers.ValidationError("Each decision needs a key of its own.")
        return attrs


class DecisionSerializer(serializers.Serializer[Any]):
    """What an assessor says about one document: ``word`` is the value of a grade or an outcome, empty to take the
    judgment back. The hash is that of the text that was on screen; it must be the pool's. ``key``: a known one
    is not stored again. ``after``: the key of the judgment that was known, empty if there was none, null to replace
    any."""

    instance = KeyField(source="instance_id")
    content_hash = serializers.CharField(max_length=MAX_LENGTHS["content_hash"])
    word = serializers.CharField(max_length=MAX_LENGTHS["word"], allow_blank=True)
    comment = serializers.CharField(allow_blank=True, default="", max_length=MAX_LENGTHS["comment"])
    passage = serializers.CharField(allow_blank=True, default="", max_length=MAX_LENGTHS["passage"])
    active_ms = serializers.IntegerField(default=0, min_value=0, max_value=MAX_ACTIVE_MS)
    key = serializers.CharField(allow_blank=True, default="", max_length=MAX_LENGTHS["key"])
    after = serializers.CharField(allow_blank=True, allow_null=True, default=None, max_length=MAX_LENGTHS["after"])

    class Meta:
        list_serializer_class = DecisionsSerializer


OwnAssignmentSerializer = rows(
    Assignment,
    "id campaign=topic.campaign.slug topic=topic.topic_id title=topic.title body=topic.body",
    "A topic that you judge; ``fields``: its other texts by name.",
    "OwnAssignment",
    fields=serializers.JSONField(source="topic.fields"),
    documents=int,
    judged=int,
)
OwnItemSerializer = sends(
    "OwnItem",
    "A document as you judge it: ``instance`` and ``content_hash`` go into the decision; ``title`` and ``body`` are "
    "sanitized HTML, empty if the text is missing. ``place``: where the desk shows it.",
    place=int,
    instance=int,
    document=str,
    content_hash=str,
    title=str,
    body=str,
    url=str,
    judgment=KeptSerializer(),
)


def topics_to_judge(door: Door) -> QuerySet[Any]:
    found = own_assignments(door.person).filter(closed=None, paused=None, handed_over=None)
    return found.select_related("topic__campaign").annotate(**COUNTS).order_by("pk")


@lists("/assignments/", OwnAssignmentSerializer)
def own_assignments_open(door: Door) -> Any:
    """The topics that you can judge now."""
    return topics_to_judge(door)


@reads("/assignments/<int:pk>/", OwnAssignmentSerializer)
def own_assignment(door: Door, pk: int) -> Any:
    """One of your topics."""
    return get_object_or_404(topics_to_judge(door), pk=pk)


@lists("/assignments/<int:pk>/items/", OwnItemSerializer, pages=LargePages)
def own_items(door: Door, pk: int) -> Any:
    """The documents of one of your topics, in your order, with their hashes and your judgments."""
    assignment = assignment_for(door.person, pk)
    page = door.paginate_queryset(assignment.instance_order) or []
    known = documents.with_judgments(assignment).in_bulk(page)
    places = {entry: place for place, entry in enumerate(assignment.order, start=1)}
    cards = cards_of(assignment.campaign, assignment.topic, [known[key] for key in page])
    items = [
        {
            "place": places[card.instance.entry_id],
            "instance": card.instance.pk,
            "document": card.instance.doc_id,
            "content_hash": card.content_hash,
            "title": card.post.title if card.post else "",
            "body": card.body,
            "url": card.post.url if card.post else "",
            "judgment": decisions.as_fields(card.instance.own_judgment),
        }
        for card in cards
    ]
    return door.get_paginated_response(OwnItemSerializer(items, many=True).data)


def own_assignment_of(door: Door, pk: int) -> Assignment:
    return get_object_or_404(own_assignments(door.person), pk=pk)


@changes(
    "/assignments/<int:pk>/questions/",
    scope=JUDGE,
    status=201,
    find=own_assignment_of,
    place=serializers.IntegerField(min_value=1),
    text=TEXT,
)
def ask(door: Door, found: Assignment, place: int, text: str) -> Any:
    """Asks the organizers about the topic, at a place."""
    rulings.ask_question(found.pk, door.person, place, text)
    return "Asked."


@changes(
    "/assignments/<int:pk>/judgments/",
    scope=JUDGE,
    find=own_assignment_of,
    answers=JudgmentSerializer(many=True),
    schema={"request": DecisionSerializer(many=True)},
)
def judgments(door: Door, found: Assignment) -> Response:
    """Your own judgments in one of your assignments: all decisions are kept, or none."""
    sent = DecisionSerializer(data=door.request.data, many=True)
    sent.is_valid(raise_exception=True)
    decided = [decisions.Decision(**fields) for fields in sent.validated_data]
    try:
        kept = decisions.save_decisions(found.pk, door.person, decided).judgments
    except Conflict as error:
        [standing] = judgment_rows(found.pk, [error.instance_id], [error.standing])
        return Response(problem(409, str(error), standing=standing), status=409, content_type=PROBLEM)
    return Response(judgment_rows(found.pk, [decision.instance_id for decision in decided], kept))


def judgment_rows(
    pk: int, instances: list[int], judgments: Sequence[decisions.CurrentJudgment]
) -> list[dict[str, Any]]:
    """The judgments of documents of an assignment, each with the guide version of its last decision."""
    both = zip(instances, judgments, strict=True)
    kept: list[dict[str, Any]] = [{"instance": pk, **decisions.as_fields(each)} for pk, each in both]
    events = JudgmentEvent.objects.filter(assignment=pk, key__in=[each["key"] for each in kept])
    guides = dict(events.values_list("key", "guide"))
    return list(JudgmentSerializer([each | {"guide": guides.get(each["key"], "")} for each in kept], many=True).data)
