"""Questions of assessors about a topic, and the rulings of organizers that answer them.

A ruling is for whoever judges the topic; it says neither who asked nor who else judges."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from assess.ir.campaign.guide import rulings_known
from assess.models import Assignment, Campaign, Question, Ruling, RulingSeen, Topic
from assess.services.common.access import assignment_for
from assess.services.common.errors import Refused

MOST_WORDS = 2000
"""The most characters of a question or a ruling."""


class Posted(NamedTuple):
    """A ruling as an assessor sees it. ``earlier``: the words that it supersedes, the latest first; ``asked``: the
    assessor's own question that it answers; ``before``: how many own entries with a judgment from before it there
    are; both are none once the assessor has seen it, as ``is_new`` tells."""

    ruling: Ruling
    earlier: list[Ruling]
    asked: str
    is_new: bool
    before: int


class Asked(NamedTuple):
    """An assessor's own question without an answer. ``place``: where it was asked, 0 where that is no more."""

    place: int
    text: str
    at: datetime


def said(text: str) -> str:
    """The words of a question or a ruling. Raises Refused where there are none or too many."""
    text = text.replace("\0", "").strip()  # which PostgreSQL cannot keep
    if not text:
        raise Refused(_("Nothing was written."))
    if len(text) > MOST_WORDS:
        raise Refused(
            _("At most %(most)d characters, please: these are %(length)d.") % {"most": MOST_WORDS, "length": len(text)}
        )
    return text


def ask(pk: int, by: User, place: int, text: str, instance_id: int = 0) -> Question:
    """An assessor's question at a place of their assignment. Raises Http404 where it is not theirs, IndexError for a
    place that there is not, Refused without words."""
    assignment = assignment_for(by, pk)
    if not 1 <= place <= len(assignment.order):
        raise IndexError(place)
    entry = assignment.round.pool.entries.get(pk=assignment.order[place - 1])
    return Question.objects.create(
        topic=assignment.topic,
        by=by,
        assignment=assignment,
        entry=entry,
        instance=entry.instances.filter(pk=instance_id).first(),
        text=said(text),
    )


@transaction.atomic
def rule(topic: Topic, by: User, text: str, *, instead_of: Ruling | None = None) -> Ruling:
    """An organizer's ruling for a topic, new or instead of one that then holds no longer."""
    text = said(text)
    # First, and so one after the other: the version of a topic when a ruling was made is its place among them.
    Topic.objects.filter(pk=topic.pk).update(ruling_version=F("ruling_version") + 1)
    return Ruling.objects.create(topic=topic, by=by, text=text, supersedes=instead_of)


@transaction.atomic
def answer(campaign: Campaign, pk: int, by: User, text: str) -> Ruling:
    """Answer a question with a ruling. Raises Http404 for a question of another campaign, Refused for one that is
    answered."""
    found = Question.objects.select_for_update(of=("self",)).select_related("topic")
    question = get_object_or_404(found, pk=pk, topic__campaign=campaign)
    if question.ruling_id:
        raise Refused("This question was answered meanwhile. Change that ruling instead.")
    question.ruling = rule(question.topic, by, text)
    question.save(update_fields=["ruling"])
    return question.ruling


@transaction.atomic
def change(campaign: Campaign, pk: int, by: User, text: str) -> Ruling:
    """Put a new ruling in the place of one; what that answered, the new one answers. Raises Http404 for a ruling of
    another campaign, Refused for one that holds no longer and for the same words."""
    found = Ruling.objects.select_for_update(of=("self",)).select_related("topic")
    old = get_object_or_404(found, pk=pk, topic__campaign=campaign)
    if Ruling.objects.filter(supersedes=old).exists():
        raise Refused("This ruling was changed meanwhile. Look at its present words first.")
    if said(text) == old.text:
        raise Refused("These are the words that hold already.")
    new = rule(old.topic, by, text, instead_of=old)
    old.questions.update(ruling=new)
    return new


def ruling_for(assignment: Assignment, pk: int) -> Ruling:
    """A ruling of the assignment's topic; any other is not found."""
    return get_object_or_404(assignment.topic.rulings, pk=pk)


def look_again(pk: int, by: User, ruling_pk: int) -> Assignment:
    """The assessor has seen a ruling and what they judged before it."""
    assignment = assignment_for(by, pk)
    RulingSeen.objects.get_or_create(assignment=assignment, ruling=ruling_for(assignment, ruling_pk))
    return assignment


def entries_before(assignment: Assignment, ruling: Ruling) -> set[int]:
    """The entries with a judgment that stands and was made before its assessor had seen a ruling."""
    number = Ruling.objects.filter(topic=ruling.topic_id, pk__lte=ruling.pk).count()
    return judged_before(known_when_judged(assignment), number)


def known_when_judged(assignment: Assignment) -> list[tuple[int, int]]:
    """Of each judgment that stands its entry, and how many rulings its assessor had been shown; one query."""
    standing = assignment.events.filter(key__in=assignment.judgments.values("key"))
    return [(entry, rulings_known(guide)) for entry, guide in standing.values_list("instance__entry_id", "guide")]


def judged_before(judged: Iterable[tuple[int, int]], number: int) -> set[int]:
    """The entries judged without the ruling of that number, the first of its topic being 1."""
    return {entry for entry, known in judged if known < number}


def posted(assignment: Assignment) -> list[Posted]:
    """The rulings that hold for the topic, the latest first, in four queries; in none where there never was one."""
    if not assignment.topic.ruling_version:
        return []
    found = list(assignment.topic.rulings.all())
    seen = set(assignment.rulings_seen.values_list("ruling_id", flat=True))
    asked = assignment.questions.filter(ruling__isnull=False).values_list("ruling_id", "text")
    questions = dict(asked.order_by("pk"))
    judged = known_when_judged(assignment)
    numbers = {pk: number for number, pk in enumerate(sorted(one.pk for one in found), start=1)}
    old = {one.supersedes_id for one in found}
    return [
        Posted(
            one,
            chain(one, found),
            questions.get(one.pk, ""),
            one.pk not in seen,
            0 if one.pk in seen else len(judged_before(judged, numbers[one.pk])),
        )
        for one in found
        if one.pk not in old
    ]


def chain(ruling: Ruling, among: Iterable[Ruling]) -> list[Ruling]:
    """The rulings that one supersedes, the latest first."""
    by_pk, earlier = {one.pk: one for one in among}, []
    while ruling.supersedes_id:
        ruling = by_pk[ruling.supersedes_id]
        earlier.append(ruling)
    return earlier


def open_questions(assignment: Assignment) -> list[Asked]:
    """The assessor's own questions that nobody has answered yet, the oldest first; one query."""
    places = {entry: place for place, entry in enumerate(assignment.order, start=1)}
    found = assignment.questions.filter(ruling=None).order_by("pk")
    return [Asked(places.get(one.entry_id or 0, 0), one.text, one.at) for one in found]
