"""Which judgments a release counts, and what they were, from their history alone: events are only ever added, so the
state at any time can be restored."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import QuerySet

from assess.ir.common.rows import JudgmentRow
from assess.ir.releases import releasing
from assess.ir.releases.release_options import ReleaseOptions
from assess.ir.releases.releasing import Derived
from assess.ir.releases.retention import ADDITIONAL
from assess.models import Assignment, Instance, Judgment, JudgmentEvent, Pool, Round
from assess.services.common.errors import Refused

CHUNK = 2_000
SHOWN = 20


class Part(NamedTuple):
    """An assignment whose judgments count, as they were after so many of its events (None: after all). ``settles``:
    they are an expert's, whose grades replace those of others."""

    assignment: int
    settles: bool = False
    events: int | None = None


class Decided(NamedTuple):
    """The last decision of an assessor on a document, with the key of its event and the hash of what is shown."""

    assignment: int
    event: int
    decision: str
    assessor: str
    topic_id: str
    unit_id: str
    doc_id: str
    kind: str
    content_hash: str


class ReplayedHistory(NamedTuple):
    """The result of replaying events: the decisions that were not taken back, by instance and assignment; how many
    events each assignment has and their hash; and how many were made with other content on the screen than the pool
    has."""

    decided: dict[tuple[int, int], Decided]
    events: dict[int, int]
    hashes: dict[int, str]
    other_content: int


FIELDS = (
    *("assignment", "pk", "decision", "assignment__assessor__username", "instance__entry__topic__topic_id"),
    *("instance__entry__unit_id", "instance__doc_id", "instance__kind", "instance__content_hash"),
    *("instance", "key", "content_hash"),
)


def parts_of(pool: Pool, options: ReleaseOptions) -> list[Part]:
    """The assignments that make a release, in the order in which they were given. Raises Refused if there is no such
    round."""
    chosen = assignments_of(pool, options).exclude(assessor__username__in=options.excluded).order_by("pk")
    rows = list(chosen.values_list("pk", "round__kind"))
    settles = options.judges == "adjudicated"
    return [Part(pk, settles and kind == Round.Kind.ADJUDICATION) for pk, kind in rows]


def assignments_of(pool: Pool, options: ReleaseOptions) -> QuerySet[Assignment]:
    of_pool = Assignment.objects.filter(round__pool=pool)
    independent = of_pool.exclude(round__kind=Round.Kind.ADJUDICATION)
    if options.judges == "round":
        return of_pool.filter(round=round_of(pool, options.round or 0))
    if options.judges == "assessor":
        return independent.filter(assessor__username=options.assessor)
    if options.judges == "two_assessors":
        return independent
    official = independent.filter(official=True)
    return (
        official | of_pool.filter(round__kind=Round.Kind.ADJUDICATION) if options.judges == "adjudicated" else official
    )


def round_of(pool: Pool, number: int) -> Round:
    """The round with this number. Raises Refused if there is none."""
    rounds = list(pool.rounds.order_by("pk"))
    if not 1 <= number <= len(rounds):
        raise Refused(f"The pool has no round {number}.")
    return rounds[number - 1]


def replay(parts: Iterable[Part]) -> ReplayedHistory:
    """Replay the events of these assignments."""
    limits = {part.assignment: part.events for part in parts}
    decided: dict[tuple[int, int], Decided] = {}
    counts: Counter[int] = Counter()
    hashes = {assignment: sha256() for assignment in limits}
    other_content = 0
    for *fields, instance, key, seen in events_of(limits):
        event = Decided(*fields)
        limit = limits[event.assignment]
        if limit is not None and counts[event.assignment] == limit:
            continue
        counts[event.assignment] += 1
        hashes[event.assignment].update(hashed(event, key, seen))
        other_content += seen not in ("", event.content_hash)
        decided[event.assignment, instance] = event
    left = {place: event for place, event in decided.items() if event.decision}
    return ReplayedHistory(left, dict(counts), {pk: each.hexdigest() for pk, each in hashes.items()}, other_content)


@transaction.atomic
def replay_now(parts: Iterable[Part]) -> tuple[ReplayedHistory, list[str]]:
    """Replay all their events, and say in words where the table of judgments differs. A save locks its assignment, so
    none comes in between."""
    pks = [part.assignment for part in parts]
    locked = Assignment.every.filter(pk__in=pks).order_by("pk").select_for_update(no_key=True)
    list(locked.values_list("pk", flat=True))
    history = replay([Part(pk) for pk in pks])
    return history, unlike_history(history)


