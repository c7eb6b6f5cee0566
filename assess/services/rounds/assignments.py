"""Who judges what: as many official assessors for each topic as the protocol says, others in dual rounds."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta
from itertools import count
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, TextChoices
from django.utils import timezone

from assess.ir.rounds.allocation import JudgedTopic, dual_topics, spread_topics
from assess.models import Action, Assignment, Campaign, Instance, Judgment, Member, Pool, Round, Topic
from assess.services.common import history
from assess.services.common.errors import Refused
from assess.services.common.wording import number, shares
from assess.services.jobs.job_queue import require_active
from assess.services.pool.content import documents_of_topics, presentation, presentation_of


@transaction.atomic
def assign_topic(pool: Pool, topic: Topic, assessor: User, kind: str) -> Assignment:
    """Give a topic to an assessor, with the order of entries that this assessor will see, in the latest round of this
    kind. In an official round, documents that were judged before the topic was handed over stay with their assessor.
    Raises Refused if the pool is open, the person is no assessor, or the topic is taken."""
    lock_for_assignment(pool, assessor)
    taken = refuse_twice(pool, topic, assessor, kind)
    refuse_interest(pool, topic, assessor)
    seat = free_seat(pool, topic, taken, assessor) if kind in Round.OFFICIAL else 1
    documents = set(Instance.objects.filter(entry__pool=pool, entry__topic=topic).values_list("pk", flat=True))
    if not documents:
        raise Refused(f"The pool holds nothing for topic {topic}.")
    round = latest_round(pool, kind)
    return give_documents(round, topic, assessor, documents - judged_by_others(round, topic, assessor, seat), seat)


def free_seat(pool: Pool, topic: Topic, taken: QuerySet[Assignment], assessor: User) -> int:
    """The first seat of a topic that none of the assignments ``taken`` has; who has judged a part of the topic gets the
    same seat again. Raises Refused if there is none."""
    held = {assignment.seat: assignment for assignment in taken.filter(official=True)}
    free = [seat for seat in range(1, pool.rules.assessors + 1) if seat not in held]
    parts = Assignment.objects.filter(round__pool=pool, topic=topic, assessor=assessor, official=True)
    own = parts.exclude(handed_over=None).values_list("seat", flat=True).first()
    if own is not None and own not in free and free:
        raise Refused(f"{assessor} has judged a part of topic {topic}, and somebody else judges the rest.")
    if not free:
        names = " and ".join(f"{held[seat].assessor}'s" for seat in sorted(held))
        raise Refused(f"Topic {topic} is {names} already. Use a dual round for a further assessor.")
    return own or free[0]


def latest_round(pool: Pool, kind: str) -> Round:
    return pool.rounds.filter(kind=kind).last() or Round.objects.create(pool=pool, kind=kind)


def open_round(pool: Pool, kind: str, name: str) -> Round:
    """A further round of this kind; it is given a number unless it has a name. Raises Refused if the name is taken."""
    if kind in Round.SINGLE:
        return latest_round(pool, kind)
    refuse_name(pool.campaign, name)
    taken = names_of_others(pool.campaign)
    first = Round.objects.filter(pool__campaign=pool.campaign, kind=kind).count() + 1
    numbered = (f"{Round.Kind(kind).label} {number}" for number in count(first))
    return Round.objects.create(pool=pool, kind=kind, name=name or next(each for each in numbered if each not in taken))


def refuse_name(campaign: Campaign, name: str, round: Round | None = None) -> None:
    if name in names_of_others(campaign, round):
        raise Refused(f"Another round has the name {name}: choose a different one.")


def names_of_others(campaign: Campaign, round: Round | None = None) -> set[str]:
    others = Round.objects.filter(pool__campaign=campaign).exclude(pk=round.pk if round else 0)
    return set(others.exclude(name="").values_list("name", flat=True))


def lock_for_assignment(pool: Pool, assessor: User) -> None:
    """Until the end of the transaction: the pool with its assignments, and that the person is an assessor."""
    lock_frozen(pool)
    if not judging_members(pool).select_for_update().filter(user=assessor).first():
        raise Refused(f"{assessor} is not an assessor of this campaign.")


def lock_frozen(pool: Pool) -> None:
    require_active(pool.campaign)
    if not Pool.every.select_for_update().get(pk=pool.pk).frozen:
        raise Refused("Freeze the pool first: what is assigned must not change.")


def conflicts_of_interest(pool: Pool, topics: Iterable[str]) -> dict[tuple[str, str], str]:
    """Each of these topics with each user who should not judge it, and why: members of teams that have runs in the
    pool, and members with topics of their own."""
    teams, asked = {run["team"] for run in pool.runs}, set(topics)
    reasons: dict[tuple[str, str], str] = {}
    for member in pool.campaign.members.select_related("user"):
        if member.team in teams:
            reason = f"belongs to the team {member.team}, which has runs in the pool"
            reasons |= dict.fromkeys(((topic, member.user.username) for topic in asked), reason)
        else:
            own = ((topic, member.user.username) for topic in asked.intersection(member.own_topics))
            reasons |= dict.fromkeys(own, "should not judge their own topics")
    return reasons


def refuse_interest(pool: Pool, topic: Topic, assessor: User) -> None:
    conflicts = conflicts_of_interest(pool, [topic.topic_id])
    if reason := conflicts.get((topic.topic_id, assessor.username)):
        raise Refused(f"{assessor} {reason} (see Members), so topic {topic} was not assigned.")


def refuse_twice(pool: Pool, topic: Topic, assessor: User, kind: str) -> QuerySet[Assignment]:
    """Refuse an assessor who has the topic already; who handed it over can have the rest in the same round. Returns the
    assignments of the topic."""
    taken = Assignment.objects.filter(round__pool=pool, topic=topic).select_related("assessor")
    taken = taken.exclude(handed_over__isnull=False, round__kind=kind).exclude(round__kind=Round.Kind.ADJUDICATION)
    if taken.filter(assessor=assessor).exists():
        raise Refused(f"{assessor} has topic {topic} already.")
    return taken


def give_documents(round: Round, topic: Topic, assessor: User, documents: set[int], seat: int = 1) -> Assignment:
    """Store an assignment of these instances. If the assessor had the topic before, the old one is restored, with its
    judgments."""
    own = judged_in(round, topic, assignment__assessor=assessor)
    if own & judged_by_others(round, topic, assessor, seat):
        raise Refused(f"{assessor} has judged documents of topic {topic} that someone else has judged since.")
    shown = presentation(round.pool, topic, assessor).only(documents | own)
    terms = {
        "order": shown.order,
        "instance_order": shown.instance_order,
        "official": round.kind in Round.OFFICIAL,
        "seat": seat,
        **dict.fromkeys(("closed", "paused", "handed_over")),
    }
    assignment, _ = Assignment.every.update_or_create(round=round, topic=topic, assessor=assessor, defaults=terms)
    return assignment


def give_more_documents(round: Round, topic: Topic, assessor: User, documents: set[int]) -> None:
    """Assign these instances of a topic; an assignment that exists keeps its places and gets them at the end."""
    current = Assignment.every.select_for_update().filter(round=round, topic=topic, assessor=assessor).first()
    if current is None:
        give_documents(round, topic, assessor, documents)
        return
    new = presentation(round.pool, topic, assessor).only(documents)
    current.order += [entry for entry in new.order if entry not in current.order]
    current.instance_order += [pk for pk in new.instance_order if pk not in current.instance_order]
    current.closed = None
    current.save(update_fields=["order", "instance_order", "closed"])


def judged_by_others(round: Round, topic: Topic, assessor: User, seat: int) -> set[int]:
    """The instances of a topic that have an official judgment by someone else in the same seat."""
    in_seat = {"assignment__official": True, "assignment__seat": seat}
    return judged_in(round, topic, ~Q(assignment__assessor=assessor), **in_seat)


def judged_in(round: Round, topic: Topic, *conditions: Q, **lookups: Any) -> set[int]:
    judgments = Judgment.objects.filter(*conditions, assignment__round=round, assignment__topic=topic, **lookups)
    return set(judgments.values_list("instance", flat=True))


def assessors_of(pool: Pool) -> QuerySet[User]:
    """Who can judge topics: the assessors and experts of the campaign."""
    return User.objects.filter(memberships__in=judging_members(pool)).order_by("username")


def judging_members(pool: Pool) -> QuerySet[Member]:
    """Candidates judge in training and qualification rounds only."""
    roles = [Member.Role.ASSESSOR, Member.Role.EXPERT, *([Member.Role.CANDIDATE] if pool.is_training else [])]
    return pool.campaign.members.filter(role__in=roles)


def open_topics(pool: Pool, kind: str = Round.Kind.MAIN, assessor: User | None = None) -> QuerySet[Topic]:
    """The topics of the pool that too few people have in a round, and this assessor neither has nor had in any."""
    held = (Q(official=True) if kind in Round.OFFICIAL else Q(round__kind=kind)) & Q(handed_over=None)
    needed = pool.rules.assessors if kind in Round.OFFICIAL else 1
    assigned = Assignment.objects.filter(round__pool=pool).order_by()
    full = assigned.filter(held).values("topic").annotate(people=Count("pk")).filter(people__gte=needed)
    taken = Q(pk__in=full.values("topic")) | Q(pk__in=assigned.filter(assessor=assessor).values("topic"))
    return pool.campaign.topics.filter(entries__pool=pool).exclude(taken).distinct()


@transaction.atomic
def assign_topics(
    pool: Pool, chosen: Iterable[tuple[Topic, User]], by: User, kind: str = Round.Kind.MAIN
) -> Action | None:
    """Give each topic to its assessor, all or none; None for no topics. Raises Refused as `assign_topic` does."""
    couples = list(chosen)
    if not couples:
        return None
    made = assign_untouched(pool, couples, kind)
    given = [made.pop(each) if each in made else assign_topic(pool, *each, kind) for each in couples]
    action = f"Assigned {number(len(given), 'topic')} ({given[0].round})"
    return history.note(by, action, pool.campaign, [whose(given, "to")], page="assignments")


def assign_untouched(
    pool: Pool, couples: Sequence[tuple[Topic, User]], kind: str
) -> dict[tuple[Topic, User], Assignment]:
    """Do as `assign_topic` does for each of these topics with an assessor, in a few queries for all of them; but leave
    out those that it might refuse, and topics of which somebody had a part."""
    lock_frozen(pool)
    topics, is_official = {topic for topic, _ in couples}, kind in Round.OFFICIAL
    had, taken, parted = held_places(pool, topics)
    documents = documents_of_topics(pool, {topic.pk for topic in topics} - parted)
    judging = set(judging_members(pool).select_for_update().values_list("user", flat=True))
    barred = conflicts_of_interest(pool, {topic.topic_id for topic in topics})
    seats, round, made = range(1, pool.rules.assessors + 1 if is_official else 2), latest_round(pool, kind), {}
    for topic, assessor in couples:
        seat = next((seat for seat in seats if not is_official or seat not in taken[topic.pk]), None)
        is_barred = (topic.topic_id, assessor.username) in barred or (topic.pk, assessor.pk) in had
        if seat and topic.pk in documents and assessor.pk in judging and not is_barred:
            shown = presentation_of(documents[topic.pk], pool, topic, assessor)
            orders = {"order": shown.order, "instance_order": shown.instance_order}
            made[topic, assessor] = Assignment(
                round=round, topic=topic, assessor=assessor, official=is_official, seat=seat, **orders
            )
            had.add((topic.pk, assessor.pk))
            taken[topic.pk].add(seat)
    Assignment.objects.bulk_create(made.values())
    return made


def held_places(
    pool: Pool, topics: Collection[Topic]
) -> tuple[set[tuple[int, int]], defaultdict[int, set[int]], set[int]]:
    """Who has or had which of these topics, the official seats that are taken, and the topics that were taken back or
    handed over."""
    had, taken, parted = set(), defaultdict[int, set[int]](set), set()
    before = Assignment.every.filter(round__pool=pool, topic__in=topics).order_by()
    rows: Iterable[Any] = before.values_list("topic", "assessor", "official", "seat", "closed", "handed_over")
    for topic, assessor, official, seat, *ended in rows:
        had.add((topic, assessor))
        if any(ended):
            parted.add(topic)
        elif official:
            taken[topic].add(seat)
    return had, taken, parted


def whose(assignments: Iterable[Assignment], word: str) -> str:
    """Which topics, ``word`` which assessor."""
    return shares(((assignment.topic, assignment.assessor) for assignment in assignments), word)


@transaction.atomic
def spread_open_topics(pool: Pool, assessors: Iterable[User], by: User) -> Action | None:
    """Give every topic with too few official assessors to one of these, or to several different ones, so that all have
    about as many documents to judge, counting what they have already. Raises Refused as `assign_topic` does."""
    people = {user.username: user for user in assessors}
    if not people:
        raise Refused("Choose at least one assessor.")
    documents = documents_by_topic(pool)
    loads = dict.fromkeys(people, 0)
    holders: defaultdict[str, set[str]] = defaultdict(set)
    official = Assignment.objects.filter(round__pool=pool, official=True, handed_over=None)
    for name, pk, topic_id in official.values_list("assessor__username", "topic_id", "topic__topic_id"):
        holders[topic_id].add(name)
        if name in loads:
            loads[name] += documents[pk]
    topics = {topic.topic_id: topic for topic in open_topics(pool) if people.keys() - holders[topic.topic_id]}
    sizes = {topic.topic_id: documents[topic.pk] for topic in topics.values()}
    needed = {topic: pool.rules.assessors - len(holders[topic]) for topic in topics}
    theirs = {(topic, name) for topic in topics for name in holders[topic]}
    try:
        spread = spread_topics(sizes, loads, theirs | conflicts_of_interest(pool, topics).keys(), needed)
    except ValueError as error:
        raise Refused(f"{error}. See the teams and own topics of Members.") from error
    return assign_topics(pool, ((topics[topic], people[name]) for topic, name in spread), by)


@transaction.atomic
def assign_dual(
    pool: Pool, people: Iterable[User], others: int, by: User, *, fewest_relevant: bool = False, name: str = ""
) -> Action | None:
    """Open a dual round in which each of these people judges one topic from each of ``others`` other assessors, by the
    rule of `ir.rounds.allocation.dual_topics`. Only topics that are judged completely, and by nobody a second time,
    are given. Raises Refused if there are none."""
    assessors = {user.username: user for user in people}
    judged = judged_topics(pool)
    pairs = dual_topics(
        judged.values(),
        assessors,
        others,
        pool.seed,
        fewest_relevant=fewest_relevant,
        barred=conflicts_of_interest(pool, judged),
    )
    if not pairs:
        raise Refused(
            "No topic can be assigned: topics must be fully judged by someone else, and not yet judged twice."
        )
    round = open_round(pool, Round.Kind.DUAL, name)
    topics = {topic.topic_id: topic for topic in pool.campaign.topics.filter(topic_id__in=judged)}
    return assign_topics(pool, ((topics[topic], assessors[person]) for topic, person in pairs), by, round.kind)


def judged_topics(pool: Pool) -> dict[str, JudgedTopic]:
    whole = documents_by_topic(pool)
    twice = Assignment.objects.filter(round__pool=pool, official=False).values("topic")
    judged = Assignment.objects.filter(round__pool=pool, official=True).exclude(topic__in=twice)
    judgments = Judgment.objects.filter(assignment__in=judged.order_by().values("pk"))
    counts = judgments.order_by("assignment__topic__number", "assignment").values_list(
        "assignment__topic", "assignment__topic__topic_id", "assignment__assessor__username"
    )
    relevant = Count("instance__entry", filter=Q(grade__gte=pool.rules.level), distinct=True)
    rows: Iterable[Any] = counts.annotate(done=Count("pk"), relevant=relevant)
    return {
        topic_id: JudgedTopic(topic_id, name, units)
        for topic, topic_id, name, done, units in rows
        if done == whole[topic]
    }


def documents_by_topic(pool: Pool) -> Counter[int]:
    counts = Instance.objects.filter(entry__pool=pool).order_by().values_list("entry__topic").annotate(Count("pk"))
    return Counter(dict(counts))


def assignments_of_topics(
    pool: Pool, topics: Iterable[Topic], kind: str, assessor: User | None
) -> tuple[list[Assignment], list[Assignment]]:
    """What is assigned of these topics in a round, to one assessor or to anybody: those that nobody has begun to judge,
    and those with judgments, which stay."""
    assigned = Assignment.objects.filter(round__pool=pool, round__kind=kind, topic__in=topics)
    assigned = assigned.filter(assessor=assessor) if assessor else assigned
    begun = Exists(Judgment.objects.filter(assignment=OuterRef("pk")))
    rows = list(assigned.select_related("assessor", "topic").annotate(is_begun=begun))
    return [row for row in rows if not row.is_begun], [row for row in rows if row.is_begun]


LATELY = timedelta(hours=1)
"""For so long what was taken back can be given back with one button."""


@transaction.atomic
def take_back_assignments(assignments: Sequence[Assignment], by: User) -> Action:
    """Take back assignments that nobody has begun to judge, all or none. Judgments that still wait in an assessor's
    browser are kept when they arrive. Raises Refused if one has judgments by now."""
    for assignment in assignments:
        end_assignment(assignment)
    action = f"Took {number(len(assignments), 'assignment')} back"
    return history.note(
        by, action, assignments[0].round.pool.campaign, [whose(assignments, "from")], page="assignments"
    )


def taken_back(pool: Pool, keys: Iterable[int]) -> list[Assignment]:
    """Those of these assignments that were taken back lately, and still are, and that nobody else has by now."""
    ended = Assignment.every.filter(pk__in=keys, round__pool=pool, closed__gt=timezone.now() - LATELY)
    place = {name: OuterRef(name) for name in ("round", "topic", "seat")}
    others = Assignment.objects.filter(**place, official=True, handed_over=None)
    return list(ended.exclude(Exists(others)).select_related("assessor", "topic", "round"))


@transaction.atomic
def give_back_assignments(pool: Pool, keys: Iterable[int], by: User) -> Action:
    """Undo what was taken back, as far as nobody else has it by now. Raises Refused if nothing is left to undo."""
    list(Pool.every.select_for_update().filter(pk=pool.pk))  # so that nobody gets a topic meanwhile
    list(Assignment.every.select_for_update().filter(pk__in=keys))
    again = taken_back(pool, keys)
    if not again:
        raise Refused("Nothing to undo: these topics are assigned again.")
    for assignment in again:
        is_official = assignment.round.kind in Round.OFFICIAL
        Assignment.every.filter(pk=assignment.pk).update(closed=None, official=is_official)
    action = f"Gave {number(len(again), 'assignment')} back"
    return history.note(by, action, pool.campaign, [whose(again, "to")], page="assignments")


def end_assignment(assignment: Assignment) -> None:
    # A save locks its assignment, too: it comes before this, or after.
    list(Assignment.objects.select_for_update().filter(pk=assignment.pk))
    if assignment.judgments.exists():
        raise Refused(f"{assignment.assessor} has judged in topic {assignment.topic}; that work stays.")
    Assignment.objects.filter(pk=assignment.pk).update(closed=timezone.now(), official=False)


@transaction.atomic
def pause_assignment(assignment: Assignment, by: User, is_paused: bool = True) -> Action:
    """Hide a topic from its assessor until it is resumed. Judgments that still wait in the browser are kept."""
    Assignment.objects.filter(pk=assignment.pk).update(paused=timezone.now() if is_paused else None)
    action = f"{'Paused' if is_paused else 'Resumed'} topic {assignment.topic} of {assignment.assessor}"
    return history.note(by, action, assignment.round.pool.campaign, page="assignments")


class Done(TextChoices):
    """What becomes of the part of a topic that is judged when it is handed over; its judgments always stay with their
    author."""

    KEEP = "keep", "It counts; the new assessor judges the rest"
    DUAL = "dual", "It becomes a dual judgment; the new assessor judges everything"
    AGAIN = "again", "It no longer counts; the new assessor judges everything"


BECAME = {
    Done.KEEP.value: "",
    Done.DUAL.value: ". What was judged is a dual judgment",
    Done.AGAIN.value: ". What was judged no longer counts",
}


@transaction.atomic
def hand_over_topic(assignment: Assignment, assessor: User, by: User, done: str = Done.KEEP) -> Action:
    """Give a topic to another assessor: what is not judged yet or, if what is judged becomes dual or is done again, all
    of it. Decisions of the first assessor that arrive later are kept in the history only. Raises Refused if everything
    is judged and counts, or the other person is no assessor, or has the topic already."""
    pool, topic, round = assignment.round.pool, assignment.topic, assignment.round
    lock_for_assignment(pool, assessor)
    # A save locks its assignment, too: it comes before this, or after.
    current = Assignment.objects.select_for_update().filter(pk=assignment.pk, handed_over=None).first()
    if current is None:
        raise Refused(f"Topic {topic} is no longer {assignment.assessor}'s.")
    refuse_twice(pool, topic, assessor, round.kind)
    refuse_interest(pool, topic, assessor)
    judged = set(current.judgments.values_list("instance", flat=True))
    documents = set(current.instance_order) - (judged if done == Done.KEEP else set())
    if not documents:
        raise Refused(f"{assignment.assessor} has judged all of topic {topic}.")
    if not judged:
        end_assignment(current)
    else:
        now = timezone.now()
        ended: dict[str, Any] = {"handed_over": now}
        if done == Done.AGAIN:
            ended = {"closed": now, "official": False}
        elif done == Done.DUAL:
            ended |= {"official": False, "round": latest_round(pool, Round.Kind.DUAL)}
        Assignment.objects.filter(pk=current.pk).update(**ended)
    taken_over = give_documents(round, topic, assessor, documents, current.seat)
    part = "the rest of topic" if done == Done.KEEP else "topic"
    given = number(len(taken_over.instance_order), pool.campaign.words.document)
    action = f"{assessor} now has {part} {topic} of {assignment.assessor}: {given}{BECAME[done]}"
    return history.note(by, action, pool.campaign, page="assignments")


def late_assignments(pool: Pool) -> QuerySet[Assignment]:
    """The assignments that were taken back or handed over and for which judgments arrived since; ``late`` says how
    many."""
    ended = Assignment.every.filter(Q(closed__isnull=False) | Q(handed_over__isnull=False), round__pool=pool)
    judgments = Count("judgments", filter=Q(handed_over=None), distinct=True)
    late = judgments + Count("events", filter=Q(events__at__gt=F("handed_over")), distinct=True)
    return ended.select_related("assessor").annotate(late=late).filter(late__gt=0).order_by("pk")
