"""Questions of assessors about a topic, and the rulings of organizers that answer them; and the guidelines, which may
change as long as people judge.

A ruling is for all who judge the topic, or all topics of the campaign; it shows neither who asked nor who else
judges."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, F, Func, OuterRef, Q, QuerySet, Subquery
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from assess import models
from assess.ir.campaign.protocol import rulings_known
from assess.models import Action, Assignment, Campaign, Question, Ruling, Topic
from assess.services.campaign.campaigns import checked_rules, settings_version
from assess.services.common import history
from assess.services.common.access import assignment_for
from assess.services.common.errors import Refused
from assess.services.desk.documents import entry_at

MAX_LENGTH = 2000
"""Of a question or a ruling, in characters."""


class Posted(NamedTuple):
    """A ruling as an assessor sees it. ``earlier``: the rulings that it supersedes, the latest first; ``asked``: the
    assessor's own question that it answers; ``is_new``: not seen yet; ``before``: how many of the assessor's entries
    were judged before it, 0 once it is seen."""

    ruling: Ruling
    earlier: list[Ruling]
    asked: str
    is_new: bool
    before: int


def checked_text(text: str) -> str:
    """The text of a question or a ruling. Raises Refused if it is empty or too long."""
    text = text.replace("\0", "").strip()  # PostgreSQL cannot store it
    if not text:
        raise Refused(_("Write something first."))
    if len(text) > MAX_LENGTH:
        words = {"most": MAX_LENGTH, "length": len(text)}
        raise Refused(_("Too long: %(length)d characters of at most %(most)d.") % words)
    return text


def ask_question(pk: int, by: User, place: int, text: str, instance_id: int = 0) -> Question:
    """Store an assessor's question at a place of their assignment. Raises Http404 if there is none, and Refused as
    `checked_text` does."""
    assignment = assignment_for(by, pk, changes=True)
    entry = assignment.round.pool.entries.get(pk=entry_at(assignment, place))
    about = {"topic": assignment.topic, "entry": entry, "instance": entry.instances.filter(pk=instance_id).first()}
    return Question.objects.create(by=by, assignment=assignment, text=checked_text(text), **about)


@transaction.atomic
def store_ruling(about: Topic | Campaign, by: User, text: str, *, supersedes: Ruling | None = None) -> Ruling:
    """Store an organizer's ruling for a topic, or for all topics of a campaign; new or in place of another."""
    text = checked_text(text)
    kind, topics = "topic", Topic.every.filter(pk=about.pk)
    if isinstance(about, Campaign):
        Campaign.objects.select_for_update().get(pk=about.pk)  # no topics are imported meanwhile
        kind, topics = "campaign", Topic.every.filter(campaign=about)
    # Comes first, so that rulings are made one after the other: a topic's version is the number of its latest ruling.
    topics.update(ruling_version=F("ruling_version") + 1)
    return Ruling.objects.create(**{kind: about}, by=by, text=text, supersedes=supersedes)


def note_ruling(campaign: Campaign, ruling: Ruling, done: str, effect: str) -> Action:
    whose = ruling.topic or "all topics"
    return history.note(ruling.by, f"{done}. Assessors of {whose} {effect}", campaign, page="questions")


@transaction.atomic
def make_ruling(campaign: Campaign, topic: Topic | None, by: User, text: str) -> Action:
    """For a topic, or without one for all topics of the campaign."""
    ruling = store_ruling(topic or campaign, by, text)
    return note_ruling(campaign, ruling, "Ruling added", "see it beside their items")


def rulings_of(topic: Topic) -> QuerySet[Ruling]:
    """All rulings ever made for a topic, also those for all topics of its campaign."""
    return Ruling.objects.filter(Q(topic=topic) | Q(campaign=topic.campaign_id))


@transaction.atomic
def answer_question(campaign: Campaign, pk: int, by: User, text: str) -> Action:
    """Answer a question with a ruling. Raises Http404 for a question of another campaign, Refused if it is already
    answered."""
    locked = Question.objects.select_for_update(of=("self",)).select_related("topic")
    question = get_object_or_404(locked, pk=pk, topic__campaign=campaign)
    if question.ruling_id:
        raise Refused("This question has already been answered. Change that ruling instead.")
    question.ruling = store_ruling(question.topic, by, text)
    question.save(update_fields=["ruling"])
    return note_ruling(campaign, question.ruling, "Answered", "see it as a ruling")


@transaction.atomic
def change_ruling(campaign: Campaign, pk: int, by: User, text: str) -> Action:
    """Replace a ruling by a new one, which then answers the same questions. Raises Http404 for a ruling of another
    campaign, Refused if it has already been replaced or the text is the same."""
    locked = Ruling.objects.select_for_update(of=("self",)).select_related("topic")
    old = get_object_or_404(locked, Q(topic__campaign=campaign) | Q(campaign=campaign), pk=pk)
    if Ruling.objects.filter(supersedes=old).exists():
        raise Refused("This ruling has already been changed. Read its current text first.")
    if checked_text(text) == old.text:
        raise Refused("The text is the same as before.")
    new = store_ruling(old.topic or campaign, by, text, supersedes=old)
    old.questions.update(ruling=new)
    return note_ruling(campaign, new, "Ruling changed", "see the new one and are asked to review earlier judgments")


