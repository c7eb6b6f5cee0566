"""How far the judging is: by topic, by assessor and by round."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Count, F, Func, IntegerField, OuterRef, Q, Subquery, Sum, TextChoices
from django.db.models.functions import Coalesce
from django.db.models.sql.compiler import SQLCompiler

from assess.ir.common.rows import grouped
from assess.ir.releases.release_options import REMOVED
from assess.models import Assignment, Campaign, Instance, Judgment, JudgmentEvent, Pool, Round, Topic
from assess.services.pool.pools import topic_counts
from assess.services.rounds.assignments import open_topics
from assess.services.rounds.pace import Pace, own_pace, paces_by_assignment

STOPPED_AFTER = timedelta(days=7)
"""An assignment in which nothing has been judged for so long has stopped."""


class ArrayLength(Func):
    """How many elements a JSON array has: the database counts them, so that long orders need not be read."""

    function = "JSON_ARRAY_LENGTH"
    output_field = IntegerField()

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, Any]:
        return self.as_sql(compiler, connection, function="JSONB_ARRAY_LENGTH")


class AssignmentProgress(NamedTuple):
    assignment: Assignment
    pace: Pace

    @property
    def idle_since(self) -> datetime | None:
        """Since when nothing has been judged that could be: None if it is complete, paused or handed over."""
        is_waiting = self.is_current and self.pace.left and not self.assignment.paused
        return (self.pace.last or self.assignment.created) if is_waiting else None

    @property
    def is_current(self) -> bool:
        """Whether its assessor has something to do with it: all but the part that was judged before a hand-over."""
        return self.assignment.handed_over is None


class TopicProgress(NamedTuple):
    """A topic of the pool; ``units`` counts its entries, ``pace`` the official judgments, of as many assessors as
    there are ``seats``."""

    topic: Topic
    units: int
    pace: Pace
    assignments: list[AssignmentProgress]
    seats: int = 1

    @property
    def is_assigned(self) -> bool:
        """Whether the topic has all its official assessors now."""
        return sum(share.is_current for share in self.official) >= self.seats

    @property
    def documents(self) -> int:
        """How many each of them has to judge."""
        return self.pace.total // self.seats

    @property
    def official(self) -> list[AssignmentProgress]:
        """Those that make the qrels: several if the topic was handed over."""
        return [share for share in self.assignments if share.assignment.official]

    @property
    def dual(self) -> list[AssignmentProgress]:
        return [share for share in self.assignments if not share.assignment.official]


class AssessorProgress(NamedTuple):
    """An assessor's progress over all rounds, and in how many topics."""

    assessor: str
    pace: Pace
    topics: int


class MainRound(NamedTuple):
    """How many documents of the main round are judged, of how many; how many topics there are, and how many of them
    have no judgment."""

    judged: int
    documents: int
    topics: int
    untouched: int

    @property
    def is_complete(self) -> bool:
        return self.judged >= self.documents


class Overview(NamedTuple):
    """A pool as a whole over official judgments, by topic, and by assessor."""

    pool: Pool
    whole: Pace
    topics: list[TopicProgress]
    assessors: list[AssessorProgress]

    @property
    def shares(self) -> list[AssignmentProgress]:
        return [share for topic in self.topics for share in topic.assignments]

    @property
    def is_going_on(self) -> bool:
        """Whether any official assessor still has something to judge."""
        return any(share.is_current and share.pace.left for topic in self.topics for share in topic.official)

    @property
    def new_failures(self) -> int:
        """How many system failures are new, of those that their assessors still have."""
        return sum(share.pace.new_failures for share in self.shares if share.is_current)


def main_round(pool: Pool) -> MainRound:
    official = Judgment.objects.filter(assignment__round__pool=pool, assignment__official=True)
    done = official.aggregate(judged=Count("pk"), topics=Count("assignment__topic", distinct=True))
    documents = Instance.objects.filter(entry__pool=pool)
    whole = documents.aggregate(documents=Count("pk"), topics=Count("entry__topic", distinct=True))
    needed, topics = whole["documents"] * pool.rules.assessors, whole["topics"]
    return MainRound(done["judged"], needed, topics, topics - done["topics"])


