"""How far the judging is, by topic and by assessor."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from statistics import mean, median
from typing import NamedTuple

from django.db.models import Count, F, Q

from assess.ir.common.percent import percent
from assess.models import Assignment, Campaign, Instance, Judgment, JudgmentEvent, Pool, PoolEntry, Round, Topic
from assess.services.judging.pace import own_pace

PACE_FIELDS = ("assignment_id", "grade", "outcome", "active_ms")


class Pace(NamedTuple):
    """How many documents are judged of how many, with the time a judgment takes, in seconds of attention."""

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
        """How many judgments are no grade."""
        return sum(count for decision, count in self.grades.items() if not decision.isdigit())

    @property
    def left(self) -> int:
        return self.total - self.judged


class TopicProgress(NamedTuple):
    """A topic of the pool with its assignments; ``units`` is the number of pool entries."""

    topic: Topic
    units: int
    pace: Pace
    assignments: list[Assignment]


class AssessorProgress(NamedTuple):
    """An assessor's progress over all rounds."""

    assessor: str
    pace: Pace


class Overview(NamedTuple):
    """The whole campaign: over official assignments, by topic, by assessor (all rounds), by assignment."""

    whole: Pace
    topics: list[TopicProgress]
    assessors: list[AssessorProgress]
    assignments: dict[int, Pace]


class Stand(NamedTuple):
    """How far the main round is: documents judged, of how many; topics, and those of which nothing is judged."""

    judged: int
    documents: int
    topics: int
    untouched: int

    @property
    def is_complete(self) -> bool:
        return self.judged >= self.documents


def stand(pool: Pool) -> Stand:
    """How far the main round of a pool is now."""
    official = Judgment.objects.filter(assignment__round__pool=pool, assignment__official=True)
    done = official.aggregate(judged=Count("pk"), topics=Count("assignment__topic", distinct=True))
    return stand_with(pool, done["judged"], done["topics"])


def stand_with(pool: Pool, judged: int, topics: int) -> Stand:
    """How far the main round is with so many documents judged, of so many topics."""
    documents = Instance.objects.filter(entry__pool=pool)
    whole = documents.aggregate(documents=Count("pk"), topics=Count("entry__topic", distinct=True))
    return Stand(judged, whole["documents"], whole["topics"], whole["topics"] - topics)


def decisions(pool_id: int) -> int:
    """How many decisions were ever made in the main round of a pool: grows with each, also with one that changes a
    judgment or takes it back. Those that arrived after their topic was taken back count once it is given again."""
    in_time = Q(assignment__closed=None) | Q(at__lte=F("assignment__closed"))
    made = JudgmentEvent.objects.filter(assignment__round__pool=pool_id, assignment__round__kind=Round.Kind.MAIN)
    return made.filter(in_time).count()


def is_going_on(pool: Pool) -> bool:
    """Whether somebody has something left to judge in the main round."""
    given = Assignment.objects.filter(round__pool=pool, official=True)
    documents = Instance.objects.filter(entry__pool=pool, entry__topic__in=given.values("topic"))
    return documents.exclude(judgments__assignment__in=given).exists()


def overview(pool: Pool) -> Overview:
    """Progress of a pool, in six queries."""
    documents = Counter(Instance.objects.filter(entry__pool=pool).values_list("entry__topic_id", flat=True))
    units = Counter(pool.entries.values_list("topic_id", flat=True))
    assignments = list(
        Assignment.objects.filter(round__pool=pool)
        .select_related("assessor", "round", "topic")
        .order_by("topic__number", "pk")
    )
    judgments: defaultdict[int, list[Judgment]] = defaultdict(list)
    for judgment in Judgment.objects.filter(assignment__round__pool=pool).only(*PACE_FIELDS):
        judgments[judgment.assignment_id].append(judgment)
    return assemble(pool.campaign, documents, units, assignments, judgments)


def assemble(
    campaign: Campaign,
    documents: Counter[int],
    units: Counter[int],
    assignments: list[Assignment],
    judgments: dict[int, list[Judgment]],
) -> Overview:
    mine: defaultdict[int, list[Assignment]] = defaultdict(list)
    by_person: defaultdict[str, list[Assignment]] = defaultdict(list)
    for assignment in assignments:
        mine[assignment.topic_id].append(assignment)
        by_person[assignment.assessor.username].append(assignment)

    def over(chosen: Iterable[Assignment], total: int | None = None) -> Pace:
        chosen = list(chosen)
        rows = [row for one in chosen for row in judgments.get(one.pk, [])]
        return pace(rows, sum(documents[one.topic_id] for one in chosen) if total is None else total)

    topics = [
        TopicProgress(
            topic, units[topic.pk], over([a for a in mine[topic.pk] if a.official], documents[topic.pk]), mine[topic.pk]
        )
        for topic in campaign.topics.all()
        if units[topic.pk]
    ]
    return Overview(
        over([one for one in assignments if one.official], documents.total()),
        topics,
        [AssessorProgress(name, over(theirs)) for name, theirs in sorted(by_person.items())],
        {one.pk: over([one]) for one in assignments},
    )


def pace(rows: list[Judgment], total: int) -> Pace:
    """Judgments without a measured time (imported ones) do not enter the times."""
    seconds = [row.active_ms / 1000 for row in rows if row.active_ms]
    return Pace(
        len(rows),
        total,
        dict(Counter(row.decision for row in rows)),
        mean(seconds) if seconds else None,
        median(seconds) if seconds else None,
    )


class Own(NamedTuple):
    """How many entries of an assignment are judged, with every document of theirs, of how many; how many documents
    are left, and the seconds of attention that one takes this assessor, None where too few were timed."""

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


def of_assessor(assignments: Iterable[Assignment]) -> dict[int, Own]:
    """An assessor's own progress in each of the assignments, counted as the pages of judging do; in three queries."""
    chosen = list(assignments)
    entries = PoolEntry.objects.filter(
        pool__in={one.round.pool_id for one in chosen}, topic__in={one.topic_id for one in chosen}
    )
    documents = dict(entries.order_by().annotate(Count("instances")).values_list("pk", "instances__count"))
    done = Judgment.objects.filter(assignment__in=chosen).order_by().values_list("assignment", "instance__entry")
    counts = list(done.annotate(Count("pk")))
    finished = Counter(one for one, entry, count in counts if count == documents[entry])
    judged: Counter[int] = Counter()
    for one, _, count in counts:
        judged[one] += count
    pace = own_pace(chosen)
    return {
        one.pk: Own(
            finished[one.pk],
            len(one.order),
            sum(documents[entry] for entry in one.order) - judged[one.pk],
            pace[one.pk],
        )
        for one in chosen
    }