def count_new_rulings(assignments: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """The same with ``new_rulings``: how many in force for its topic each assessor has not marked as reviewed."""
    about = Q(topic=OuterRef("topic")) | Q(campaign=OuterRef("topic__campaign"))
    seen = models.RulingSeen.objects.filter(ruling=OuterRef("pk"), assignment=OuterRef(OuterRef("pk")))
    new = Ruling.objects.filter(about, ~Exists(seen), superseded_by=None).order_by()
    return assignments.annotate(new_rulings=Subquery(new.annotate(count=Func("pk", function="COUNT")).values("count")))


def ruling_for(assignment: Assignment, pk: int) -> Ruling:
    """A ruling for the assignment's topic. Raises Http404 for any other."""
    return get_object_or_404(rulings_of(assignment.topic), pk=pk)


def mark_ruling_seen(pk: int, by: User, ruling_pk: int) -> Assignment:
    assignment = assignment_for(by, pk, changes=True)
    models.RulingSeen.objects.get_or_create(assignment=assignment, ruling=ruling_for(assignment, ruling_pk))
    return assignment


def entries_before(assignment: Assignment, ruling: Ruling) -> set[int]:
    """The entries judged before the assessor had seen a ruling."""
    number = rulings_of(assignment.topic).filter(pk__lte=ruling.pk).count()
    return {entry for entry, known in known_when_judged(assignment) if known < number}


def known_when_judged(assignment: Assignment) -> list[tuple[int, int]]:
    """For each current judgment its entry, and how many rulings the assessor had been shown; one query."""
    current = assignment.events.filter(key__in=assignment.judgments.values("key"))
    return [(entry, rulings_known(guide)) for entry, guide in current.values_list("instance__entry_id", "guide")]


def rulings_for_assessor(assignment: Assignment) -> list[Posted]:
    """The rulings in force for the topic, the latest first: four queries, none if there never was a ruling."""
    if not assignment.topic.ruling_version:
        return []
    rulings = list(rulings_of(assignment.topic))
    seen = set(assignment.rulings_seen.values_list("ruling_id", flat=True))
    questions = dict(assignment.questions.exclude(ruling=None).order_by("pk").values_list("ruling_id", "text"))
    judged = known_when_judged(assignment)
    numbers = {pk: number for number, pk in enumerate(sorted(ruling.pk for ruling in rulings), start=1)}
    posted = []
    for ruling, earlier in rulings_in_force(rulings):
        is_new = ruling.pk not in seen
        before = {entry for entry, known in judged if is_new and known < numbers[ruling.pk]}
        posted.append(Posted(ruling, earlier, questions.get(ruling.pk, ""), is_new, len(before)))
    return posted


def rulings_in_force(rulings: Iterable[Ruling]) -> list[tuple[Ruling, list[Ruling]]]:
    """The rulings that no other supersedes, each with those that it supersedes, the latest first."""
    by_pk, chains = {ruling.pk: ruling for ruling in rulings}, []
    superseded = {ruling.supersedes_id for ruling in by_pk.values()}
    for last in (ruling for ruling in by_pk.values() if ruling.pk not in superseded):
        chain = [last]
        while chain[-1].supersedes_id:
            chain.append(by_pk[chain[-1].supersedes_id])
        chains.append((last, chain[1:]))
    return chains


def open_questions(assignment: Assignment) -> list[tuple[int, Question]]:
    """The assessor's own unanswered questions, the oldest first, with the places where they were asked; one query."""
    places = {entry: place for place, entry in enumerate(assignment.order, start=1)}
    questions = assignment.questions.filter(ruling=None).order_by("pk")
    return [(places[question.entry_id], question) for question in questions if question.entry_id in places]


def is_note_needed(campaign: Campaign) -> bool:
    """Whether the main round has begun: then a change of the guidelines is said to those who have judged."""
    events = models.JudgmentEvent.objects.filter(assignment__topic__campaign=campaign)
    return events.filter(assignment__round__kind__in=models.Round.OFFICIAL).exists()


@transaction.atomic
def change_guidelines(campaign: Campaign, texts: Sequence[str], note: str, by: User, *, seen: str) -> Action | None:
    """Change the guidelines, also of a frozen pool. Once the main round has begun, ``note`` becomes a ruling about all
    topics, which assessors see at once. Raises Refused without it, if a guideline is too long, or if the settings are
    no longer what somebody has ``seen`` (their `settings_version`)."""
    current = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if seen != settings_version(current):
        raise Refused("The settings were changed after you opened this page. Nothing was saved.")
    try:
        rules = checked_rules(current.rules.to_dict() | {"guidelines": list(texts)})
    except ValueError as error:
        raise Refused(str(error)) from error
    if rules == current.rules:
        return None
    if is_note_needed(current):
        store_ruling(current, by, note)
    Campaign.objects.filter(pk=current.pk).update(protocol=rules.to_dict())
    return history.note(by, "Guidelines changed", campaign, reason=note, page="guidelines")
