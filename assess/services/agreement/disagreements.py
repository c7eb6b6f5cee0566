"""Documents with grades from two assessors: where they disagree, and what each of them decided before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import F, Max, Q, QuerySet
from django.db.models.functions import Abs, Greatest, Least

from assess.models import Assignment, Judgment, JudgmentEvent, Pool, Round
from assess.services.agreement.agreement import COMPARED_WITH
from assess.services.rounds import adjudication


class Chosen(NamedTuple):
    """Which comparisons are listed: of a topic, of two assessors, of a grade from the first and one from the second of
    them, with at least this ``distance`` between the grades; of one ``document``. Empty: all. ``unit``: visual if the
    grades are those of visually distinct formulas, the highest of their instances; then both assessors must be named,
    and all instances of these formulas are listed. ``state``: open, with an expert, or settled."""

    topic: str = ""
    first: str = ""
    second: str = ""
    grade: int | None = None
    other_grade: int | None = None
    distance: int = 1
    unit: str = "instance"
    document: str = ""
    state: str = ""


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
"""By instance and grade, as `services.scores.influence` makes them."""

ORDERS: dict[str, tuple[str, ...]] = {
    "distance": ("-distance", "instance", "pk"),
    "topic": ("assignment__topic__number", "instance", "pk"),
    "pair": ("least", "most", "instance", "pk"),
}


def compared(pool: Pool, chosen: Chosen, order: str = "distance") -> QuerySet[Judgment, Any]:
    """Judgments, each with ``other``, the id of a later one of the same document in the same round, and the
    ``distance`` of their grades. A document with three judgments is in it three times.

    The assignments are few and looked up first, so that the database joins judgments with judgments only."""
    groups = groups_of(pool, chosen)
    entries = None
    if chosen.unit == "visual":
        entries = formulas_between(groups, chosen)
        chosen = chosen._replace(grade=None, other_grade=None, distance=0)
    rows = Judgment.objects.annotate(
        other=F("instance__judgments"),
        other_grade=F("instance__judgments__grade"),
        other_assignment=F("instance__judgments__assignment_id"),
        distance=Abs(F("grade") - F("instance__judgments__grade")),
    )
    rows = rows.filter(other__gt=F("pk"), distance__gte=chosen.distance)
    if chosen.document:
        rows = rows.filter(instance__doc_id=chosen.document)
    if chosen.state:
        rows = rows.filter(in_state(pool, chosen.state))
    first_second = between(groups, chosen.first, chosen.grade, chosen.second, chosen.other_grade)
    second_first = between(groups, chosen.second, chosen.other_grade, chosen.first, chosen.grade)
    # Also if both are the same: the alternative keeps SQLite from looking up every assignment for every judgment.
    rows = rows.filter(first_second | second_first)
    if entries is not None:
        rows = rows.filter(instance__entry__in=entries)
    if order == "pair":
        names = F("assignment__assessor__username"), F("instance__judgments__assignment__assessor__username")
        rows = rows.annotate(least=Least(*names), most=Greatest(*names))
    return rows.order_by(*ORDERS.get(order, ORDERS["distance"]))


def in_state(pool: Pool, state: str) -> Q:
    """The documents that no expert was given (open), that one has still to settle (expert), or has settled."""
    given, settled = set(adjudication.given(pool)), adjudication.settled_documents(pool)
    if state == "open":
        return ~Q(instance__in=given | settled)
    return Q(instance__in=settled if state == "settled" else given - settled)


class ComparedAssignments(NamedTuple):
    """The assignments whose judgments are compared with each other, with the names of their assessors."""

    names: dict[int, str]

    def of(self, name: str) -> list[int]:
        """Those of an assessor, or all."""
        return [pk for pk, assessor in self.names.items() if name in ("", assessor)]


def groups_of(pool: Pool, chosen: Chosen) -> list[ComparedAssignments]:
    """The assignments of a pool by what they are compared with, without adjudication."""
    assignments = Assignment.objects.filter(round__pool=pool).exclude(round__kind=Round.Kind.ADJUDICATION)
    if chosen.topic:
        assignments = assignments.filter(topic__topic_id=chosen.topic)
    groups: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for pk, kind, name in assignments.values_list("pk", "round__kind", "assessor__username"):
        groups[COMPARED_WITH.get(kind, kind)][pk] = name
    return [ComparedAssignments(names) for names in groups.values()]


def between(
    groups: Iterable[ComparedAssignments], first: str, grade: int | None, second: str, other_grade: int | None
) -> Q:
    """The comparisons of the first assessor's judgments with later ones of the second."""
    query = Q(pk__in=[])
    for group in groups:
        query |= Q(assignment__in=group.of(first), other_assignment__in=group.of(second))
    query &= Q(grade=grade) if grade is not None else Q(grade__isnull=False)
    return query & (Q(other_grade=other_grade) if other_grade is not None else Q(other_grade__isnull=False))


