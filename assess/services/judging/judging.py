"""Judging: what a page shows, and how a decision is kept."""

import logging
from collections.abc import Iterable
from typing import NamedTuple
from uuid import uuid4

from django.contrib.auth.models import User
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import BigIntegerField
from django.http import Http404
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from assess.ir.campaign.guide import guide_version, words_version
from assess.ir.campaign.words import OUTCOME_LABELS, outcomes
from assess.ir.common.rows import GRADES
from assess.models import Assignment, Campaign, Deferral, Judgment, JudgmentEvent
from assess.models.judging import NEEDS_COMMENT
from assess.services.common.access import assignment_for
from assess.services.common.errors import Conflict, Refused
from assess.services.common.statements import Part, Rows
from assess.services.judging import desk_rows

MAX_ACTIVE_MS = 60 * 60 * 1000
"""What a browser may report for one visit: an hour."""
MAX_WALL_MS = 31 * 24 * MAX_ACTIVE_MS
NO_TEXT = "The collection holds no text for this document."
"""The comment that a page without a text comes with: the reason for System failure, never for a grade."""
TRIES = 3
"""How often a decision is kept anew where another window of the same person was quicker."""


logger = logging.getLogger(__name__)


class Overtaken(Exception):
    """Another window changed the judgment between reading and writing it."""


class Decision(NamedTuple):
    """What an assessor says about one document.

    ``word``: a grade as text, an outcome, or empty to take back what was said. ``content_hash``: that of the page on
    which it was decided. ``key``: any text that no other decision has; one that comes again is not kept again.
    ``after``: the key of the judgment that the assessor knew of, empty where there was none, None where that does not
    matter. ``active_ms`` and ``wall_ms``: since the document was opened. ``rulings``: how many the assessor had been
    shown for the topic, None for all that there are.
    """

    instance_id: int
    content_hash: str
    word: str
    comment: str = ""
    active_ms: int = 0
    wall_ms: int = 0
    key: str = ""
    after: str | None = None
    rulings: int | None = None

    @property
    def kept_comment(self) -> str:
        comment = self.comment.strip()
        is_filled_in = self.word.isdigit() and comment == NO_TEXT
        return comment if self.word and not is_filled_in else ""

    def is_said_by(self, kept: Judgment | JudgmentEvent) -> bool:
        """Whether that says the same of the same document."""
        said = (self.instance_id, self.word, self.kept_comment)
        return said == (kept.instance_id, kept.decision, kept.comment)

    def knows_of(self, standing: Judgment | None) -> bool:
        """Whether it was made knowing of what stands."""
        return self.after in (None, standing.key if standing else "")

    def said_anew(self) -> "Decision":
        """For a page that said something else with this key before: it knows of that, and takes another key."""
        return self._replace(key="", after=self.key)


def allowed_words(campaign: Campaign) -> list[str]:
    """The grades and outcomes an assessor of this campaign can choose."""
    return [*map(str, GRADES), *outcomes(campaign.rules.task)]


class Kept(NamedTuple):
    """What stands after a save: of each decision the judgment, None where it was taken back. ``rows``: of the place
    that is wanted next, where they came with the save."""

    assignment: Assignment
    judgments: list[Judgment | None]
    rows: Rows | None = None


def record(pk: int, by: User, decisions: Iterable[Decision], want: int = 0) -> Kept:
    """Keep what an assessor decided in an assignment, with one event for each change. All of the decisions or none.
    ``want`` is the place that is opened next, 0 for none; where it cannot be read, the decisions are kept without it.

    Raises Http404 where it is not this person's assignment; Refused where a document is not in it or was shown with
    another content, a word is not allowed, or a comment is missing; Conflict where the person had decided something
    else meanwhile.
    """
    decisions = list(decisions)
    for attempt in range(TRIES):
        try:
            return keep_all(pk, by, decisions, want, is_again=attempt > 0)
        except (IntegrityError, Overtaken):
            continue
        except DatabaseError:
            if not want:
                raise
            logger.exception("Cannot read place %s of assignment %s with a save", want, pk)
            want = 0
    raise Refused(_("Somebody saves the same judgments again and again. Nothing was saved; try it once more."))


def assignment_of(by: User, pk: int) -> Assignment:
    """A person's own, also one that was taken back: what was judged till then may arrive later. Raises Http404."""
    return opened(by, pk)[0]


def opened(by: User, pk: int, instance_id: int = 0) -> tuple[Assignment, desk_rows.Document | None]:
    """The same with one of its documents. Raises Http404."""
    found = desk_rows.assignment(by, pk, instance_id) if pk <= BigIntegerField.MAX_BIGINT else None
    if found is None:
        raise Http404
    return found


def keep_all(pk: int, by: User, decisions: list[Decision], want: int, *, is_again: bool) -> Kept:
    """The first decision is looked up before the transaction: where it is the only one, as from the desk, the
    transaction holds little, and nobody waits for it. ``is_again``: one of them could not be written, perhaps
    because it came before."""
    if not decisions:
        return Kept(assignment_of(by, pk), [])
    first, *others = decisions
    assignment, document = opened(by, pk, first.instance_id)
    change = change_of(assignment, document, by, first, is_again)
    with desk_rows.turn(), desk_rows.whole(is_one_insert=not others and change.old is None):
        judgment, rows = write(change, None if others else wanted(assignment, want))
        kept = [judgment]
        for decision in others:
            _same, document = opened(by, pk, decision.instance_id)
            kept.append(write(change_of(assignment, document, by, decision, is_again))[0])
    return Kept(assignment, kept, rows)