def count_decisions(pool_id: int) -> int:
    """How many decisions were ever made in the official rounds of a pool, including those that change or remove a
    judgment. A decision that arrived after its topic was taken back counts once the topic is assigned again; one that
    arrived after the topic was handed over does not."""
    in_time = Q(assignment__closed=None) | Q(at__lte=F("assignment__closed"))
    events = JudgmentEvent.objects.filter(assignment__round__pool=pool_id, assignment__round__kind__in=Round.OFFICIAL)
    return events.filter(in_time, late=False).count()


def kinds_going_on(pool: Pool) -> set[str]:
    """The kinds of rounds in which somebody still has something to judge."""
    current = Assignment.objects.filter(round__pool=pool, handed_over=None).order_by()
    # Each is counted in an index of its own; a join would group by the long orders.
    judged = Judgment.objects.filter(assignment=OuterRef("pk")).order_by().values("assignment").values(n=Count("pk"))
    counted = current.annotate(documents=ArrayLength("instance_order"), judged=Coalesce(Subquery(judged), 0))
    return set(counted.filter(judged__lt=F("documents")).values_list("round__kind", flat=True))


def overview(pool: Pool, *, in_detail: bool = False) -> Overview:
    """Progress of a pool, in a fixed number of queries. The database counts; only ``in_detail`` the times come one by
    one."""
    sizes = {size.topic.pk: size for size in topic_counts(pool)}
    paces = paces_by_assignment(pool, in_detail)
    assigned = Assignment.objects.filter(round__pool=pool).select_related("assessor", "round")
    assigned = assigned.annotate(documents=ArrayLength("instance_order")).defer("order", "instance_order")
    shares: defaultdict[int, list[AssignmentProgress]] = defaultdict(list)
    for assignment in assigned.order_by("topic__number", "pk"):
        assignment.topic, pace = sizes[assignment.topic_id].topic, paces[assignment.pk]
        # After a hand-over the assessor has the documents judged before it.
        pace.total = pace.judged if assignment.handed_over else assignment.documents
        shares[assignment.topic_id].append(AssignmentProgress(assignment, pace))
    seats = pool.rules.assessors
    rows = [
        TopicProgress(topic, units, official_pace(shares[topic.pk], documents * seats), shares[topic.pk], seats)
        for topic, units, documents in sizes.values()
    ]
    every = [share for row in rows for share in row.assignments]
    return Overview(pool, official_pace(every, sum(row.pace.total for row in rows)), rows, by_assessor(every))


def by_assessor(shares: Iterable[AssignmentProgress]) -> list[AssessorProgress]:
    paces = grouped((share.assignment.assessor.username, share.pace) for share in shares)
    return [AssessorProgress(name, Pace.of(own), len(own)) for name, own in sorted(paces.items())]


def official_pace(shares: Iterable[AssignmentProgress], documents: int) -> Pace:
    return Pace.of((share.pace for share in shares if share.assignment.official), documents)


def is_stopped(share: AssignmentProgress, now: datetime) -> bool:
    return share.idle_since is not None and now - share.idle_since >= STOPPED_AFTER


def stopped_assignments(view: Overview, now: datetime) -> list[AssignmentProgress]:
    return sorted((share for share in view.shares if is_stopped(share, now)), key=lambda share: share.idle_since or now)


def overdue_rounds(view: Overview, today: date) -> list[tuple[Round, int]]:
    """The rounds over the pool whose last day is over, each with how many judgments are still to be made."""
    left: Counter[Round] = Counter()
    for share in view.shares:
        due = share.assignment.round.due
        if due and due < today and share.is_current:
            left[share.assignment.round] += share.pace.left
    return [(round, number) for round, number in left.items() if number]


def unassigned_topics(view: Overview) -> list[TopicProgress]:
    """The topics with too few assessors, of those not removed, while somebody still judges others for the qrels."""
    topics = [topic for topic in view.topics if not topic.is_assigned and topic.topic.kind != REMOVED]
    return [topic for topic in topics if topic.pace.left] if view.is_going_on else []


