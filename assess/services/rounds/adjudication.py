"""Adjudication: an expert settles disagreements at the judging desk, seeing what was judged before."""

from collections import defaultdict

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Max, Min, QuerySet

from assess.ir.common.rows import grouped
from assess.models import Action, Assignment, Instance, Judgment, Member, Pool, Round
from assess.services.common import history
from assess.services.common.errors import Refused
from assess.services.common.wording import listed, number
from assess.services.rounds.assignments import give_more_documents, latest_round, lock_for_assignment

ADJUDICATION = Round.Kind.ADJUDICATION
FAR_APART = 2
"""Grades so far apart need a decision: mostly one of them is relevant and the other is not."""


def independent_judgments(pool: Pool) -> QuerySet[Judgment]:
    """The judgments of a pool that are opinions of their own: made without seeing others."""
    judgments = Judgment.objects.filter(assignment__round__pool=pool, assignment__closed=None)
    return judgments.exclude(assignment__round__kind=ADJUDICATION)


def grade_distances(pool: Pool, least: int = 1) -> dict[int, int]:
    """How far the grades of each document are apart, if at least so far, by instance. If a document
    has one official judgment at most, only the topics that somebody else judges too are read."""
    others = Assignment.objects.filter(round__pool=pool, official=False).exclude(round__kind=ADJUDICATION)
    topics = others.order_by().values("topic")
    graded = independent_judgments(pool).filter(grade__isnull=False).order_by()
    if pool.rules.assessors == 1:
        graded = graded.filter(assignment__topic__in=topics)
    apart = graded.values_list("instance").annotate(
        distance=Max("grade") - Min("grade"), judges=Count("assignment__assessor", distinct=True)
    )
    return dict(apart.filter(distance__gte=least, judges__gt=1).values_list("instance", "distance"))


def documents_given(pool: Pool) -> dict[int, str]:
    """The name of the expert who was given each document to settle, by instance."""
    assignments = Assignment.objects.filter(round__pool=pool, round__kind=ADJUDICATION, handed_over=None)
    orders = assignments.values_list("assessor__username", "instance_order")
    return {pk: expert for expert, order in orders for pk in order}


def settling_progress(pool: Pool) -> tuple[int, int]:
    """How many documents experts have settled, of how many that they were given."""
    with_experts = documents_given(pool)
    return len(with_experts.keys() & settled_instances(pool)), len(with_experts)


def unsettled_distances(pool: Pool, least: int = 1) -> dict[int, int]:
    """Those of `grade_distances` without the documents that an expert has been given."""
    with_experts = documents_given(pool)
    return {pk: distance for pk, distance in grade_distances(pool, least).items() if pk not in with_experts}


def counts_apart(pool: Pool) -> list[tuple[int, int]]:
    """For each distance, how many unsettled documents have grades at least so far apart."""
    unsettled = unsettled_distances(pool).values()
    return [(least, sum(apart >= least for apart in unsettled)) for least in distances(pool)]


def distances(pool: Pool) -> range:
    """How far two grades of the campaign can be apart."""
    return range(1, max(pool.rules.values) - min(pool.rules.values) + 1)


def experts(pool: Pool) -> QuerySet[User]:
    return User.objects.filter(memberships__in=pool.campaign.members.filter(role=Member.Role.EXPERT))


@transaction.atomic
def adjudicate(pool: Pool, expert: User, by: User, least: int = 1) -> Action:
    """Give an expert the documents on which grades are at least so far apart, except those that the expert has judged.
    Raises Refused without such documents, and for somebody who is not an expert."""
    lock_for_assignment(pool, [expert])
    if not experts(pool).filter(pk=expert.pk).exists():
        raise Refused(f"{expert} is not an expert of this campaign.")
    own = independent_judgments(pool).filter(assignment__assessor=expert).values_list("instance", flat=True)
    chosen = Instance.objects.filter(pk__in=unsettled_distances(pool, least).keys() - set(own))
    by_topic = grouped((instance.entry.topic_id, instance.pk) for instance in chosen.select_related("entry"))
    if not by_topic:
        raise Refused(f"There is nothing to settle: no grades {least} or more apart are left that others have judged.")
    round = latest_round(pool, ADJUDICATION)
    topics = pool.campaign.topics.filter(pk__in=by_topic)
    for topic in topics:
        give_more_documents(round, topic, expert, set(by_topic[topic.pk]))
    documents = number(sum(map(len, by_topic.values())), pool.campaign.words.document)
    return history.note(by, f"Gave {expert} {documents} of {listed(topics)} to settle", pool.campaign, page="rounds")


def earlier_judgments(assignment: Assignment, instances: list[int]) -> dict[int, list[Judgment]]:
    """What others judged of these documents, by instance, the official judgment first: for an expert who settles
    disagreements, and nobody else."""
    judged: defaultdict[int, list[Judgment]] = defaultdict(list)
    if assignment.round.is_settling:
        others = independent_judgments(assignment.round.pool).filter(instance__in=instances)
        for judgment in others.select_related("assignment__assessor").order_by("-assignment__official", "pk"):
            judged[judgment.instance_id].append(judgment)
    return judged


def settled_grades(pool: Pool) -> dict[tuple[str, str], int]:
    """By topic and document; if several experts settled one, the last counts."""
    rows = settling(pool).values_list("instance__entry__topic__topic_id", "instance__doc_id", "grade")
    return {(topic, document): grade for topic, document, grade in rows if grade is not None}


def settled_instances(pool: Pool) -> set[int]:
    return set(settling(pool).values_list("instance", flat=True))


def settling(pool: Pool) -> QuerySet[Judgment]:
    """The grades with which experts settled documents, the last ones last."""
    of_pool = Judgment.objects.filter(assignment__round__pool=pool, assignment__closed=None, grade__isnull=False)
    return of_pool.filter(assignment__round__kind=ADJUDICATION).order_by("changed", "pk")