def formulas_between(groups: Iterable[ComparedAssignments], chosen: Chosen) -> list[int]:
    """The entries whose visually distinct formula has the chosen grades from the two assessors."""
    entries: list[int] = []
    for group in groups:
        first, second = (formula_grades(group.of(name)) for name in (chosen.first, chosen.second))
        for entry in first.keys() & second.keys():
            grades = first[entry], second[entry]
            is_chosen = chosen.grade in (None, grades[0]) and chosen.other_grade in (None, grades[1])
            if is_chosen and abs(grades[0] - grades[1]) >= chosen.distance:
                entries.append(entry)
    return entries


def formula_grades(assignments: list[int]) -> dict[int, int]:
    """An assessor's grade of each visually distinct formula, by entry: the highest of its instances."""
    graded = Judgment.objects.filter(assignment__in=assignments, grade__isnull=False).order_by()
    return dict(graded.values_list("instance__entry").annotate(highest=Max("grade")))


def other_grades(pool: Pool) -> set[tuple[int, int]]:
    """The instances whose official grade another assessor contradicts, with the grade of the other one."""
    official = officials(pool)
    rows: QuerySet[Any, Any] = compared(pool, Chosen())
    rows = rows.values_list("instance", "grade", "other_grade", "assignment", "other_assignment")
    one_official = [row for row in rows if (row[3] in official) != (row[4] in official)]
    return {(row[0], row[2] if row[3] in official else row[1]) for row in one_official}


def officials(pool: Pool) -> set[int]:
    """The assignments that make the qrels."""
    return set(Assignment.objects.filter(round__pool=pool, official=True).values_list("pk", flat=True))


def pairs_of(rows: QuerySet[Judgment, Any]) -> list[tuple[int, int]]:
    """Each judgment with the other one, all at once: to count them first would join them twice."""
    return list(rows.values_list("pk", "other"))  # type: ignore[misc]


def by_influence(
    pool: Pool, rows: QuerySet[Judgment, Any], influence: Influences, *, within_distance: bool = False
) -> list[tuple[int, int]]:
    """The pairs of judgments whose settling would change most first, then in the order of the rows; on request, those
    furthest apart before others."""
    columns = ("pk", "other", "distance", "instance", "grade", "other_grade", "assignment", "other_assignment")
    weighed, of_qrels = [], officials(pool)
    for pk, other, distance, instance, grade, other_grade, *both in rows.values_list(*columns):
        effect = of_document(influence, instance, grade, other_grade, both[0] in of_qrels, both[1] in of_qrels)
        changed = (-effect["moved"], -abs(effect["change"])) if effect else (0, 0)
        weighed.append(((-distance if within_distance else 0, *changed), (pk, other)))
    weighed.sort(key=lambda row: row[0])
    return [pair for _, pair in weighed]


def of_document(
    influence: Influences, instance: int, grade: int, other: int, is_official: bool, is_other_official: bool
) -> dict[str, Any] | None:
    """What would change if the unofficial grade were official; None if neither or both are, or if that is not known."""
    if is_official == is_other_official:
        return None
    return influence.get(str(instance), {}).get(str(other if is_official else grade))


def influence_of(disagreement: Disagreement, influence: Influences) -> dict[str, Any] | None:
    """The influence of a disagreement."""
    first, second = (side.judgment for side in disagreement.sides)
    grades = first.grade or 0, second.grade or 0
    return of_document(
        influence, disagreement.instance_id, *grades, first.assignment.official, second.assignment.official
    )


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
    left, right = sorted((of_side(first, events), of_side(second, events)), key=lambda side: side.name)
    topic_id, preview = entry.topic.topic_id, places.get(entry.pk)
    return Disagreement(topic_id, entry.unit_id, instance.doc_id, instance.pk, distance, (left, right), preview)


def of_side(judgment: Judgment, events: Events) -> Side:
    name = judgment.assignment.assessor.get_username()
    return Side(name, judgment, events.get((judgment.assignment_id, judgment.instance_id), []))
