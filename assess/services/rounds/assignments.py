"""Who judges what: as many official assessors for each topic as the protocol says, others in dual rounds."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, TextChoices
from django.utils import timezone

from assess.ir.common.rows import grouped
from assess.ir.rounds.allocation import spread_topics
from assess.models import Action, Assignment, Instance, Judgment, Member, Pool, Round, Topic
from assess.services.common import history
from assess.services.common.errors import Refused
from assess.services.common.wording import number, shares
from assess.services.jobs.job_queue import require_active
from assess.services.pool.content import Shown, documents_of_topics, orders_of, presentation, presentation_of

Judged = list[tuple[int, int, int]]
"""What is judged of a topic in a round: assessor, seat (0 if it is not official) and instance, by their numbers."""


@transaction.atomic
def assign_topic(pool: Pool, topic: Topic, assessor: User, kind: str) -> Assignment:
    """Give a topic to an assessor, as `give_topics` does."""
    return give_topics(pool, [(topic, assessor)], kind)[0]


def give_topics(pool: Pool, couples: Sequence[tuple[Topic, User]], kind: str) -> list[Assignment]:
    """Give each topic to its assessor in the latest round of this kind, all or none, in as many queries for many as for
    one. In an official round, documents that were judged before a topic was handed over stay with their assessor.
    Raises Refused if the pool is open, a person is no assessor, or a topic is taken."""
    lock_for_assignment(pool, [assessor for _, assessor in couples])
    topics = {topic.pk: str(topic) for topic, _ in couples}
    conflicts, holders = conflicts_of_interest(pool, topics.values()), holders_of(pool, topics, kind)
    documents, round = documents_of_topics(pool, topics), latest_round(pool, kind)
    judged, given = judged_in(round, topics), []
    for topic, assessor in couples:
        held, of_topic = holders[topic.pk], judged[topic.pk]
        require_eligible(topic, assessor, held, conflicts)
        seat = free_seat(pool, topic, assessor, held, of_topic) if kind in Round.OFFICIAL else 1
        if topic.pk not in documents:
            raise Refused(f"The pool holds nothing for topic {topic}.")
        shown = presentation_of(documents[topic.pk], pool, topic, assessor)
        held.append(part_of(round, topic, assessor, shown, {pk for _, pk in shown}, of_topic, seat))
        given.append(held[-1])
    return store_assignments(given)


def lock_for_assignment(pool: Pool, people: Iterable[User]) -> None:
    """Until the end of the transaction: the pool with its assignments, and that these people are assessors."""
    require_active(pool.campaign)
    if not Pool.every.select_for_update().get(pk=pool.pk).frozen:
        raise Refused("Freeze the pool first: what is assigned must not change.")
    wanted = {person.pk: person for person in people}
    # Their accounts are not locked: saves of the same people go on.
    members = judging_members(pool).filter(user__in=wanted).select_for_update(of=("self",))
    judging = set(members.values_list("user", flat=True))
    for key, person in wanted.items():
        if key not in judging:
            raise Refused(f"{person} is not an assessor of this campaign.")


def conflicts_of_interest(pool: Pool, topics: Iterable[str]) -> dict[tuple[str, str], str]:
    """Each of these topics with each user who should not judge it, and why: members of teams that have runs in the
    pool, and members with topics of their own."""
    teams, asked = {run["team"] for run in pool.runs}, set(topics)
    reasons: dict[tuple[str, str], str] = {}
    for member in pool.campaign.members.select_related("user"):
        barred, reason = asked.intersection(member.own_topics), "should not judge their own topics"
        if member.team in teams:
            barred, reason = asked, f"belongs to the team {member.team}, which has runs in the pool"
        reasons |= {(topic, member.user.username): reason for topic in barred}
    return reasons


def held_in_conflict(pool: Pool, user: User) -> list[str]:
    """The topics that a person judges, but should not; no training."""
    held = Assignment.objects.filter(round__pool=pool, assessor=user, handed_over=None)
    held = held.exclude(round__kind__in=Round.PREPARATORY).order_by("topic__number")
    conflicts = conflicts_of_interest(pool, topics := held.values_list("topic__topic_id", flat=True).distinct())
    return [topic for topic in topics if (topic, user.username) in conflicts]


def holders_of(pool: Pool, topics: Iterable[int], kind: str) -> defaultdict[int, list[Assignment]]:
    """The assignments of these topics, by topic; but who handed a topic over in a round of this kind can have the rest,
    and an expert can settle any."""
    taken = Assignment.objects.filter(round__pool=pool, topic__in=topics).select_related("assessor")
    taken = taken.exclude(handed_over__isnull=False, round__kind=kind).exclude(round__kind=Round.Kind.ADJUDICATION)
    return grouped((each.topic_id, each) for each in taken.defer("order", "instance_order"))


def judged_in(round: Round, topics: Iterable[int]) -> defaultdict[int, Judged]:
    """By topic."""
    rows = Judgment.objects.filter(assignment__round=round, assignment__topic__in=topics).order_by()
    columns = ("topic", "assessor", "official", "seat")
    judged = rows.values_list(*(f"assignment__{name}" for name in columns), "instance")
    return grouped((topic, (by, seat if official else 0, pk)) for topic, by, official, seat, pk in judged)


def require_eligible(
    topic: Topic, assessor: User, held: Iterable[Assignment], conflicts: Mapping[tuple[str, str], str]
) -> None:
    """Raises Refused if the assessor has the topic already, or should not judge it."""
    if any(each.assessor_id == assessor.pk for each in held):
        raise Refused(f"{assessor} has topic {topic} already.")
    if reason := conflicts.get((topic.topic_id, assessor.username)):
        raise Refused(f"{assessor} {reason} (see Members), so topic {topic} was not assigned.")


def free_seat(pool: Pool, topic: Topic, assessor: User, held: Iterable[Assignment], judged: Judged) -> int:
    """The first seat of a topic that nobody holds; who has judged a part of the topic gets the same seat again. Raises
    Refused if there is none."""
    taken = {each.seat: each.assessor for each in held if each.official}
    free = [seat for seat in range(1, pool.rules.assessors + 1) if seat not in taken]
    if not free:
        names = " and ".join(f"{taken[seat]}'s" for seat in sorted(taken))
        raise Refused(f"Topic {topic} is {names} already. Use a dual round for a further assessor.")
    own = next((seat for person, seat, _ in judged if seat and person == assessor.pk), free[0])
    if own not in free:
        raise Refused(f"{assessor} has judged a part of topic {topic}, and somebody else judges the rest.")
    return own


def part_of(
    round: Round, topic: Topic, assessor: User, shown: Shown, documents: set[int], judged: Judged, seat: int
) -> Assignment:
    """These documents of a topic as an assignment: without those that others have judged in the same seat, and with
    those that the assessor has judged before."""
    own = {instance for person, _, instance in judged if person == assessor.pk}
    others = {instance for person, at, instance in judged if person != assessor.pk and at == seat}
    if own & others:
        raise Refused(f"{assessor} has judged documents of topic {topic} that someone else has judged since.")
    part = documents - others | own
    orders = orders_of([pair for pair in shown if pair[1] in part])
    official = round.kind in Round.OFFICIAL
    return Assignment(round=round, topic=topic, assessor=assessor, official=official, seat=seat, **orders)


def store_assignments(rows: Sequence[Assignment]) -> list[Assignment]:
    """If an assessor had the topic before in the round, the old assignment is restored, with its judgments."""
    terms = ["order", "instance_order", "official", "seat", "closed", "paused", "handed_over"]
    once = ["round", "topic", "assessor"]
    return Assignment.every.bulk_create(rows, update_conflicts=True, update_fields=terms, unique_fields=once)


def give_documents(round: Round, topic: Topic, assessor: User, documents: set[int], seat: int = 1) -> Assignment:
    shown, judged = presentation(round.pool, topic, assessor), judged_in(round, [topic.pk])[topic.pk]
    return store_assignments([part_of(round, topic, assessor, shown, documents, judged, seat)])[0]


def give_more_documents(round: Round, topic: Topic, assessor: User, documents: set[int]) -> None:
    """Assign these instances of a topic; an assignment that exists keeps its places and gets them at the end."""
    current = Assignment.every.select_for_update().filter(round=round, topic=topic, assessor=assessor).first()
    if current is None:
        give_documents(round, topic, assessor, documents)
        return
    new = orders_of([pair for pair in presentation(round.pool, topic, assessor) if pair[1] in documents])
    current.order += [entry for entry in new["order"] if entry not in current.order]
    current.instance_order += [pk for pk in new["instance_order"] if pk not in current.instance_order]
    current.closed = None
    current.save(update_fields=["order", "instance_order", "closed"])


def latest_round(pool: Pool, kind: str) -> Round:
    return pool.rounds.filter(kind=kind).last() or Round.objects.create(pool=pool, kind=kind)


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
    """Give each topic to its assessor, as `give_topics` does; None for no topics."""
    couples = list(chosen)
    if not couples:
        return None
    given = give_topics(pool, couples, kind)
    action = f"Assigned {number(len(given), 'topic')} ({given[0].round})"
    return history.note(by, action, pool.campaign, [whose(given, "to")], page="assignments")


def whose(assignments: Iterable[Assignment], word: str) -> str:
    """Which topics, ``word`` which assessor."""
    return shares(((assignment.topic, assignment.assessor) for assignment in assignments), word)


@transaction.atomic
def spread_open_topics(pool: Pool, assessors: Iterable[User], by: User) -> Action | None:
    """Give every topic with too few official assessors to one of these, or to several different ones, so that all have
    about as many documents to judge, counting what they have already. Raises Refused as `give_topics` does."""
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


def documents_by_topic(pool: Pool) -> Counter[int]:
    counts = Instance.objects.filter(entry__pool=pool).order_by().values_list("entry__topic").annotate(Count("pk"))
    return Counter(dict(counts))


@transaction.atomic
def take_back_assignments(assignments: Sequence[Assignment], by: User) -> Action:
    """Take back assignments that nobody has begun to judge, all or none. Judgments that still wait in an assessor's
    browser are kept when they arrive. Raises Refused if one has judgments by now."""
    for assignment in assignments:
        end_assignment(assignment)
    action, campaign = f"Took {number(len(assignments), 'assignment')} back", assignments[0].round.pool.campaign
    return history.note(by, action, campaign, [whose(assignments, "from")], page="assignments")


def taken_back(pool: Pool, keys: Iterable[int]) -> list[Assignment]:
    """Those of these assignments that were taken back in the last hour, and that nobody else has by now."""
    ended = Assignment.every.filter(pk__in=keys, round__pool=pool, closed__gt=timezone.now() - timedelta(hours=1))
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


@transaction.atomic
def hand_over_topic(assignment: Assignment, assessor: User, by: User, done: str = Done.KEEP) -> Action:
    """Give a topic to another assessor: what is not judged yet or, if what is judged becomes dual or is done again, all
    of it. Decisions of the first assessor that arrive later are kept in the history only. Raises Refused if everything
    is judged and counts, or the other person is no assessor, or has the topic already."""
    pool, topic, round = assignment.round.pool, assignment.topic, assignment.round
    lock_for_assignment(pool, [assessor])
    # A save locks its assignment, too: it comes before this, or after.
    current = Assignment.objects.select_for_update().filter(pk=assignment.pk, handed_over=None).first()
    if current is None:
        raise Refused(f"Topic {topic} is no longer {assignment.assessor}'s.")
    held = holders_of(pool, [topic.pk], round.kind)[topic.pk]
    require_eligible(topic, assessor, held, conflicts_of_interest(pool, [topic.topic_id]))
    judged = set(current.judgments.values_list("instance", flat=True))
    documents = set(current.instance_order) - (judged if done == Done.KEEP else set())
    if not documents:
        raise Refused(f"{assignment.assessor} has judged all of topic {topic}.")
    now = timezone.now()
    if not judged:
        end_assignment(current)
    elif done == Done.AGAIN:
        Assignment.objects.filter(pk=current.pk).update(closed=now, official=False)
    elif done == Done.DUAL:
        dual = latest_round(pool, Round.Kind.DUAL)
        Assignment.objects.filter(pk=current.pk).update(handed_over=now, official=False, round=dual)
    else:
        Assignment.objects.filter(pk=current.pk).update(handed_over=now)
    taken_over = give_documents(round, topic, assessor, documents, current.seat)
    part = "the rest of topic" if done == Done.KEEP else "topic"
    given = number(len(taken_over.instance_order), pool.campaign.words.document)
    became = {Done.DUAL: ". What was judged is a dual judgment", Done.AGAIN: ". What was judged no longer counts"}
    action = f"{assessor} now has {part} {topic} of {assignment.assessor}: {given}{became.get(Done(done), '')}"
    return history.note(by, action, pool.campaign, page="assignments")


def late_assignments(pool: Pool) -> QuerySet[Assignment]:
    """The assignments that were taken back or handed over and for which judgments arrived since; ``late`` says how
    many."""
    ended = Assignment.every.filter(Q(closed__isnull=False) | Q(handed_over__isnull=False), round__pool=pool)
    judgments = Count("judgments", filter=Q(handed_over=None), distinct=True)
    late = judgments + Count("events", filter=Q(events__at__gt=F("handed_over")), distinct=True)
    return ended.select_related("assessor").annotate(late=late).filter(late__gt=0).order_by("pk")
