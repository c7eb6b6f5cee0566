"""Dual rounds: some topics are judged a second time by somebody else, to measure agreement."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Q

from assess.ir.rounds.allocation import JudgedTopic, dual_topics
from assess.models import Action, Assignment, Judgment, Pool, Round
from assess.services.common.errors import Refused
from assess.services.rounds.assignments import assign_topics, conflicts_of_interest, documents_by_topic
from assess.services.rounds.rounds import open_round


@transaction.atomic
def assign_dual(
    pool: Pool, people: Iterable[User], others: int, by: User, *, fewest_relevant: bool = False, name: str = ""
) -> Action | None:
    """Open a dual round in which each of these people judges one topic from each of ``others`` other assessors, by the
    rule of `ir.rounds.allocation.dual_topics`. Only topics that are judged completely, and by nobody a second time,
    are given. Raises Refused if there are none."""
    assessors, judged = {user.username: user for user in people}, judged_topics(pool)
    barred = conflicts_of_interest(pool, judged)
    pairs = dual_topics(judged.values(), assessors, others, pool.seed, fewest_relevant=fewest_relevant, barred=barred)
    if not pairs:
        reason = "topics must be fully judged by someone else, and not yet judged twice"
        raise Refused(f"No topic can be assigned: {reason}.")
    round = open_round(pool, Round.Kind.DUAL, name)
    topics = {topic.topic_id: topic for topic in pool.campaign.topics.filter(topic_id__in=judged)}
    return assign_topics(pool, ((topics[topic], assessors[person]) for topic, person in pairs), by, round.kind)


def judged_topics(pool: Pool) -> dict[str, JudgedTopic]:
    """Those that their official assessor has judged completely, and nobody else."""
    whole = documents_by_topic(pool)
    twice = Assignment.objects.filter(round__pool=pool, official=False).values("topic")
    judged = Assignment.objects.filter(round__pool=pool, official=True).exclude(topic__in=twice)
    judgments = Judgment.objects.filter(assignment__in=judged.order_by().values("pk"))
    counts = judgments.order_by("assignment__topic__number", "assignment").values_list(
        "assignment__topic", "assignment__topic__topic_id", "assignment__assessor__username"
    )
    relevant = Count("instance__entry", filter=Q(grade__gte=pool.rules.level), distinct=True)
    rows: Iterable[Any] = counts.annotate(done=Count("pk"), relevant=relevant)
    return {name: JudgedTopic(name, who, units) for topic, name, who, done, units in rows if done == whole[topic]}