def hashed(event: Decided, key: str, seen: str) -> bytes:
    """The part of an event that its hash covers: topic, document, decision, hash of the content that was seen, and
    key."""
    return "\t".join((event.topic_id, event.doc_id, event.decision, seen, key, "")).encode() + b"\n"


def events_of(assignments: Iterable[int]) -> Iterator[tuple[Any, ...]]:
    """The events that count of these assignments, each in the order in which they came."""
    events = JudgmentEvent.objects.filter(assignment__in=list(assignments), late=False)
    return events.order_by("assignment", "pk").values_list(*FIELDS).iterator(CHUNK)


def unlike_history(history: ReplayedHistory) -> list[str]:
    """Where the table of judgments differs from the events, in words."""
    rows = Judgment.objects.filter(assignment__in=history.hashes).values_list(
        "assignment", "instance", "grade", "outcome"
    )
    stored = {(assignment, pk): outcome or str(grade) for assignment, pk, grade, outcome in rows.iterator(CHUNK)}
    by_history = {place: event.decision for place, event in history.decided.items()}
    apart = sorted(place for place in stored.keys() | by_history.keys() if stored.get(place) != by_history.get(place))
    documents = Instance.objects.in_bulk([instance for _, instance in apart[:SHOWN]])
    topics = dict(Assignment.every.filter(pk__in=history.hashes).values_list("pk", "topic__topic_id"))
    named = [f"{topics[pk]} {documents[instance]}" for pk, instance in apart[:SHOWN]]
    return [
        f"{name}: judged {stored.get(place, 'not at all')}, by its history {by_history.get(place, 'not at all')}"
        for name, place in zip(named, apart, strict=False)
    ] + ([f"… and {len(apart) - SHOWN} more"] if len(apart) > SHOWN else [])


def derive_release(
    history: ReplayedHistory,
    parts: Sequence[Part],
    options: ReleaseOptions,
    *,
    pool: Pool,
    units: Mapping[str, str],
    chosen: Mapping[str, str],
) -> Derived:
    """The lines that this history gives. ``units``: the visual ids of formulas that the pool has under others;
    ``chosen``: the kinds of topics that do not follow the rule. Raises Refused if two judgments of a document count."""
    settling = {part.assignment for part in parts if part.settles}
    rules = pool.rules
    written = {event.doc_id for event in history.decided.values() if event.kind == Instance.Kind.WRITTEN}
    try:
        return releasing.derive_lines(
            rows_of(history, settling, units),
            options,
            task=rules.task,
            level=rules.level,
            settled=settled(history, settling),
            written=written,
            chosen=chosen,
        )
    except ValueError as error:
        raise Refused(f"The release can't be made: {error}.") from error


def rows_of(history: ReplayedHistory, settling: set[int], units: Mapping[str, str]) -> Iterator[JudgmentRow]:
    """The judgments, without an expert's decisions about those of others."""
    for event in history.decided.values():
        if event.assignment not in settling:
            grade = int(event.decision) if event.decision.isdigit() else None
            outcome = "" if event.decision.isdigit() else event.decision
            unit = units.get(event.doc_id, event.unit_id)
            yield JudgmentRow(event.assessor, event.topic_id, unit, event.doc_id, grade, outcome)


def settled(history: ReplayedHistory, settling: set[int]) -> dict[tuple[str, str], int]:
    """The settled grade of each document that has one. If several experts settled it, the last counts."""
    events = [event for event in history.decided.values() if event.assignment in settling and event.decision.isdigit()]
    return {
        (event.topic_id, event.doc_id): int(event.decision) for event in sorted(events, key=lambda each: each.event)
    }


def kinds_not_by_rule(pool: Pool) -> dict[str, str]:
    """The kinds that the organizers have chosen for topics; those judged in the round of the additional topics are
    additional unless they have chosen otherwise."""
    additional = Assignment.objects.filter(round__pool=pool, round__kind=Round.Kind.ADDITIONAL, official=True)
    topics = additional.values_list("topic__topic_id", flat=True)
    chosen = pool.campaign.topics.exclude(kind="").order_by().values_list("topic_id", "kind")
    return dict.fromkeys(topics, ADDITIONAL) | dict(chosen)
