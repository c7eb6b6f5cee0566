"""Documents with grades from two assessors: where they disagree, and what each of them decided before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Abs

from assess.models import Assignment, Judgment, JudgmentEvent, Pool
from assess.services.judging.adjudication import independent
from assess.services.results.agreement import COMPARED_WITH


class Chosen(NamedTuple):
    """Which comparisons are listed: of a topic, of two assessors, of a grade from the first and one from the second of
    them, with at least this ``distance`` between the grades. Empty: all."""

    topic: str = ""
    first: str = ""
    second: str = ""
    grade: int | None = None
    other_grade: int | None = None
    distance: int = 1


class Side(NamedTuple):
    """What one assessor decided about a document, and what they decided before."""

    name: str
    judgment: Judgment
    events: Sequence[JudgmentEvent]


class Disagreement(NamedTuple):
    """A document with the judgments of two assessors, in the order of their names. ``preview``: an assignment and the
    place at which the document is shown in it, None if nobody has it any more."""

    topic_id: str
    unit_id: str
    doc_id: str
    instance_id: int
    distance: int
    sides: tuple[Side, Side]
    preview: tuple[int, int] | None


Influences = Mapping[str, Mapping[str, dict[str, Any]]]
"""By instance and grade, as `services.results.influence` makes them."""

ORDERS: dict[str, tuple[str, ...]] = {
    "distance": ("-distance", "instance__entry__topic__number", "instance__entry", "instance", "pk"),
    "topic": ("instance__entry__topic__number", "instance__entry", "instance", "pk"),
    "pair": ("assignment__assessor__username", "other_name", "instance__entry__topic__number", "instance", "pk"),
}


def compared(pool: Pool, chosen: Chosen, order: str = "distance") -> QuerySet[Judgment, Any]:
    """The judgments of the assessor whose name comes first, each with ``other``, the id of the other one of the same
    document, and the ``distance`` of their grades. A document with three judgments is in it three times."""
    rows = (
        independent(pool)
        .filter(grade__isnull=False)
        .annotate(
            other=F("instance__judgments"),
            other_grade=F("instance__judgments__grade"),
            other_name=F("instance__judgments__assignment__assessor__username"),
            other_official=F("instance__judgments__assignment__official"),
            other_closed=F("instance__judgments__assignment__closed"),
            other_round=F("instance__judgments__assignment__round__kind"),
            name=F("assignment__assessor__username"),
            distance=Abs(F("grade") - F("instance__judgments__grade")),
        )
    )
    kinds = [*COMPARED_WITH, *COMPARED_WITH.values()]
    in_one_round = Q(assignment__round__kind=F("other_round")) | Q(
        assignment__round__kind__in=kinds, other_round__in=kinds
    )
    rows = rows.filter(in_one_round, name__lt=F("other_name"), other_grade__isnull=False, other_closed=None)
    return rows.filter(wanted(chosen)).order_by(*ORDERS.get(order, ORDERS["distance"]))


def wanted(chosen: Chosen) -> Q:
    """The first assessor of a choice may be the second by name."""
    query = Q(distance__gte=chosen.distance)
    if chosen.topic:
        query &= Q(instance__entry__topic__topic_id=chosen.topic)
    here = side(chosen.first, chosen.grade, "name", "grade") & side(
        chosen.second, chosen.other_grade, "other_name", "other_grade"
    )
    there = side(chosen.first, chosen.grade, "other_name", "other_grade") & side(
        chosen.second, chosen.other_grade, "name", "grade"
    )
    return query & (here | there)


def side(name: str, grade: int | None, of_name: str, of_grade: str) -> Q:
    query = Q(**{of_name: name}) if name else Q()
    return query & Q(**{of_grade: grade}) if grade is not None else query


def other_grades(pool: Pool) -> set[tuple[int, int]]:
    """The instances whose official grade another assessor contradicts, with the grade of the other one."""
    columns = ("instance", "grade", "other_grade", "assignment__official", "other_official")
    rows = compared(pool, Chosen()).values_list(*columns)
    return {(row[0], row[2] if row[3] else row[1]) for row in rows if row[3] != row[4]}


def pairs_of(rows: QuerySet[Judgment, Any]) -> QuerySet[Judgment, Any]:
    """Each judgment with the other one."""
    return rows.values_list("pk", "other")  # type: ignore[misc]


def by_influence(rows: QuerySet[Judgment, Any], influence: Influences) -> list[tuple[int, int]]:
    """The pairs of judgments whose settling would change most first, then in the order of the rows."""
    columns = ("pk", "other", "instance", "grade", "other_grade", "assignment__official", "other_official")
    weighed = []
    for pk, other, *document in rows.values_list(*columns):
        known = of_document(influence, *document)
        weighed.append((-known["moved"] if known else 0, -abs(known["change"]) if known else 0, pk, other))
    weighed.sort(key=lambda row: row[:2])
    return [row[2:] for row in weighed]


def of_document(
    influence: Influences, instance: int, grade: int, other: int, is_official: bool, is_other_official: bool
) -> dict[str, Any] | None:
    """What it would change if the grade that is not official were; None if neither or both are, or nobody knows."""
    if is_official == is_other_official:
        return None
    return influence.get(str(instance), {}).get(str(other if is_official else grade))


def influence_of(each: Disagreement, influence: Influences) -> dict[str, Any] | None:
    """The same of a disagreement."""
    first, second = (side.judgment for side in each.sides)
    grades = first.grade or 0, second.grade or 0
    return of_document(influence, each.instance_id, *grades, first.assignment.official, second.assignment.official)


def listed(pairs: Sequence[tuple[int, int]]) -> list[Disagreement]:
    """The pairs of judgments (``pk`` and ``other`` of `compared`) with all that is shown of them, in three queries."""
    judgments = Judgment.objects.select_related("assignment__assessor", "assignment__round", "instance__entry__topic")
    by_pk = judgments.in_bulk({pk for pair in pairs for pk in pair})
    events, places = history(by_pk.values()), previews(by_pk.values())
    return [disagreement(by_pk[first], by_pk[second], events, places) for first, second in pairs]


Events = dict[tuple[int, int], list[JudgmentEvent]]


def history(judgments: Iterable[Judgment]) -> Events:
    """The decisions behind judgments, by assignment and instance, oldest first."""
    keys = {(row.assignment_id, row.instance_id) for row in judgments}
    events: Events = defaultdict(list)
    assignments, instances = {key[0] for key in keys}, {key[1] for key in keys}
    for event in JudgmentEvent.objects.filter(assignment__in=assignments, instance__in=instances):
        events[event.assignment_id, event.instance_id].append(event)
    return events


def previews(judgments: Iterable[Judgment]) -> dict[int, tuple[int, int]]:
    """An assignment and a place for each entry, the official one if there is one."""
    rows = list(judgments)
    topics = {row.instance.entry.topic_id for row in rows}
    pools = {row.instance.entry.pool_id for row in rows}
    places: dict[int, tuple[int, int]] = {}
    assignments = Assignment.objects.filter(round__pool__in=pools, topic__in=topics).order_by("official", "-pk")
    for pk, order in assignments.values_list("pk", "order"):
        places |= {entry: (pk, place) for place, entry in enumerate(order, start=1)}
    return places


def disagreement(first: Judgment, second: Judgment, events: Events, places: dict[int, tuple[int, int]]) -> Disagreement:
    instance = first.instance
    entry = instance.entry
    distance = abs((first.grade or 0) - (second.grade or 0))
    sides = of_side(first, events), of_side(second, events)
    topic_id = entry.topic.topic_id
    return Disagreement(topic_id, entry.unit_id, instance.doc_id, instance.pk, distance, sides, places.get(entry.pk))


def of_side(judgment: Judgment, events: Events) -> Side:
    name = judgment.assignment.assessor.get_username()
    return Side(name, judgment, events.get((judgment.assignment_id, judgment.instance_id), []))