def wanted(assignment: Assignment, place: int) -> Part | None:
    """What finds the rows of a place, if it may be shown."""
    if assignment.closed or not 1 <= place <= len(assignment.order):
        return None
    return desk_rows.of_item(assignment, assignment.order[place - 1])


class Change(NamedTuple):
    """What a decision changes: nothing where there is no event. ``old`` is the judgment that it replaces."""

    old: Judgment | None
    event: JudgmentEvent | None


def change_of(
    assignment: Assignment,
    document: desk_rows.Document | None,
    by: User,
    decision: Decision,
    is_again: bool,
) -> Change:
    old = checked(assignment, document, decision)
    first: Judgment | JudgmentEvent | None = old
    if old is None or decision.key != old.key:
        first = came_before(assignment, decision) if is_again or not decision.knows_of(old) else None
    if first and not decision.is_said_by(first):
        decision, first = decision.said_anew(), None
    if first or is_known(assignment, decision, old):
        return Change(old, None)
    return Change(old, event_of(assignment, by, decision, old))


def event_of(assignment: Assignment, by: User, decision: Decision, old: Judgment | None) -> JudgmentEvent:
    current = assignment.topic.ruling_version
    return JudgmentEvent(
        assignment_id=assignment.pk,
        instance_id=decision.instance_id,
        by=by,
        old_decision=old.decision if old else "",
        old_comment=old.comment if old else "",
        decision=decision.word,
        comment=decision.kept_comment,
        key=decision.key or str(uuid4()),
        active_ms=min(max(decision.active_ms, 0), MAX_ACTIVE_MS),
        wall_ms=min(max(decision.wall_ms, 0), MAX_WALL_MS),
        content_hash=decision.content_hash,
        guide=guide_version(
            words_version(assignment.round.pool.campaign.rules, get_language() or "", _),
            current if decision.rulings is None else min(decision.rulings, current),
        ),
    )


def write(change: Change, then: Part | None = None) -> tuple[Judgment | None, Rows | None]:
    """The judgment as the event says, None where it was taken back; and what ``then`` finds, where it cost no way of
    its own. Raises Overtaken where another window was quicker."""
    old, event = change
    if event is None:
        return old, None
    if not event.decision:
        desk_rows.insert(event)
        if old and not Judgment.objects.filter(pk=old.pk, key=old.key).delete()[0]:
            raise Overtaken
        return None, None
    is_grade = event.decision.isdigit()
    new = Judgment(assignment_id=event.assignment_id, instance_id=event.instance_id)
    new.grade, new.outcome = (int(event.decision), "") if is_grade else (None, event.decision)
    new.comment, new.key = event.comment, event.key
    new.active_ms = event.active_ms + (old.active_ms if old else 0)
    if old is None:
        return new, desk_rows.insert(event, new, then=then)
    desk_rows.insert(event)
    fields = {name: getattr(new, name) for name in ("grade", "outcome", "comment", "key", "active_ms")}
    if not Judgment.objects.filter(pk=old.pk, key=old.key).update(**fields, changed=timezone.now()):
        raise Overtaken
    return new, None


def came_before(assignment: Assignment, decision: Decision) -> JudgmentEvent | None:
    """What has been kept by its key."""
    return JudgmentEvent.objects.filter(assignment=assignment.pk, key=decision.key).first()


def is_known(assignment: Assignment, decision: Decision, old: Judgment | None) -> bool:
    """Whether there is nothing to keep: it says what stands already. Raises Conflict where something else was decided
    that the assessor did not know of."""
    is_same = decision.is_said_by(old) if old else not decision.word
    if decision.knows_of(old):
        return is_same and (old is None or not (decision.active_ms or decision.key))
    if is_same:
        return True
    if old is None and last_key(assignment, decision.instance_id) in ("", decision.after):
        return False
    raise Conflict(decision.instance_id, old)


def last_key(assignment: Assignment, instance_id: int) -> str:
    """Of the last decision on a document, also where that took a judgment back; empty before the first one."""
    events = JudgmentEvent.objects.filter(assignment=assignment.pk, instance=instance_id)
    return events.order_by("-pk").values_list("key", flat=True).first() or ""


def checked(assignment: Assignment, document: desk_rows.Document | None, decision: Decision) -> Judgment | None:
    """What stands of the document, if the decision can stand."""
    if document is None:
        raise Refused(_("That document is not in this assignment. Reload the page."))
    if document.content_hash != decision.content_hash:
        raise Refused(_("The page showed another text than the pool holds. Nothing was saved; reload the page."))
    if decision.word and decision.word not in allowed_words(assignment.round.pool.campaign):
        raise Refused(_("%(word)r is neither a grade nor an outcome here.") % {"word": decision.word})
    if decision.word in NEEDS_COMMENT and not decision.kept_comment:
        raise Refused(_("%(outcome)s needs a comment that says why.") % {"outcome": _(OUTCOME_LABELS[decision.word])})
    return document.judgment


@transaction.atomic
def defer(pk: int, by: User, place: int, is_deferred: bool = True) -> Assignment:
    """Put an entry off until all others are judged, or no longer. Raises Http404, and IndexError for a place that
    there is not."""
    assignment = assignment_for(by, pk, lock=True)
    if not 1 <= place <= len(assignment.order):
        raise IndexError(place)
    entry_id = assignment.order[place - 1]
    if is_deferred:
        Deferral.objects.get_or_create(assignment=assignment, entry_id=entry_id)
    else:
        assignment.deferrals.filter(entry=entry_id).delete()
    return assignment
