"""System failures and do-not-knows: what organizers have fixed goes back to its assessor."""

from collections.abc import Mapping
from uuid import uuid4

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from assess.models import Action, Assignment, Judgment, JudgmentEvent, Pool
from assess.services.common import history
from assess.services.common.errors import Refused
from assess.services.common.wording import number, shares
from assess.services.desk.decisions import MAX_LENGTHS


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
