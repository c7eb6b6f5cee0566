"""How far the judging is, by topic and by assessor."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import datetime
from statistics import median
from typing import Any, NamedTuple

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Count, F, Func, IntegerField, Max, Q, Sum
from django.db.models.sql.compiler import SQLCompiler

from assess.ir.common.percent import percent
from assess.models import Assignment, Campaign, Instance, Judgment, JudgmentEvent, Pool, Round, Topic
from assess.services.judging.pace import own_pace


class ArrayLength(Func):
    """How many elements a JSON array has: the database counts them, so that long orders need not be read."""

    function = "JSON_ARRAY_LENGTH"
    output_field = IntegerField()

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, Any]:
        return self.as_sql(compiler, connection, function="JSONB_ARRAY_LENGTH")


class Pace(NamedTuple):
    """How many documents are judged of how many, with the time a judgment takes, in seconds of attention: None if none
    was timed, the median also if it was not asked for."""

    judged: int
    total: int
    grades: dict[str, int]
    mean_seconds: float | None
    median_seconds: float | None

    @property
    def percent(self) -> int:
        return int(percent(self.judged, self.total, 0))

    @property
    def outcomes(self) -> int:
        """How many judgments have an outcome instead of a grade."""
        return sum(count for decision, count in self.grades.items() if not decision.isdigit())

    @property
    def left(self) -> int:
        return self.total - self.judged


class AssignmentProgress(NamedTuple):
    """An assignment, how far it is, and when its last judgment was made."""

    assignment: Assignment
    pace: Pace
    last: datetime | None

    @property
    def idle_since(self) -> datetime | None:
        """Since when nothing has been judged that could be: None if it is complete, paused or handed over."""
        is_waiting = self.is_current and self.pace.left and not self.assignment.paused
        return (self.last or self.assignment.created) if is_waiting else None

    @property
    def is_current(self) -> bool:
        """Whether its assessor has something to do with it: all but the part that was judged before a hand-over."""
        return self.assignment.handed_over is None


class TopicProgress(NamedTuple):
    """A topic of the pool; ``units`` counts its entries, ``pace`` the official judgments."""

    topic: Topic
    units: int
    pace: Pace
    assignments: list[AssignmentProgress]

    @property
    def main(self) -> AssignmentProgress | None:
        """The official assessor's, if the topic has one now."""
        return next((share for share in self.official if share.is_current), None)

    @property
    def official(self) -> list[AssignmentProgress]:
        """Those that make the qrels: several if the topic was handed over."""
        return [share for share in self.assignments if share.assignment.official]

    @property
    def dual(self) -> list[AssignmentProgress]:
        return [share for share in self.assignments if not share.assignment.official]


class AssessorProgress(NamedTuple):
    """An assessor's progress over all rounds."""

    assessor: str
    pace: Pace


class Overview(NamedTuple):
    """The whole campaign over official judgments, by topic, and by assessor."""

    whole: Pace
    topics: list[TopicProgress]
    assessors: list[AssessorProgress]


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


def main_round(pool: Pool) -> MainRound:
    """The main round of a pool now."""
    official = Judgment.objects.filter(assignment__round__pool=pool, assignment__official=True)
    done = official.aggregate(judged=Count("pk"), topics=Count("assignment__topic", distinct=True))
    return main_round_with(pool, done["judged"], done["topics"])


def main_round_with(pool: Pool, judged: int, topics: int) -> MainRound:
    """The main round with this many documents judged, of this many topics."""
    documents = Instance.objects.filter(entry__pool=pool)
    whole = documents.aggregate(documents=Count("pk"), topics=Count("entry__topic", distinct=True))
    return MainRound(judged, whole["documents"], whole["topics"], whole["topics"] - topics)


def decisions(pool_id: int) -> int:
    """How many decisions were ever made in the official rounds of a pool, including those that change or remove a
    judgment. A decision that arrived after its topic was taken back counts once the topic is assigned again; one that
    arrived after the topic was handed over does not."""
    in_time = Q(assignment__closed=None) | Q(at__lte=F("assignment__closed"))
    events = JudgmentEvent.objects.filter(assignment__round__pool=pool_id, assignment__round__kind__in=Round.OFFICIAL)
    return events.filter(in_time, late=False).count()


def is_going_on(pool: Pool) -> bool:
    """Whether any official assessor still has something to judge."""
    official = Assignment.objects.filter(round__pool=pool, official=True)
    documents = Instance.objects.filter(entry__pool=pool, entry__topic__in=official.values("topic"))
    return documents.exclude(judgments__assignment__in=official).exists()


class JudgmentTally(NamedTuple):
    """The judgments of an assignment: how many of each grade and outcome, and for each of these when it was last given,
    how many were timed (imported ones were not), and their milliseconds of attention together. ``milliseconds``: of
    each timed judgment, empty unless medians are wanted."""

    decisions: Counter[str]
    dates: list[datetime]
    timed: list[int]
    active_ms: list[int]
    milliseconds: list[int]


def overview(pool: Pool, *, with_medians: bool = False) -> Overview:
    """Progress of a pool, in a fixed number of queries. The database counts; only for ``with_medians`` the times come
    one by one."""
    sizes = pool.entries.order_by().values_list("topic").annotate(Count("pk", distinct=True), Count("instances"))
    assigned = assignments_of(pool)
    counted = tallies(pool, with_medians)
    return assemble(pool.campaign, {topic: (units, documents) for topic, units, documents in sizes}, assigned, counted)


