"""Who judges what: one official assessor for each topic, others in the dual round."""

from collections import Counter
from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from assess.ir.judging.allocation import spread as spread_topics
from assess.models import Assignment, Instance, Member, Pool, Round, Topic
from assess.services.common.errors import Refused
from assess.services.pool.presentation import presentation


@transaction.atomic
def assign(pool: Pool, topic: Topic, assessor: User, kind: str) -> Assignment:
    """Give a topic to an assessor, with the order of entries that this assessor will see. Raises Refused if the
    pool is open, the person is no assessor, or the topic is taken."""
    if not Pool.objects.select_for_update().get(pk=pool.pk).frozen:
        raise Refused("Freeze the pool first: what is assigned must not change.")
    # Locked: nobody can remove the member meanwhile.
    if not judging_members(pool).select_for_update().filter(user=assessor).first():
        raise Refused(f"{assessor} is not an assessor of this campaign.")
    refuse_taken(pool, topic, assessor, kind)
    met = presentation(pool, topic, assessor)
    if not met.order:
        raise Refused(f"The pool holds nothing for topic {topic}.")
    stage, _ = Round.objects.get_or_create(pool=pool, kind=kind)
    terms = {**met._asdict(), "official": kind == Round.Kind.MAIN, "closed": None}
    # Assigning a topic again restores the old assignment, with judgments that may have arrived since.
    given, _ = Assignment.every.update_or_create(round=stage, topic=topic, assessor=assessor, defaults=terms)
    return given


def refuse_taken(pool: Pool, topic: Topic, assessor: User, kind: str) -> None:
    taken = Assignment.objects.filter(round__pool=pool, topic=topic).select_related("assessor")
    if taken.filter(assessor=assessor).exists():
        raise Refused(f"{assessor} has topic {topic} already.")
    if kind == Round.Kind.MAIN and (main := taken.filter(official=True).first()):
        raise Refused(f"Topic {topic} is {main.assessor}'s already. Use the dual round for a second opinion.")


def assessors_of(pool: Pool) -> QuerySet[User]:
    """Who can judge topics: the assessors and experts of the campaign."""
    return User.objects.filter(memberships__in=judging_members(pool)).order_by("username")


def judging_members(pool: Pool) -> QuerySet[Member]:
    return pool.campaign.members.filter(role__in=[Member.Role.ASSESSOR, Member.Role.EXPERT])


def open_topics(pool: Pool, kind: str = Round.Kind.MAIN, assessor: User | None = None) -> QuerySet[Topic]:
    """The topics of the pool that nobody has in a round, nor this assessor in any."""
    taken = Assignment.objects.filter(Q(round__kind=kind) | Q(assessor=assessor), round__pool=pool).values("topic")
    return pool.campaign.topics.filter(entries__pool=pool).exclude(pk__in=taken).distinct()


@transaction.atomic
def assign_all(pool: Pool, topics: Iterable[Topic], assessor: User, kind: str) -> list[Assignment]:
    """Give several topics to one assessor, all or none. Raises Refused as `assign` does."""
    return [assign(pool, topic, assessor, kind) for topic in topics]


@transaction.atomic
def spread(pool: Pool, assessors: Iterable[User]) -> list[Assignment]:
    """Give every topic without an official assessor to one of these, so that all have about as many documents to judge,
    counting what they have already. Raises Refused as `assign` does."""
    people = {user.username: user for user in assessors}
    if not people:
        raise Refused("Choose at least one assessor.")
    topics = {topic.topic_id: topic for topic in open_topics(pool)}
    documents = documents_by_topic(pool)
    loads = dict.fromkeys(people, 0)
    official = Assignment.objects.filter(round__pool=pool, official=True, assessor__in=people.values())
    for name, topic_id in official.values_list("assessor__username", "topic_id"):
        loads[name] += documents[topic_id]
    given = spread_topics({topic.topic_id: documents[topic.pk] for topic in topics.values()}, loads)
    return [assign(pool, topics[topic], people[name], Round.Kind.MAIN) for topic, name in given]


def documents_by_topic(pool: Pool) -> Counter[int]:
    """How many documents the pool holds for each topic, by key."""
    counts = Instance.objects.filter(entry__pool=pool).order_by().values_list("entry__topic").annotate(Count("pk"))
    return Counter(dict(counts))


@transaction.atomic
def take_back_all(pool: Pool, topics: Iterable[Topic], kind: str) -> tuple[int, int]:
    """Take back what is assigned of these topics in a round; how many assignments that were, and how many stay because
    they have judgments."""
    assigned = Assignment.objects.filter(round__pool=pool, round__kind=kind, topic__in=topics)
    done = stayed = 0
    for assignment in assigned.select_related("assessor", "topic"):
        try:
            take_back(assignment)
            done += 1
        except Refused:
            stayed += 1
    return done, stayed


@transaction.atomic
def take_back(assignment: Assignment) -> None:
    """Undo an assignment without stored judgments. Judgments that still wait in its assessor's browser are kept when
    they arrive."""
    # The rows of a save refer to its assignment, so its commit comes before this or waits for it.
    list(Assignment.objects.select_for_update().filter(pk=assignment.pk))
    if assignment.judgments.exists():
        raise Refused(f"{assignment.assessor} has judged in topic {assignment.topic}; that work stays.")
    Assignment.objects.filter(pk=assignment.pk).update(closed=timezone.now(), official=False)


def late(pool: Pool) -> QuerySet[Assignment]:
    """The assignments that were taken back and for which judgments arrived since; ``late`` says how many."""
    closed = Assignment.every.filter(round__pool=pool, closed__isnull=False).select_related("assessor")
    return closed.annotate(late=Count("judgments")).filter(late__gt=0).order_by("pk")
