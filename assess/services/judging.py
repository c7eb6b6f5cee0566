"""Judging: what a page shows, and how a decision is kept."""

from collections.abc import Iterable
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction

from assess.ir.allocation import presentation_order
from assess.ir.presets import outcomes
from assess.ir.rows import GRADES
from assess.models import Assignment, Campaign, Instance, Judgment, JudgmentEvent, PoolEntry, Topic
from assess.models.judging import NEEDS_COMMENT
from assess.services.errors import Refused
from assess.services.shown import Shown, shown

MAX_ACTIVE_MS = 60 * 60 * 1000
"""What a browser may report for one visit: an hour."""
NO_TEXT = "The collection holds no text for this document."
"""The comment that a page without a text comes with: the reason for System failure, never for a grade."""


class Card(NamedTuple):
    """A candidate with the assessor's judgment of it, if there is one."""

    shown: Shown
    judgment: Judgment | None


class Page(NamedTuple):
    """One place of an assignment. ``place`` is 1-based; ``first_open`` is the first place with something left to
    judge, None when all is done."""

    assignment: Assignment
    campaign: Campaign
    topic: Topic
    entry: PoolEntry
    cards: list[Card]
    place: int
    total: int
    judged: int
    first_open: int | None


class Decision(NamedTuple):
    """What an assessor says about one document. ``word`` is a grade as text or an outcome; ``content_hash`` is
    that of the page on which it was decided."""

    instance_id: int
    content_hash: str
    word: str
    comment: str = ""
    active_ms: int = 0


def open_page(assignment: Assignment, place: int) -> Page:
    """What the assessor sees at a place. Raises IndexError for a place that there is not."""
    if not 1 <= place <= len(assignment.order):
        raise IndexError(place)
    pool = assignment.round.pool
    entry = PoolEntry.objects.prefetch_related("instances").get(pk=assignment.order[place - 1], pool=pool)
    judgments = {one.instance_id: one for one in assignment.judgments.filter(instance__entry=entry)}
    candidates = shown(pool.campaign, assignment.topic, presented(assignment, entry))
    finished = finished_entries(assignment)
    return Page(
        assignment,
        pool.campaign,
        assignment.topic,
        entry,
        [Card(candidate, judgments.get(candidate.instance.pk)) for candidate in candidates],
        place,
        len(assignment.order),
        len(finished),
        first_open(assignment, finished, place),
    )


def presented(assignment: Assignment, entry: PoolEntry) -> list[Instance]:
    """The documents of an entry in an order that says nothing about their votes, for each assessor another."""
    instances = {instance.doc_id: instance for instance in entry.instances.all()}
    order = presentation_order(
        instances, assignment.round.pool.seed, assignment.assessor.username, f"{assignment.topic} {entry.unit_id}"
    )
    return [instances[doc_id] for doc_id in order]


def finished_entries(assignment: Assignment) -> set[int]:
    """The entries of which every document has been judged."""
    open_ids = (
        Instance.objects.filter(entry__pool=assignment.round.pool, entry__topic=assignment.topic)
        .exclude(judgments__in=assignment.judgments.all())
        .values_list("entry_id", flat=True)
    )
    return set(assignment.order) - set(open_ids)


def first_open(assignment: Assignment, finished: set[int], after: int = 0) -> int | None:
    """The next place after this one with something left to judge; failing that, the first before it."""
    places = [n for n, entry in enumerate(assignment.order, start=1) if entry not in finished]
    return next((n for n in places if n > after), next((n for n in places if n != after), None))


def allowed_words(campaign: Campaign) -> list[str]:
    """The grades and outcomes an assessor of this campaign can choose."""
    return [*map(str, GRADES), *outcomes(campaign.rules.task)]


@transaction.atomic
def record(assignment: Assignment, by: User, decisions: Iterable[Decision]) -> list[Judgment]:
    """Keep what an assessor decided, with one event for each change. All of the decisions or none.

    Raises Refused where the person is not the assessor, a document is not in the assignment or was shown
    with another content, a word is not allowed, or a comment is missing.
    """
    if assignment.assessor_id != by.pk:
        raise Refused("Only the assessor of a topic can judge it.")
    # Locks the assignment, so that two windows of one assessor take turns.
    found = Assignment.objects.select_for_update(of=("self",)).select_related("round__pool__campaign", "topic")
    locked = found.filter(pk=assignment.pk).first()
    if locked is None:
        raise Refused("This topic has been taken back. Nothing was saved; ask an organizer.")
    allowed = allowed_words(locked.round.pool.campaign)
    return [keep(locked, by, decision, allowed) for decision in decisions]


def keep(assignment: Assignment, by: User, decision: Decision, allowed: list[str]) -> Judgment:
    instance = checked(assignment, decision, allowed)
    is_grade = decision.word.isdigit()
    comment = decision.comment.strip()
    if is_grade and comment == NO_TEXT:
        comment = ""
    active_ms = min(max(decision.active_ms, 0), MAX_ACTIVE_MS)
    old = Judgment.objects.filter(assignment=assignment, instance=instance).first()
    new = old or Judgment(assignment=assignment, instance=instance)
    before = (old.decision, old.comment) if old else ("", "")
    new.grade, new.outcome = (int(decision.word), "") if is_grade else (None, decision.word)
    new.comment = comment
    new.active_ms += active_ms
    if old and before == (new.decision, comment) and not active_ms:
        return old
    new.save()
    JudgmentEvent.objects.create(
        assignment=assignment,
        instance=instance,
        by=by,
        old_decision=before[0],
        old_comment=before[1],
        decision=new.decision,
        comment=comment,
        active_ms=active_ms,
        content_hash=decision.content_hash,
    )
    return new


def checked(assignment: Assignment, decision: Decision, allowed: list[str]) -> Instance:
    """The document that the decision is about, if the decision can stand."""
    instance = Instance.objects.filter(
        pk=decision.instance_id, entry__pool=assignment.round.pool, entry__topic=assignment.topic
    ).first()
    if instance is None:
        raise Refused("That document is not in this assignment. Reload the page.")
    if instance.content_hash != decision.content_hash:
        raise Refused("The page showed another text than the pool holds. Nothing was saved; reload the page.")
    if decision.word not in allowed:
        raise Refused(f"{decision.word!r} is neither a grade nor an outcome here.")
    if decision.word in NEEDS_COMMENT and not decision.comment.strip():
        raise Refused("System failure and Do not know need a comment that says why.")
    return instance
