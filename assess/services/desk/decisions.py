"""How a decision is kept, and sent back once an organizer has mended why it has no grade."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from uuid import uuid4

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from assess.ir.campaign.protocol import guide_version, words_version
from assess.ir.campaign.scale import is_grade
from assess.ir.collection.html import display, plain_text
from assess.models import Action, Assignment, Deferral, Instance, Judgment, JudgmentEvent, Pool
from assess.services.common import history
from assess.services.common.access import assignment_for, own_assignments, require_open
from assess.services.common.errors import Conflict, Refused
from assess.services.common.wording import number, shares
from assess.services.desk.documents import entry_at, with_judgments
from assess.services.pool.content import cards_of

MAX_ACTIVE_MS = 60 * 60 * 1000
"""What a browser may report for one visit: an hour."""
MAX_WALL_MS = 31 * 24 * MAX_ACTIVE_MS
NO_TEXT = "The collection holds no text for this document."
"""The comment filled in for a document without a text: a reason for System failure, never for a grade."""
MAX_LENGTHS = {"content_hash": 64, "key": 36, "after": 36, "word": 20, "comment": 5000, "passage": 1000}
"""The most characters of each text of a decision."""
CurrentJudgment = Judgment | JudgmentEvent | None
"""What a decision has become: the judgment, None if it was taken back; after a hand-over, the event."""


class Decision(NamedTuple):
    """An assessor's decision on one document.

    ``word``: a grade as text, an outcome, or empty to take the judgment back. ``content_hash``: that of the page on
    which it was decided. ``key``: any text that no other decision has; one that comes again is not kept again.
    ``after``: the key of the judgment that the assessor knew of, empty if there was none, None if that does not
    matter. ``active_ms`` and ``wall_ms``: since the document was opened. ``rulings``: how many the assessor had been
    shown for the topic, None for all that there are. ``passage``: a part of the document, formulas between dollar
    signs.
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
    passage: str = ""

    @property
    def kept_comment(self) -> str:
        comment = self.comment.strip()
        is_filled_in = is_grade(self.word) and comment == NO_TEXT
        return comment if self.word and not is_filled_in else ""

    @property
    def kept_passage(self) -> str:
        return self.passage.strip() if self.word else ""

    def is_same_as(self, kept: CurrentJudgment) -> bool:
        """Whether the stored decision is the same, on the same document."""
        if kept is None:
            return not self.word
        decision = (self.instance_id, self.word, self.kept_comment, self.kept_passage)
        return decision == (kept.instance_id, kept.decision, kept.comment, kept.passage)

    def repeats(self, current: Judgment | None) -> bool:
        """Whether there is nothing to store: no other decision, and no time or key that belongs to it."""
        is_more = self.knows_of(current) and (self.active_ms or self.key)
        return self.is_same_as(current) and (current is None or not is_more)

    def knows_of(self, current: Judgment | None) -> bool:
        """Whether the assessor knew of the current judgment."""
        return self.after in (None, current.key if current else "")


def as_fields(judgment: CurrentJudgment) -> dict[str, str]:
    """A judgment as the desk's script and programs get it; without one, all is empty."""
    if judgment is None:
        return {"word": "", "comment": "", "passage": "", "key": ""}
    texts = {"comment": judgment.comment, "passage": judgment.passage, "key": judgment.key}
    return {"word": judgment.decision, **texts}


class SaveResult(NamedTuple):
    """What each decision has become. ``instances``: those of the decisions and of the place that is wanted next."""

    assignment: Assignment
    judgments: Sequence[CurrentJudgment]
    instances: Iterable[Instance]


def save_decisions(pk: int, by: User, decisions: Iterable[Decision], want: int = 0) -> SaveResult:
    """Store what an assessor decided in an assignment, with one event per change: all of the decisions or none.
    ``want`` is the place that is opened next, 0 for none. An assignment that was paused or taken back accepts
    decisions, too: they may have been made before. One that was handed over keeps them as events only.

    Raises Http404 if it is not this person's assignment; Refused if a document is not in it or was shown with other
    content, a word is not allowed, or a comment is missing; Conflict if the person has decided something else
    meanwhile.
    """
    decisions = list(decisions)
    try:
        return save_all_or_none(pk, by, decisions, want)
    except IntegrityError:  # one of them came before
        return save_all_or_none(pk, by, decisions, want, is_again=True)


