"""What an assessor sees at each place of an assignment, and the state of each place."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from django.db.models import FilteredRelation, Q, QuerySet
from django.http import Http404

from assess.ir.common.rows import DO_NOT_KNOW
from assess.models import Assignment, Campaign, Instance, Topic
from assess.services.pool.content import Card, cards_of

OPEN, DEFERRED, JUDGED, UNKNOWN = "odju"
"""The states of a place: something is left to judge; likewise, but deferred; all is judged; all is judged, and
something with "do not know"."""


class Item(NamedTuple):
    """What is judged together at one place of an assignment: an answer, or the instances of a formula. ``place``
    is 1-based; those of the same post follow each other. ``judged_in_posts``: by post, how its assessor judged another
    formula in it last."""

    assignment: Assignment
    place: int
    cards: list[Card]
    judged_in_posts: Mapping[str, str]

    @property
    def campaign(self) -> Campaign:
        return self.assignment.campaign

    @property
    def topic(self) -> Topic:
        return self.assignment.topic


def entry_at(assignment: Assignment, place: int) -> int:
    """Raises Http404 for a place out of range."""
    if not 1 <= place <= len(assignment.order):
        raise Http404
    entry: int = assignment.order[place - 1]
    return entry


def open_item(assignment: Assignment, place: int, known: Iterable[Instance] | None = None) -> Item:
    """What the assessor sees at a place. ``known``: instances that have been read with their judgments, among them
    those of the place. Raises Http404 for a place out of range."""
    entry = entry_at(assignment, place)
    if known is None:
        known = with_judgments(assignment).filter(entry=entry)
    instances = presented(assignment, [instance for instance in known if instance.entry_id == entry])
    cards = cards_by_post(cards_of(assignment.campaign, assignment.topic, instances))
    return Item(assignment, place, cards, judged_in_posts(assignment, instances))


def post_id_of(instance: Instance) -> str:
    """The id of what an instance is shown in."""
    return instance.post_id or instance.doc_id


def cards_by_post(cards: list[Card]) -> list[Card]:
    """Those of the same post together, in reading order; posts in the order of their first ones."""
    posts = [post_id_of(card.instance) for card in cards]
    if len(set(posts)) == len(posts):  # as mostly
        return cards

    def reading_place(card: Card) -> tuple[int, int]:
        html = (card.post.title if card.post else "") + card.body
        return posts.index(post_id_of(card.instance)), html.find(f'data-formula-id="{card.instance.doc_id}"')

    return sorted(cards, key=reading_place)


def judged_in_posts(assignment: Assignment, instances: list[Instance]) -> dict[str, str]:
    """How the assessor judged other formulas in the posts of an entry: by post, the last decision. One query, none for
    answers."""
    posts = {instance.post_id for instance in instances if instance.kind == Instance.Kind.FORMULA}
    if not posts:
        return {}
    others = assignment.judgments.filter(instance__post_id__in=posts).exclude(instance__entry=instances[0].entry_id)
    judgments = others.select_related("instance").order_by("changed", "pk")
    return {judgment.instance.post_id: judgment.decision for judgment in judgments}


def with_judgments(assignment: Assignment) -> QuerySet[Any]:
    """Instances, each with its judgment in an assignment as ``own_judgment``."""
    own = FilteredRelation("judgments", condition=Q(judgments__assignment=assignment.pk))
    instances: QuerySet[Any] = Instance.objects.order_by().annotate(own_judgment=own)  # type: ignore[no-redef]
    return instances.select_related("own_judgment")


def presented(assignment: Assignment, instances: Iterable[Instance]) -> list[Instance]:
    """Those of the instances that are in the assignment, as its assessor sees them."""
    chosen = list(instances)
    if len(chosen) < 2:  # so that the order is read only if it matters
        return chosen
    places = {pk: place for place, pk in enumerate(assignment.instance_order)}
    return sorted((instance for instance in chosen if instance.pk in places), key=lambda instance: places[instance.pk])


class Places(NamedTuple):
    """A letter for the state of each place, and the deferred places. These include judged ones, which are deferred
    again if their judgments are taken back."""

    states: str
    deferred: list[int]


def states(assignment: Assignment) -> str:
    return place_states(assignment).states


def place_states(assignment: Assignment) -> Places:
    """In two queries."""
    own = set(assignment.instance_order)
    rows = (
        with_judgments(assignment)
        .filter(entry__pool=assignment.round.pool_id, entry__topic=assignment.topic_id)
        .values_list("pk", "entry_id", "own_judgment__pk", "own_judgment__outcome")
    )
    unfinished = {entry for pk, entry, judgment, _ in rows if judgment is None and pk in own}
    unknown = {entry for _, entry, _, outcome in rows if outcome == DO_NOT_KNOW}
    deferred = set(assignment.deferrals.values_list("entry_id", flat=True))

    def state(entry: int) -> str:
        if entry in unfinished:
            return DEFERRED if entry in deferred else OPEN
        return UNKNOWN if entry in unknown else JUDGED

    deferred_places = [place for place, entry in enumerate(assignment.order, start=1) if entry in deferred]
    return Places("".join(map(state, assignment.order)), deferred_places)


def is_all_judged(states: str) -> bool:
    return OPEN not in states and DEFERRED not in states


def first_open(states: str, after: int = 0) -> int | None:
    """The next place with something left to judge: after this one, else before it; deferred places come last."""
    for state in (OPEN, DEFERRED):
        places = [place for place, letter in enumerate(states, start=1) if letter == state]
        others = [place for place in places if place != after] or places
        if others:
            return next((place for place in others if place > after), others[0])
    return None
