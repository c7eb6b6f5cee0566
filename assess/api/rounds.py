"""Rounds, who judges which topic, and their questions. For organizers."""

from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count
from django.shortcuts import get_object_or_404
from rest_framework.serializers import CharField, ChoiceField, ListField

from assess.api.doors import Door, changes, lists, rows
from assess.models import Assignment, Pool, Question, Round
from assess.services.common.access import STAFF
from assess.services.common.errors import Refused
from assess.services.desk import rulings as desk_rulings
from assess.services.rounds import assignments as service
from assess.services.rounds.progress import ArrayLength

RoundSerializer = rows(Round, "id kind name created due discussed discussion_closed")
AssignmentSerializer = rows(
    Assignment,
    "id round official created paused handed_over kind=round.kind topic=topic.topic_id assessor=assessor.username",
    "A topic of an assessor in a round: how many ``documents`` it has, and how many are ``judged``.",
    documents=int,
    judged=int,
)
QuestionSerializer = rows(
    Question,
    "id text at topic=topic.topic_id by=by.username document=instance.doc_id ruling=ruling.text",
    "``ruling``: the answer, null while the question is open.",
)
COUNTS: dict[str, Any] = {"documents": ArrayLength("instance_order"), "judged": Count("judgments")}
GIVEN = [(kind.value, kind.label) for kind in (Round.Kind.MAIN, Round.Kind.DUAL)]
TEXT = CharField(max_length=desk_rulings.MAX_LENGTH)


def frozen_pool(door: Door) -> Pool:
    return get_object_or_404(door.campaign.pools.filter(frozen__isnull=False).order_by("-version")[:1])


def assessors_named(pool: Pool, names: list[str]) -> list[User]:
    """Raises Refused."""
    known = {user.username: user for user in service.assessors_of(pool).filter(username__in=names)}
    if unknown := [name for name in names if name not in known]:
        raise Refused(f"{', '.join(unknown)} cannot judge in this campaign: invite them as assessors.")
    return [known[name] for name in dict.fromkeys(names)]


@lists("rounds/", RoundSerializer, roles=STAFF, kind="kind")
def rounds(door: Door) -> Any:
    """The rounds of a campaign, also those for training and qualification."""
    return Round.objects.filter(pool__campaign=door.campaign)


@lists("assignments/", AssignmentSerializer, topic="topic__topic_id", assessor="assessor__username", kind="round__kind")
def assignments(door: Door) -> Any:
    """Who has which topic."""
    found = Assignment.objects.filter(round__pool__campaign=door.campaign)
    return found.select_related("topic", "assessor", "round").annotate(**COUNTS).order_by("pk")


@changes(
    "assignments/",
    status=201,
    find=frozen_pool,
    assessor=str,
    topics=ListField(child=CharField(), default=list),
    kind=ChoiceField(choices=GIVEN, default=Round.Kind.MAIN),
)
def assign(door: Door, pool: Pool, assessor: str, topics: list[str], kind: str) -> Any:
    """Gives topics to an assessor, all or none; without any, all that are still open in the round."""
    [person] = assessors_named(pool, [assessor])
    chosen = list(door.campaign.topics.filter(topic_id__in=topics))
    if unknown := set(topics) - {topic.topic_id for topic in chosen}:
        raise Refused(f"The campaign has no topic {', '.join(sorted(unknown))}.")
    given = chosen if topics else service.open_topics(pool, kind, person)
    return service.assign_topics(pool, [(topic, person) for topic in given], door.person, kind)


@changes("assignments/spread/", status=201, find=frozen_pool, assessors=ListField(child=CharField(), allow_empty=False))
def spread(door: Door, pool: Pool, assessors: list[str]) -> Any:
    """Gives every topic with too few official assessors to one of these people, so that all have about as much."""
    return service.spread_open_topics(pool, assessors_named(pool, assessors), door.person)


def assignment_of(door: Door, pk: int) -> Assignment:
    current = Assignment.objects.select_related("assessor", "round__pool", "topic").filter(handed_over=None)
    return get_object_or_404(current, pk=pk, round__pool__campaign=door.campaign)


@changes("assignments/<int:pk>/", method="delete", find=assignment_of)
def assignment(door: Door, found: Assignment) -> Any:
    """Takes an assignment back, unless it is begun."""
    return service.take_back_assignments([found], door.person)


@lists("questions/", QuestionSerializer)
def questions(door: Door) -> Any:
    """All questions, the latest first."""
    found = Question.objects.filter(topic__campaign=door.campaign)
    return found.select_related("topic", "by", "instance", "ruling")


@changes(
    "questions/<int:pk>/answer/",
    find=lambda door, pk: get_object_or_404(Question, pk=pk, topic__campaign=door.campaign),
    text=TEXT,
)
def question_answer(door: Door, found: Question, text: str) -> Any:
    """Answers a question with a ruling for its topic."""
    return desk_rulings.answer_question(door.campaign, found.pk, door.person, text)
