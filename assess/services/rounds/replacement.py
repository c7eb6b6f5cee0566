"""An assessor leaves: what is judged stays theirs, the rest goes to others in one step."""

from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db import transaction

from assess.ir.rounds.allocation import spread_topics
from assess.models import Action, Assignment, Pool
from assess.services.campaign.members import unfinished_assignments
from assess.services.common import history
from assess.services.common.errors import Refused
from assess.services.common.wording import listed, number, shares
from assess.services.rounds.assignments import conflicts_of_interest, hand_over_topic
from assess.services.rounds.progress import overview

Succession = tuple[Assignment, int, User]
"""An unfinished assignment, how many documents of it are left, and who would judge them."""


def plan_replacement(pool: Pool, leaving: User, successors: Iterable[User]) -> list[Succession]:
    """Who judges what this assessor has left, so that the successors have about as many documents to judge, counting
    what they have already. Nobody gets a topic that they have, had or should not judge. Raises Refused if a topic is
    left over, or there are no successors."""
    people = {user.username: user for user in successors if user != leaving}
    if not people:
        raise Refused("Choose at least one other assessor.")
    left = unfinished_assignments(pool.campaign, leaving).items()
    waiting = {str(row.pk): (row, count) for row, count in left if row.round.pool_id == pool.pk}
    topics = {key: row.topic.topic_id for key, (row, _) in waiting.items()}
    held = Assignment.every.filter(round__pool=pool, topic__topic_id__in=topics.values())
    taken = set(held.values_list("topic__topic_id", "assessor__username"))
    barred = taken | conflicts_of_interest(pool, set(topics.values())).keys()
    loads = dict.fromkeys(people, 0)
    loads |= {load.assessor: load.pace.left for load in overview(pool).assessors if load.assessor in people}
    theirs = {(key, name) for key, topic in topics.items() for name in people if (topic, name) in barred}
    if nobodys := [topic for key, topic in topics.items() if all((key, name) in theirs for name in people)]:
        reason = "can go to nobody of these: they have it, had it, or should not judge it"
        raise Refused(f"Choose others, too: {listed(nobodys)} {reason}.")
    chosen = spread_topics({key: count for key, (_, count) in waiting.items()}, loads, theirs)
    return [(*waiting[key], people[name]) for key, name in chosen]


@transaction.atomic
def replace_assessor(pool: Pool, leaving: User, successors: Iterable[User], by: User) -> Action:
    """Hand over what this assessor has not judged yet, as `plan_replacement` says, all or nothing. Raises Refused as it
    does, or if nothing is left."""
    plan = plan_replacement(pool, leaving, successors)
    if not plan:
        raise Refused(f"{leaving} has nothing left to judge.")
    for assignment, _, successor in plan:
        hand_over_topic(assignment, successor, by)
    action = f"Replaced {leaving}: {number(len(plan), 'topic')} handed over"
    given = shares(((assignment.topic, successor) for assignment, _, successor in plan), "to")
    return history.note(by, action, pool.campaign, [given], page="assignments")