class OwnProgress(NamedTuple):
    """An assessor's own progress in an assignment: fully judged entries, of how many; documents left; and the seconds
    of attention that a document takes them, None if too few were timed."""

    assignment: Assignment
    judged: int
    total: int
    documents_left: int
    seconds_each: float | None

    @property
    def left(self) -> int:
        return self.total - self.judged

    @property
    def seconds_left(self) -> float | None:
        """Attention until the topic is judged; None if that is not known, or it is judged."""
        return self.documents_left * self.seconds_each if self.documents_left and self.seconds_each else None


def of_assessor(assignments: Iterable[Assignment]) -> list[OwnProgress]:
    """An assessor's own progress in each of these assignments, in three more queries."""
    chosen = list(assignments)
    instances = Instance.objects.filter(
        entry__pool__in={assignment.round.pool_id for assignment in chosen},
        entry__topic__in={assignment.topic_id for assignment in chosen},
    )
    entries = dict(instances.order_by().values_list("pk", "entry_id"))
    judged: defaultdict[int, set[int]] = defaultdict(set)
    for pk, instance in Judgment.objects.filter(assignment__in=chosen).values_list("assignment", "instance"):
        judged[pk].add(instance)
    seconds, progress = own_pace(chosen), []
    for assignment in chosen:
        left = [instance for instance in assignment.instance_order if instance not in judged[assignment.pk]]
        total, each = len(assignment.order), seconds.get(assignment.topic.campaign_id)
        unfinished = len({entries[instance] for instance in left})
        progress.append(OwnProgress(assignment, total - unfinished, total, len(left), each))
    return progress


class State(TextChoices):
    UNASSIGNED = "unassigned", "not assigned"
    ASSIGNED = "assigned", "assigned"
    GOING_ON = "going on", "being judged"
    DONE = "done", "all judged"


class RoundState(NamedTuple):
    """A round with how many people have something in it, and how many of its documents are judged. The main round has
    all documents of the pool that are not additional; ``open_topics`` says how many of its topics nobody has."""

    round: Round
    people: int = 0
    judged: int = 0
    documents: int = 0
    open_topics: int = 0

    @property
    def state(self) -> State:
        if not self.people:
            return State.UNASSIGNED
        if self.judged >= self.documents:
            return State.DONE
        return State.GOING_ON if self.judged else State.ASSIGNED


def round_states(campaign: Campaign) -> list[RoundState]:
    """The rounds in which somebody has something, the oldest first, and the main round of a frozen pool in any case. In
    a fixed number of queries."""
    counted, pool = counts_by_round(campaign), campaign.frozen_pool()
    chosen = Round.objects.filter(Q(pk__in=counted) | Q(pool=pool, kind=Round.Kind.MAIN))
    rounds = list(chosen.select_related("pool__campaign").order_by(F("created").asc(nulls_first=True), "pk"))
    if pool:
        main = next((each for each in rounds if (each.pool_id, each.kind) == (pool.pk, Round.Kind.MAIN)), None)
        if main is None:
            rounds.append(main := Round(pool=pool, kind=Round.Kind.MAIN))
        additional = sum(counted[each.pk]["documents"] for each in rounds if each.kind == Round.Kind.ADDITIONAL)
        documents = Instance.objects.filter(entry__pool=pool).count() - additional
        own = {"documents": documents, "open_topics": open_topics(pool).count()}
        counted[main.pk] = counted.get(main.pk, {}) | own
    return [RoundState(each, **counted[each.pk]) for each in rounds]


def counts_by_round(campaign: Campaign) -> dict[int, dict[str, int]]:
    """The fields of a state by round, without assignments that were taken back. After a hand-over, its first assessor
    has what was judged before it."""
    assigned = Assignment.objects.filter(round__pool__campaign=campaign).order_by()
    given = assigned.values_list("round").annotate(
        people=Count("assessor", distinct=True),
        documents=Sum(ArrayLength("instance_order"), filter=Q(handed_over=None)),
    )
    judgments = Judgment.objects.filter(assignment__in=assigned.values("pk")).order_by()
    before = Count("pk", filter=Q(assignment__handed_over__isnull=False))
    made = judgments.values_list("assignment__round").annotate(all=Count("pk"), before=before)
    counted = {pk: (judged, before) for pk, judged, before in made}
    return {
        pk: {"people": people, "judged": judged, "documents": (documents or 0) + before}
        for pk, people, documents in given
        for judged, before in [counted.get(pk, (0, 0))]
    }
