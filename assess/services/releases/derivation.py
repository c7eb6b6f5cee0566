"""Which judgments a release counts, and what they were, from their history alone: events are only ever added, so the
state at any time can be restored."""

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Q

from assess.ir.campaign.scale import is_grade
from assess.ir.common.rows import JudgmentRow
from assess.ir.releases import aggregation
from assess.ir.releases.aggregation import Derived
from assess.ir.releases.release_options import ADDITIONAL, ReleaseOptions
from assess.models import Assignment, Instance, Judgment, JudgmentEvent, Pool, Qrels, QrelsPart, Round
from assess.services.common.errors import Refused
from assess.services.releases.export import pseudonym
from assess.services.releases.sources import as_line
from assess.services.rounds import adjudication

CHUNK = 2_000
SHOWN = 20


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
    comment: str = ""
    passage: str = ""


class ReplayedHistory(NamedTuple):
    """Of these ``parts`` of a pool's judgments, with what each assignment is (`identities`): the decisions that were
    not taken back, by assignment and instance; how many events each assignment has, and the last link of their chain of
    hashes; and how many were made with other content on the screen than the pool has."""

    pool: Pool
    parts: Sequence[QrelsPart]
    identities: dict[int, dict[str, Any]]
    decided: dict[tuple[int, int], Decided]
    events: dict[int, int]
    hashes: dict[int, str]
    other_content: int

    @property
    def settled(self) -> dict[tuple[str, str], int]:
        """The settled grade of each document that has one. If several experts settled it, the last counts."""
        settling = {part.assignment_id for part in self.parts if part.settles}
        events = [each for each in self.decided.values() if each.assignment in settling and is_grade(each.decision)]
        events.sort(key=lambda event: event.event)
        return {(event.topic_id, event.doc_id): int(event.decision) for event in events}


FIELDS = (
    *("assignment", "pk", "decision", "assignment__assessor__username", "instance__entry__topic__topic_id"),
    *("instance__entry__unit_id", "instance__doc_id", "instance__kind", "instance__content_hash"),
    *("instance", "late", "key", "content_hash"),
)
RECORDED = ("at", "by", "old_decision", "old_comment", "comment", "guide", "active_ms", "wall_ms", "passage")
"""What an event says beside these. The passage, if there is one, comes last: without one, hashes are as ever."""
COMMENT = len(FIELDS) + RECORDED.index("comment")
ORDERS = ("order", "instance_order")
"""The large fields of an assignment."""


def parts_of_release(pool: Pool, options: ReleaseOptions) -> list[QrelsPart]:
    """The assignments that make a release, in the order in which they were given, with all of their events. Raises
    Refused if there is no such round."""
    settling = Q(round__kind=Round.Kind.ADJUDICATION)
    official = Q(official=True) & ~settling
    round = dict(enumerate(pool.rounds.order_by("pk"), start=1)).get(options.round or 0)
    if options.judges == "round" and round is None:
        raise Refused(f"The pool has no round {options.round}.")
    chosen = {
        "official": official,
        "adjudicated": official | settling,
        "round": Q(round=round),
        "assessor": Q(assessor__username=options.assessor) & ~settling,
        "two_assessors": ~settling,
    }[options.judges]
    assignments = Assignment.objects.filter(chosen, round__pool=pool).select_related("round", "topic")
    assignments = assignments.exclude(assessor__username__in=options.excluded).defer(*ORDERS).order_by("pk")
    parts = [QrelsPart(assignment=each, round=each.round, official=each.official) for each in assignments]
    for part in parts:
        part.settles = options.judges == "adjudicated" and part.assignment.round.kind == Round.Kind.ADJUDICATION
    return parts


def parts_as_released(release: Qrels) -> list[QrelsPart]:
    parts = release.parts.select_related("round", "assignment__round", "assignment__topic", "assignment__assessor")
    return list(parts.defer(*(f"assignment__{name}" for name in ORDERS)).order_by("pk"))


def replay(pool: Pool, parts: Sequence[QrelsPart]) -> ReplayedHistory:
    """Replay the events of these assignments, in the order in which they came: so many of each, or all. Each hash
    includes the one before it and begins with what the assignment is, so that no event can be changed, moved, put in or
    cut off unseen. Late events, which change no judgment, are links of the chain as well: they stand between others."""
    of = {part.assignment_id: part for part in parts}
    decided: dict[tuple[int, int], Decided] = {}
    counts: Counter[int] = Counter()
    about = identities(pool, parts)
    hashes = {pk: sha256(b"" if part.is_old else as_line(about[pk]).encode()) for pk, part in of.items()}
    other_content = 0
    events = JudgmentEvent.objects.filter(assignment__in=of).order_by("assignment", "pk")
    for row in events.values_list(*FIELDS, *RECORDED).iterator(CHUNK):
        event, (instance, late, key, seen) = Decided._make((*row[:9], row[COMMENT], row[-1])), row[9:13]
        part = of[event.assignment]
        if counts[event.assignment] == part.events or (late and part.is_old):
            continue
        counts[event.assignment] += 1
        place = (event.topic_id, event.unit_id, event.doc_id, event.kind)
        if part.is_old:
            line = "\t".join((event.topic_id, event.doc_id, event.decision, seen, key, ""))
            hashes[event.assignment].update(f"{line}\n".encode())
        else:
            line = as_line([*place, event.decision, late, key, seen, *row[13 : None if event.passage else -1]])
            hashes[event.assignment] = sha256((hashes[event.assignment].hexdigest() + line).encode())
        other_content += seen not in ("", event.content_hash)
        if not late:
            decided[event.assignment, instance] = event
    left = {place: event for place, event in decided.items() if event.decision}
    links = {pk: each.hexdigest() for pk, each in hashes.items()}
    return ReplayedHistory(pool, parts, about, left, dict(counts), links, other_content)


