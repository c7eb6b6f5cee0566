"""What an assessor meets at each place of an assignment, and how far each place is."""

from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import FilteredRelation, Q

from assess.ir.judging.allocation import presentation_order
from assess.models import Assignment, Campaign, Instance, Judgment, Topic
from assess.models.judging import Outcome
from assess.services.common.statements import Rows
from assess.services.judging import desk_rows
from assess.services.pool.content import Shown, as_shown, written_answers

OPEN, DEFERRED, JUDGED, UNKNOWN = "odju"
"""The states of a place: something is left to judge; the same, but put off; all is judged; all is judged, and of
something the assessor does not know."""


class Card(NamedTuple):
    """A candidate with the assessor's judgment of it, if there is one."""

    shown: Shown
    judgment: Judgment | None

    @property
    def key(self) -> str:
        """Of the last decision about it, which the next one has to know."""
        return self.judgment.key if self.judgment else ""


class Item(NamedTuple):
    """What is judged together at one place of an assignment: an answer, or the instances of a formula. ``place``
    is 1-based."""

    assignment: Assignment
    place: int
    entry_id: int
    cards: list[Card]

    @property
    def campaign(self) -> Campaign:
        return self.assignment.round.pool.campaign

    @property
    def topic(self) -> Topic:
        return self.assignment.topic


def open_item(assignment: Assignment, place: int, rows: Rows | None = None) -> Item:
    """What the assessor sees at a place, in one query (two with written answers), none where a save brought its rows.
    Raises IndexError for a place that there is not."""
    if not 1 <= place <= len(assignment.order):
        raise IndexError(place)
    entry_id, topic = assignment.order[place - 1], assignment.topic
    found = {row.instance.pk: row for row in desk_rows.item(assignment, entry_id, rows)}
    written = written_answers(topic, [row.instance for row in found.values()])
    cards = []
    for instance in presented(assignment, [row.instance for row in found.values()]):
        row = found[instance.pk]
        cards.append(Card(as_shown(topic, instance, row.post, written.get(instance.doc_id)), row.judgment))
    return Item(assignment, place, entry_id, cards)


def presented(assignment: Assignment, found: Iterable[Instance]) -> list[Instance]:
    """The documents of an entry in an order that says nothing about their votes, for each assessor another."""
    instances = {instance.doc_id: instance for instance in found}
    if len(instances) == 1:
        return list(instances.values())
    unit_id = next(iter(instances.values())).entry.unit_id
    order = presentation_order(
        instances, assignment.round.pool.seed, assignment.assessor.username, f"{assignment.topic} {unit_id}"
    )
    return [instances[doc_id] for doc_id in order]


class Places(NamedTuple):
    """How far each place of an assignment is: a letter for each, and those that were put off, also where they are
    judged by now: taken back, they are put off again."""

    states: str
    deferred: list[int]


def states(assignment: Assignment) -> str:
    """One letter for each place, in two queries."""
    return places(assignment).states


def places(assignment: Assignment) -> Places:
    """In two queries."""
    mine = FilteredRelation("judgments", condition=Q(judgments__assignment=assignment))
    rows = (
        Instance.objects.filter(entry__pool=assignment.round.pool_id, entry__topic=assignment.topic_id)
        .annotate(mine=mine)
        .order_by()
        .values_list("entry_id", "mine__pk", "mine__outcome")
    )
    unfinished = {entry for entry, judgment, _ in rows if judgment is None}
    unknown = {entry for entry, _, outcome in rows if outcome == Outcome.DO_NOT_KNOW}
    deferred = set(assignment.deferrals.values_list("entry_id", flat=True))

    def state(entry: int) -> str:
        if entry in unfinished:
            return DEFERRED if entry in deferred else OPEN
        return UNKNOWN if entry in unknown else JUDGED

    put_off = [place for place, entry in enumerate(assignment.order, start=1) if entry in deferred]
    return Places("".join(map(state, assignment.order)), put_off)


def first_open(states: str, after: int = 0) -> int | None:
    """The next place with something left to judge: after this one, else before it; those put off come last."""
    for state in (OPEN, DEFERRED):
        found = [place for place, one in enumerate(states, start=1) if one == state]
        others = [place for place in found if place != after] or found
        if others:
            return next((place for place in others if place > after), others[0])
    return None