def save_all_or_none(pk: int, by: User, decisions: list[Decision], want: int, *, is_again: bool = False) -> SaveResult:
    assignment = get_object_or_404(own_assignments(by).select_related("round", "topic__campaign"), pk=pk)
    require_open(assignment.campaign)
    needed = Q(pk__in=[decision.instance_id for decision in decisions])
    if 1 <= want <= len(assignment.order):
        needed |= Q(entry=assignment.order[want - 1])
    judgments: list[CurrentJudgment] = []
    with transaction.atomic():
        # Locked, so that two windows of its assessor and a hand-over take turns; read before, because it is large and
        # SQLite has only one write lock.
        locked = Assignment.every.select_for_update(no_key=True).filter(pk=pk)
        assignment.handed_over = locked.values_list("handed_over", flat=True).get()
        instances = {instance.pk: instance for instance in with_judgments(assignment).filter(needed)}
        for decision in decisions:
            instance = instance_to_judge(assignment, instances.get(decision.instance_id), decision)
            if assignment.handed_over:
                event = event_with_key(assignment, decision.key)
                judgments.append(event or store_event(assignment, decision, instance.own_judgment, late=True))
            else:
                instance.own_judgment = save_decision(assignment, decision, instance.own_judgment, is_again)
                judgments.append(instance.own_judgment)
    return SaveResult(assignment, judgments, instances.values())


def instance_to_judge(assignment: Assignment, instance: Instance | None, decision: Decision) -> Instance:
    """The document of a decision, if that can be kept."""
    if instance is None or instance.pk not in assignment.instance_order:
        raise Refused(_("That document is not in this assignment. Reload the page."))
    if instance.content_hash != decision.content_hash:
        raise Refused(_("The page showed another text than the pool holds. Nothing was saved; reload the page."))
    rules = assignment.campaign.rules
    if decision.word and decision.word not in rules.names:
        raise Refused(_("%(word)r is neither a grade nor an outcome here.") % {"word": decision.word})
    if decision.word in rules.commented and not decision.kept_comment:
        raise Refused(_("%(outcome)s needs a comment that says why.") % {"outcome": _(rules.names[decision.word])})
    if assignment.round.is_settling and is_grade(decision.word) and not decision.kept_comment:
        raise Refused(_("A settled grade needs a reason: say why you chose it."))
    if decision.kept_passage and not holds_passage(assignment, instance, decision.kept_passage):
        raise Refused(_("The document does not hold the marked passage. Mark it again."))
    return instance


def holds_passage(assignment: Assignment, instance: Instance, passage: str) -> bool:
    """Whether a passage is in what is shown of a document. Spaces and the dollar signs of formulas don't count."""
    (card,) = cards_of(assignment.campaign, assignment.topic, [instance])
    title = card.post.title if card.post else ""
    shown = [plain_text(display(html, with_mathml=False)) for html in (title, card.body)]
    wanted, *texts = ("".join(text.replace("$", "").split()) for text in (passage, *shown))
    return any(wanted in text for text in texts)


def save_decision(assignment: Assignment, decision: Decision, old: Judgment | None, is_again: bool) -> Judgment | None:
    """The judgment after a decision, None if it is taken back."""
    first: Judgment | JudgmentEvent | None = old
    if old is None or decision.key != old.key:
        first = event_with_key(assignment, decision.key) if is_again or not decision.knows_of(old) else None
    if first and not decision.is_same_as(first):
        # The page decided something else with this key before: it knows of that, and needs another key.
        decision, first = decision._replace(key="", after=decision.key), None
    if first:
        return old
    raise_if_conflict(assignment, decision, old)
    return old if decision.repeats(old) else store_judgment(store_event(assignment, decision, old), old)


def store_event(
    assignment: Assignment, decision: Decision, old: Judgment | None, *, late: bool = False
) -> JudgmentEvent:
    current = assignment.topic.ruling_version
    return JudgmentEvent.objects.create(
        assignment=assignment,
        instance_id=decision.instance_id,
        by_id=assignment.assessor_id,
        old_decision=old.decision if old else "",
        old_comment=old.comment if old else "",
        decision=decision.word,
        comment=decision.kept_comment,
        passage=decision.kept_passage,
        key=decision.key or str(uuid4()),
        active_ms=min(max(decision.active_ms, 0), MAX_ACTIVE_MS),
        wall_ms=min(max(decision.wall_ms, 0), MAX_WALL_MS),
        content_hash=decision.content_hash,
        guide=guide_version(
            words_version(assignment.campaign.rules, get_language() or "", _),
            current if decision.rulings is None else min(decision.rulings, current),
        ),
        late=late,
    )


