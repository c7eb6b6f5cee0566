"""Who judges what: one official assessor for each topic, others in the dual round."""

from django.contrib.auth.models import User
from django.db import transaction

from assess.ir.allocation import presentation_order
from assess.models import Assignment, Member, Pool, Round, Topic
from assess.services.errors import Refused


@transaction.atomic
def assign(pool: Pool, topic: Topic, assessor: User, kind: str) -> Assignment:
    """Give a topic to an assessor, with the order of entries that this assessor will see. Raises Refused where the
    pool is open, the person is no assessor, or the topic is taken."""
    if not pool.frozen:
        raise Refused("Freeze the pool first: what is assigned must not change.")
    if not Member.objects.filter(
        campaign=pool.campaign, user=assessor, role__in=[Member.Role.ASSESSOR, Member.Role.EXPERT]
    ).exists():
        raise Refused(f"{assessor} is not an assessor of this campaign.")
    refuse_taken(pool, topic, assessor, kind)
    entries = {str(pk) for pk in pool.entries.filter(topic=topic).values_list("pk", flat=True)}
    if not entries:
        raise Refused(f"The pool holds nothing for topic {topic}.")
    units = {unit: pk for pk, unit in pool.entries.filter(topic=topic).values_list("pk", "unit_id")}
    order = presentation_order(units, pool.seed, assessor.username, topic.topic_id)
    stage, _ = Round.objects.get_or_create(pool=pool, kind=kind)
    return Assignment.objects.create(
        round=stage,
        topic=topic,
        assessor=assessor,
        official=kind == Round.Kind.MAIN,
        order=[units[unit] for unit in order],
    )


def refuse_taken(pool: Pool, topic: Topic, assessor: User, kind: str) -> None:
    taken = Assignment.objects.filter(round__pool=pool, topic=topic).select_related("assessor")
    if taken.filter(assessor=assessor).exists():
        raise Refused(f"{assessor} has topic {topic} already.")
    if kind == Round.Kind.MAIN and (main := taken.filter(official=True).first()):
        raise Refused(f"Topic {topic} is {main.assessor}'s already. Use the dual round for a second opinion.")


@transaction.atomic
def take_back(assignment: Assignment) -> None:
    """Undo an assignment that has not been worked on."""
    if assignment.judgments.exists():
        raise Refused(f"{assignment.assessor} has judged in topic {assignment.topic}; that work stays.")
    assignment.delete()
