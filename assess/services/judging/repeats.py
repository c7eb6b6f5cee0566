"""Repeats: assessors judge a share of their documents again, which shows how consistent they are."""

from collections import Counter
from collections.abc import Iterable
from math import ceil

from django.contrib.auth.models import User
from django.db import transaction

from assess.ir.judging.allocation import presentation_order
from assess.models import Assignment, Instance, Pool, Round
from assess.services.common.errors import Refused
from assess.services.judging import assignments


@transaction.atomic
def repeat(pool: Pool, people: Iterable[User], percent: int) -> Counter[str]:
    """Give these assessors a share of the documents again that they graded in each topic, at random, but none that they
    have been given again before; returns how many, by user name. Raises Refused if there are none."""
    stage = assignments.latest_round(pool, Round.Kind.REPEAT)
    given: Counter[str] = Counter()
    for user in people:
        assignments.lock(pool, user)
        for assignment in Assignment.objects.filter(round__pool=pool, official=True, assessor=user):
            drawn = draw(assignment, stage, percent)
            if drawn:
                assignments.give_more(stage, assignment.topic, user, drawn)
                given[user.username] += len(drawn)
    if not given:
        raise Refused("There is nothing to repeat: these assessors have graded nothing that was not repeated already.")
    return given


def draw(assignment: Assignment, stage: Round, percent: int) -> set[int]:
    """The instances of an assignment to judge again."""
    graded = assignment.judgments.filter(grade__isnull=False).values("instance")
    before = Assignment.objects.filter(round=stage, topic=assignment.topic, assessor=assignment.assessor).first()
    free = Instance.objects.filter(pk__in=graded).exclude(pk__in=before.instance_order if before else [])
    by_document = dict(free.values_list("doc_id", "pk"))
    name = f"repeat {assignment.topic}"
    shuffled = presentation_order(by_document, stage.pool.seed, assignment.assessor.username, name)
    return {by_document[doc_id] for doc_id in shuffled[: ceil(graded.count() * percent / 100)]}