def store_judgment(event: JudgmentEvent, old: Judgment | None) -> Judgment | None:
    graded = is_grade(event.decision)
    fields = {
        "grade": int(event.decision) if graded else None,
        "outcome": "" if graded else event.decision,
        "comment": event.comment,
        "passage": event.passage,
        "key": event.key,
        "active_ms": event.active_ms + (old.active_ms if old else 0),
    }
    if old is None:
        return Judgment.objects.create(assignment=event.assignment, instance_id=event.instance_id, **fields)
    current = Judgment.objects.filter(pk=old.pk)
    if not event.decision:
        current.delete()
    else:
        current.update(**fields, changed=timezone.now())
    return current.first()


def event_with_key(assignment: Assignment, key: str) -> JudgmentEvent | None:
    return JudgmentEvent.objects.filter(assignment=assignment.pk, key=key).first()


def raise_if_conflict(assignment: Assignment, decision: Decision, old: Judgment | None) -> None:
    """Raises Conflict if the assessor did not know of a current judgment that is another one, or that one was taken
    back."""
    if decision.knows_of(old) or decision.is_same_as(old):
        return
    events = JudgmentEvent.objects.filter(assignment=assignment.pk, instance=decision.instance_id)
    last = events.order_by("-pk").values_list("key", flat=True)
    if old or last.first() not in (None, decision.after):
        raise Conflict(decision.instance_id, old)


@transaction.atomic
def defer_entry(pk: int, by: User, place: int, is_deferred: bool = True) -> Assignment:
    """Defer the entry at a place until all others are judged, or stop deferring it. Raises Http404."""
    assignment = assignment_for(by, pk, changes=True, lock=True)
    entry_id = entry_at(assignment, place)
    if is_deferred:
        Deferral.objects.get_or_create(assignment=assignment, entry_id=entry_id)
    else:
        assignment.deferrals.filter(entry=entry_id).delete()
    return assignment


def judgments_with_outcome(pool: Pool) -> QuerySet[Judgment]:
    """The judgments of a pool with an outcome, the latest first, of all rounds. What was judged before a hand-over is
    left out: its assessor has it no more."""
    current = Judgment.objects.filter(assignment__in=Assignment.objects.filter(round__pool=pool, handed_over=None))
    return current.exclude(outcome="").order_by("-changed", "-pk")


@transaction.atomic
def send_back(pool: Pool, keys: Mapping[int, str], by: User, reason: str) -> Action:
    """Take judgments with an outcome back, so that their items are open for their assessors again. ``keys``: of the
    judgments that the organizer has seen, the key of each; one that was changed since stays. Each judgment's history
    gets an event of the organizer with the reason. Raises Refused without one, or if all were changed since."""
    if not (reason := reason.strip()):
        raise Refused("Say what was fixed: the history keeps the reason.")
    if len(reason) > MAX_LENGTHS["comment"]:
        raise Refused(f"The reason has more than {MAX_LENGTHS['comment']} characters.")
    # A save locks its assignment, too: it comes before this, or after and learns of it as a conflict.
    chosen = judgments_with_outcome(pool).filter(pk__in=keys)
    assignments = Assignment.objects.filter(pk__in=chosen.values("assignment")).order_by("pk")
    list(assignments.select_for_update(no_key=True).values_list("pk", flat=True))
    current = chosen.select_related("instance", "assignment__assessor", "assignment__topic")
    seen = [judgment for judgment in current if judgment.key == keys[judgment.pk]]
    if not seen:
        raise Refused("They stayed: their assessors have changed all of them meanwhile.")
    JudgmentEvent.objects.bulk_create(
        JudgmentEvent(
            assignment_id=judgment.assignment_id,
            instance=judgment.instance,
            by=by,
            old_decision=judgment.decision,
            old_comment=judgment.comment,
            comment=reason,
            key=str(uuid4()),
            content_hash=judgment.instance.content_hash,
        )
        for judgment in seen
    )
    Judgment.objects.filter(pk__in=[judgment.pk for judgment in seen]).delete()
    action = f"Sent {number(len(seen), 'judgment')} back to be made again"
    if stayed := len(keys) - len(seen):
        action += f"; {stayed:,} stayed, changed by their assessors meanwhile"
    whose = shares((judgment.assignment.topic, judgment.assignment.assessor) for judgment in seen)
    return history.note(by, action, pool.campaign, [whose], reason=reason, page="outcomes")