def assignments_of(pool: Pool) -> list[Assignment]:
    """By topic; ``documents`` says how many instances each has to judge, without reading their order."""
    chosen = Assignment.objects.filter(round__pool=pool).select_related("assessor", "round", "topic")
    chosen = chosen.annotate(documents=ArrayLength("instance_order")).defer("order", "instance_order")
    return list(chosen.order_by("topic__number", "pk"))


def tallies(pool: Pool, with_medians: bool) -> dict[int, JudgmentTally]:
    """The judgments of a pool by assignment, in one query, or in two with medians."""
    judgments = Judgment.objects.filter(assignment__round__pool=pool).order_by()
    counted: defaultdict[int, JudgmentTally] = defaultdict(lambda: JudgmentTally(Counter(), [], [], [], []))
    groups = judgments.values_list("assignment", "grade", "outcome").annotate(
        count=Count("pk"), last=Max("changed"), timed=Count("pk", filter=Q(active_ms__gt=0)), active=Sum("active_ms")
    )
    for pk, grade, outcome, count, last, timed, active_ms in groups:
        tally = counted[pk]
        tally.decisions[outcome or str(grade)] = count
        tally.dates.append(last)
        tally.timed.append(timed)
        tally.active_ms.append(active_ms)
    timed_ones = judgments.filter(active_ms__gt=0).values_list("assignment", "active_ms")
    for pk, milliseconds in timed_ones if with_medians else ():
        counted[pk].milliseconds.append(milliseconds)
    return counted


def assemble(
    campaign: Campaign,
    sizes: dict[int, tuple[int, int]],
    assignments: list[Assignment],
    counted: dict[int, JudgmentTally],
) -> Overview:
    """``sizes``: the units and documents of each topic."""
    by_topic: defaultdict[int, list[AssignmentProgress]] = defaultdict(list)
    by_assessor: defaultdict[str, list[Assignment]] = defaultdict(list)

    def over(chosen: Iterable[Assignment], total: int) -> Pace:
        return pace([counted[assignment.pk] for assignment in chosen if assignment.pk in counted], total)

    def share(assignment: Assignment) -> int:
        """How many documents the assessor has: after a hand-over those judged before it."""
        judged = counted[assignment.pk].decisions.total() if assignment.pk in counted else 0
        return judged if assignment.handed_over else assignment.documents  # type: ignore[attr-defined]

    for assignment in assignments:
        dates = counted[assignment.pk].dates if assignment.pk in counted else []
        progress = AssignmentProgress(assignment, over([assignment], share(assignment)), max(dates, default=None))
        by_topic[assignment.topic_id].append(progress)
        by_assessor[assignment.assessor.username].append(assignment)

    def of_topic(topic: Topic) -> TopicProgress:
        official = (progress.assignment for progress in by_topic[topic.pk] if progress.assignment.official)
        units, documents = sizes[topic.pk]
        return TopicProgress(topic, units, over(official, documents), by_topic[topic.pk])

    return Overview(
        over(
            (assignment for assignment in assignments if assignment.official),
            sum(documents for _, documents in sizes.values()),
        ),
        [of_topic(topic) for topic in campaign.topics.all() if topic.pk in sizes],
        [AssessorProgress(name, over(chosen, sum(map(share, chosen)))) for name, chosen in sorted(by_assessor.items())],
    )


def pace(counted: Iterable[JudgmentTally], total: int) -> Pace:
    """Of several assignments together."""
    decisions: Counter[str] = Counter()
    timed = active_ms = 0
    times: list[int] = []
    for tally in counted:
        decisions.update(tally.decisions)
        timed += sum(tally.timed)
        active_ms += sum(tally.active_ms)
        times += tally.milliseconds
    return Pace(
        decisions.total(),
        total,
        dict(decisions),
        active_ms / timed / 1000 if timed else None,
        median(times) / 1000 if times else None,
    )


class OwnProgress(NamedTuple):
    """An assessor's own progress in an assignment: fully judged entries, of how many; documents left; and the seconds
    of attention that a document takes them, None if too few were timed."""

    judged: int
    total: int
    documents_left: int
    seconds_each: float | None

    @property
    def left(self) -> int:
        return self.total - self.judged

    @property
    def seconds_left(self) -> float | None:
        """Attention until the topic is judged."""
        if not self.documents_left or self.seconds_each is None:
            return None
        return self.documents_left * self.seconds_each


def of_assessor(assignments: Iterable[Assignment]) -> dict[int, OwnProgress]:
    """An assessor's own progress in each of these assignments, in three queries."""
    chosen = list(assignments)
    instances = Instance.objects.filter(
        entry__pool__in={assignment.round.pool_id for assignment in chosen},
        entry__topic__in={assignment.topic_id for assignment in chosen},
    )
    entries = dict(instances.order_by().values_list("pk", "entry_id"))
    judged: defaultdict[int, set[int]] = defaultdict(set)
    for pk, instance in Judgment.objects.filter(assignment__in=chosen).values_list("assignment", "instance"):
        judged[pk].add(instance)
    seconds = own_pace(chosen)

    def own(assignment: Assignment) -> OwnProgress:
        left = [instance for instance in assignment.instance_order if instance not in judged[assignment.pk]]
        unfinished = len({entries[instance] for instance in left})
        total = len(assignment.order)
        return OwnProgress(total - unfinished, total, len(left), seconds[assignment.pk])

    return {assignment.pk: own(assignment) for assignment in chosen}