def identities(pool: Pool, parts: Sequence[QrelsPart]) -> dict[int, dict[str, Any]]:
    """What each of these assignments is, by its key, as a manifest has it."""
    numbers = {pk: number for number, pk in enumerate(pool.rounds.order_by("pk").values_list("pk", flat=True), start=1)}
    about: dict[int, dict[str, Any]] = {}
    for part in parts:
        assignment, round = part.assignment, part.round or part.assignment.round
        about[part.assignment_id] = {
            "topic": assignment.topic.topic_id,
            "round": round.kind,
            "assessor": pseudonym(pool.campaign, assignment.assessor_id),
            "settles": part.settles,
        }
        if not part.is_old:
            about[part.assignment_id] |= {"number": numbers.get(round.pk), "official": part.official}
    return about


@transaction.atomic
def replay_and_compare(pool: Pool, parts: Sequence[QrelsPart]) -> tuple[ReplayedHistory, list[str]]:
    """Their history, and where the table of judgments differs from it, in words. A save locks its assignment, so none
    comes in between."""
    pks = [part.assignment_id for part in parts]
    list(Assignment.every.filter(pk__in=pks).order_by("pk").select_for_update(no_key=True).values_list("pk"))
    history = replay(pool, parts)
    fields = ("assignment", "instance", "grade", "outcome", "comment", "passage")
    rows = Judgment.objects.filter(assignment__in=history.hashes).values_list(*fields).iterator(CHUNK)
    stored = {(assignment, pk): (outcome or str(grade), *words) for assignment, pk, grade, outcome, *words in rows}
    by_history = {place: (event.decision, event.comment, event.passage) for place, event in history.decided.items()}
    changed = sorted(place for place in stored.keys() | by_history.keys() if stored.get(place) != by_history.get(place))
    documents = Instance.objects.in_bulk([instance for _, instance in changed[:SHOWN]])
    topics = dict(Assignment.every.filter(pk__in=history.hashes).values_list("pk", "topic__topic_id"))
    lines = [
        f"{topics[place[0]]} {documents[place[1]]}: judged {as_judged(stored.get(place))}, "
        f"by its history {as_judged(by_history.get(place))}"
        for place in changed[:SHOWN]
    ]
    return history, lines + ([f"… and {len(changed) - SHOWN} more"] if len(changed) > SHOWN else [])


def as_judged(judgment: tuple[str, ...] | None) -> str:
    """A decision with its comment and passage, in words."""
    decision, *words = judgment or ("not at all", "")
    text = " ".join(" ".join(words).split())
    return f"{decision} ({text})" if text else decision


def derive_release(
    history: ReplayedHistory, options: ReleaseOptions, units: Mapping[str, str], chosen: Mapping[str, str]
) -> Derived:
    """The lines that this history gives. ``units``: the visual ids of formulas that the pool has under others;
    ``chosen``: the kinds of topics that do not follow the rule. Raises Refused if two judgments of a document count."""
    seats = {part.assignment_id: part.assignment.seat for part in history.parts if not part.settles}
    rows = []
    for event in sorted(history.decided.values(), key=lambda event: seats.get(event.assignment, 0)):
        if event.assignment in seats:  # and no expert's decision about judgments of others
            grade, outcome = (int(event.decision), "") if is_grade(event.decision) else (None, event.decision)
            unit = units.get(event.doc_id, event.unit_id)
            rows.append(JudgmentRow(event.assessor, event.topic_id, unit, event.doc_id, grade, outcome))
    written = {event.doc_id for event in history.decided.values() if event.kind == Instance.Kind.WRITTEN}
    try:
        return aggregation.derive_lines(rows, options, history.pool.rules, history.settled, written, chosen)
    except ValueError as error:
        raise Refused(f"The release can't be made: {error}.") from error


def usual_options(pool: Pool) -> ReleaseOptions:
    """Those that the protocol asks for, of all judged topics: if several assessors judge a document, a settled grade
    comes first; outcomes count as it says."""
    settles = bool(pool.rules.rule_of_grades) and adjudication.settling(pool).exists()
    zeros = tuple(outcome.word for outcome in pool.rules.outcomes if outcome.qrels is not None)
    return ReleaseOptions(judges="adjudicated" if settles else "official", outcomes_as_zero=zeros)


def chosen_options(pool: Pool, given: Mapping[str, Any]) -> ReleaseOptions:
    """These, and the others as the protocol says. Raises Refused, beginning with the name of a wrong one."""
    usual = usual_options(pool).to_dict() | {"min_relevant": pool.rules.min_relevant}
    try:
        options = ReleaseOptions.from_dict(usual | dict(given))
    except ValueError as error:
        raise Refused(str(error)) from error
    judged = Judgment.objects.filter(assignment__round__pool=pool)
    if options.excluded and not judged.exclude(assignment__assessor__username__in=options.excluded).exists():
        raise Refused("excluded: nobody’s judgments would be left.")
    return options


def kinds_not_by_rule(pool: Pool) -> dict[str, str]:
    """The kinds that the organizers have chosen for topics; those judged in the round of the additional topics are
    additional unless they have chosen otherwise."""
    additional = Assignment.objects.filter(round__pool=pool, round__kind=Round.Kind.ADDITIONAL, official=True)
    topics = additional.values_list("topic__topic_id", flat=True)
    chosen = pool.campaign.topics.exclude(kind="").order_by().values_list("topic_id", "kind")
    return dict.fromkeys(topics, ADDITIONAL) | dict(chosen)
