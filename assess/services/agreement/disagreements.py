"""Documents with grades from two assessors: where they disagree, and what each of them decided before."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Abs

from assess.ir.common.rows import grouped, nested
from assess.models import Assignment, Instance, Judgment, JudgmentEvent, Pool, Round
from assess.services.agreement.agreement import COMPARED_WITH
from assess.services.rounds import adjudication


class Chosen(NamedTuple):
    """Which comparisons are listed: of a topic, of two assessors, of a grade from each of them, with grades at least
    this ``distance`` apart; ``state``: open, with an expert, or settled. Empty: all."""

    topic: str = ""
    first: str = ""
    second: str = ""
    grade: int | None = None
    other_grade: int | None = None
    distance: int = 1
    state: str = ""


class Disagreement(NamedTuple):
    """A document with the judgments of two assessors, in the order of their names, each with the decisions behind it,
    the oldest first. ``preview``: an assignment and the place at which the document is shown in it, None if nobody has
    it any more; ``influence``: what settling it would change, None if that is not known."""

    instance: Instance
    distance: int
    sides: list[tuple[Judgment, list[JudgmentEvent]]]
    preview: tuple[int, int] | None
    influence: dict[str, Any] | None


Influences = Mapping[str, Mapping[str, dict[str, Any]]]
"""By instance and grade, as `services.scores.influence` makes them."""
Pair = tuple[int, int, dict[str, Any] | None]
"""Two judgments by key, and the influence of settling them."""


def compare_judgments(pool: Pool, chosen: Chosen) -> QuerySet[Judgment, Any]:
    """Judgments, each with ``other``, the id of a later one of the same document in the same round, and the
    ``distance`` of their grades, the furthest apart first. A document with three judgments is in it three times.

    The assignments are few and looked up first, so that the database joins judgments with judgments only."""
    groups = compared_assignments(pool, chosen)
    rows = Judgment.objects.annotate(
        other=F("instance__judgments"),
        other_grade=F("instance__judgments__grade"),
        other_assignment=F("instance__judgments__assignment_id"),
        distance=Abs(F("grade") - F("instance__judgments__grade")),
    )
    rows = rows.filter(other__gt=F("pk"), distance__gte=chosen.distance)
    if chosen.state:
        rows = rows.filter(in_state(pool, chosen.state))
    first_second = between(groups, chosen.first, chosen.grade, chosen.second, chosen.other_grade)
    second_first = between(groups, chosen.second, chosen.other_grade, chosen.first, chosen.grade)
    # Also if both are the same: the alternative keeps SQLite from looking up every assignment for every judgment.
    return rows.filter(first_second | second_first).order_by("-distance", "instance", "pk")


def in_state(pool: Pool, state: str) -> Q:
    """The documents that no expert was given (open), that one has still to settle (expert), or has settled."""
    given, settled = set(adjudication.documents_given(pool)), adjudication.settled_instances(pool)
    if state == "open":
        return ~Q(instance__in=given | settled)
    return Q(instance__in=settled if state == "settled" else given - settled)


Group = dict[int, str]
"""Assignments whose judgments are compared with each other, with the names of their assessors."""


def compared_assignments(pool: Pool, chosen: Chosen) -> list[Group]:
    """The assignments of a pool by what they are compared with, without adjudication."""
    assignments = Assignment.objects.filter(round__pool=pool).exclude(round__kind=Round.Kind.ADJUDICATION)
    if chosen.topic:
        assignments = assignments.filter(topic__topic_id=chosen.topic)
    rows = assignments.values_list("pk", "round__kind", "assessor__username")
    return list(nested((COMPARED_WITH.get(kind, kind), pk, name) for pk, kind, name in rows).values())


def between(groups: Iterable[Group], first: str, grade: int | None, second: str, other_grade: int | None) -> Q:
    """The comparisons of the first assessor's judgments with later ones of the second; of all without a name."""
    query = Q(pk__in=[])
    for group in groups:
        own, others = ([pk for pk, name in group.items() if wanted in ("", name)] for wanted in (first, second))
        query |= Q(assignment__in=own, other_assignment__in=others)
    query &= Q(grade__isnull=False) if grade is None else Q(grade=grade)
    return query & (Q(other_grade__isnull=False) if other_grade is None else Q(other_grade=other_grade))


def pairs_in_order(pool: Pool, chosen: Chosen, order: str, influence: Influences) -> list[Pair]:
    """All at once: to count them first would join the judgments twice. Those whose settling would change most come
    first, as far as that is known; in the order "distance" among those equally far apart."""
    official = set(Assignment.objects.filter(round__pool=pool, official=True).values_list("pk", flat=True))
    fields = ("pk", "other", "distance", "instance", "grade", "other_grade", "assignment", "other_assignment")
    weighed = []
    for pk, other, distance, instance, *grades, own, others in compare_judgments(pool, chosen).values_list(*fields):
        # The unofficial grade would become official or, of two official ones, that which does not count.
        settled = [grade for grade, against in zip(grades, (others, own), strict=True) if against in official]
        effects = [effect for grade in settled if (effect := influence.get(str(instance), {}).get(str(grade)))]
        weights = [(-effect["moved"], -abs(effect["change"])) for effect in effects]
        weight = min(weights, default=(0, 0))
        effect = effects[weights.index(weight)] if effects else None
        weighed.append(((-distance if order == "distance" else 0, *weight), (pk, other, effect)))
    weighed.sort(key=lambda row: row[0])
    return [pair for _, pair in weighed]


def list_disagreements(pairs: Sequence[Pair]) -> list[Disagreement]:
    """The pairs of judgments with all that is shown of them, in three queries."""
    judgments = Judgment.objects.select_related("assignment__assessor", "assignment__round", "instance__entry__topic")
    by_pk = judgments.in_bulk({pk for pair in pairs for pk in pair[:2]})
    assignments = {judgment.assignment_id for judgment in by_pk.values()}
    instances = {judgment.instance_id for judgment in by_pk.values()}
    history = JudgmentEvent.objects.filter(assignment__in=assignments, instance__in=instances)
    events = grouped(((event.assignment_id, event.instance_id), event) for event in history)
    places = preview_places(by_pk.values())
    rows = []
    for *pair, influence in pairs:
        both = sorted((by_pk[pk] for pk in pair), key=lambda judgment: judgment.assignment.assessor.username)
        instance, distance = both[0].instance, abs((both[0].grade or 0) - (both[1].grade or 0))
        sides = [(judgment, events[judgment.assignment_id, instance.pk]) for judgment in both]
        rows.append(Disagreement(instance, distance, sides, places.get(instance.entry_id), influence))
    return rows


def preview_places(judgments: Iterable[Judgment]) -> dict[int, tuple[int, int]]:
    """An assignment and a place for each entry, the official one if there is one."""
    entries = [judgment.instance.entry for judgment in judgments]
    pools, topics = {entry.pool_id for entry in entries}, {entry.topic_id for entry in entries}
    places: dict[int, tuple[int, int]] = {}
    assignments = Assignment.objects.filter(round__pool__in=pools, topic__in=topics).order_by("official", "-pk")
    for pk, order in assignments.values_list("pk", "order"):
        places |= {entry: (pk, place) for place, entry in enumerate(order, start=1)}
    return places
