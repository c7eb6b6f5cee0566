"""Verifying a release: made again from the history of its time, and compared with what was released, byte for byte;
and everything that it says of itself with what that is made from."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from django.db.models import Count
from django.utils import timezone

from assess.ir.releases.aggregation import Derived, Files, counted_level
from assess.ir.releases.differences import ChangedLine, changed_lines
from assess.models import JudgmentEvent, Qrels, QrelsPart, Round
from assess.services.common.errors import Refused
from assess.services.common.wording import number
from assess.services.formulas import visual_ids
from assess.services.releases import derivation, manifest, qrels, sources
from assess.services.releases.derivation import ReplayedHistory
from assess.services.releases.export import pseudonym

TAKEN_BACK = "taken back"
SHOWN = 100
"""So many rows of each list are kept with the release."""
TEXTS_SHOWN = 20
CLOCKS = timedelta(minutes=1)
"""A decision can be dated so much before a release without being in it: while that was made, or by another clock."""
OLD = (
    "Made by an earlier version, whose certificate covers less: not who judged and when, comments, the pool, its "
    "threads and runs, and the manifest as a whole."
)

OTHER_KEY = "It is not signed with the key that this installation has now."


Part = dict[str, Any]
"""What a manifest says of an assignment."""


class Verification(NamedTuple):
    """``files``: the names of those compared. ``problems``: what is wrong, in words; none if the release verifies.
    ``lines``: those in the database that differ from what the history gives. ``later``: the decisions in its
    assignments since the release, in order: ``at`` which time, ``by`` whom, on which ``topic_id`` and ``doc_id``,
    ``before`` and ``after``. ``sha256``: of the manifest as it is now. ``signed_by``: whose signature it has, empty if
    none. ``notes``: what the result does not say, in words."""

    files: list[str]
    problems: list[str]
    lines: list[ChangedLine]
    later: list[dict[str, str]]
    sha256: str
    signed_by: str
    notes: list[str]

    @property
    def is_intact(self) -> bool:
        return not self.problems


def verify(release: Qrels, published: str = "") -> Verification:
    """``published``: the SHA-256 under which the manifest was published."""
    try:
        return compare(release, published)
    except (AttributeError, LookupError, TypeError, ValueError) as error:  # somebody may have written anything there
        return Verification([], [f"What is kept of the release can't be read: {error!r}"], [], [], "", "", [])


def compare(release: Qrels, published: str) -> Verification:
    parts = derivation.parts_as_released(release)
    history = derivation.replay(release.pool, parts)
    sha256, since = manifest.hash_manifest(release), list(events_since(parts))
    problems = [
        *problems_of_manifest(release, sha256, published),
        *problems_of_parts(release, history),
        *problems_of_history(release, history),
        *problems_of_judgments(release, parts, since),
        *problems_of_options(release, parts),
        *problems_of_sources(release),
    ]
    made: Files = {}
    try:
        derived = derivation.derive_release(history, release.chosen, release.units, release.manifest["topics"])
        made = derived.files
        problems += problems_of_record(release, derived, len(history.settled))
    except (Refused, ValueError) as error:
        problems.append(f"Its assignments and options do not give it any more. {error}")
    units = dict.fromkeys((*release.counts, *release.lines.order_by("unit").values_list("unit", flat=True).distinct()))
    stored = {unit: release.lines_of(unit) for unit in units}
    lines = [
        line
        for unit in dict.fromkeys((*stored, *made))
        for line in changed_lines(stored.get(unit, []), made.get(unit, []), unit)
    ]
    level = release.protocol["level"]
    again, kept = manifest.published_files(made, level), manifest.published_files(stored, level)
    problems += problems_of_files(release.manifest["files"], again, kept)
    files = list(dict.fromkeys((*again, *release.manifest["files"], *kept)))
    signer = release.manifest.get("signed_by")
    signed_by, later = manifest.signer_in_words(signer) if signer else "", [as_later(event) for event in since]
    return Verification(files, problems, lines, later, sha256, signed_by, list(notes_on(release, parts)))


def notes_on(release: Qrels, parts: Sequence[QrelsPart]) -> Iterator[str]:
    """What the result does not say. An installation without a key says nothing of signatures."""
    yield from (f"{part.assignment}: taken back or handed over since." for part in parts if is_moved(part))
    try:
        here = manifest.signed_by()
    except Refused as error:
        yield f"Whether it is signed with the key of this installation can't be said. {error}"
    else:
        if here and here["key"] != (release.manifest.get("signed_by") or {}).get("key"):
            yield OTHER_KEY
    if is_old(release):
        yield OLD


def is_old(release: Qrels) -> bool:
    """Whether it is of 0.1.0, which sealed less: its parts, too."""
    sealed = release.sha256 or "made_from" in release.manifest or release.parts.exclude(official=None).exists()
    return not sealed


def record_verification(release: Qrels) -> None:
    """Verify a release and keep the result with it, of long lists the beginning."""
    done = verify(release)
    lines = [line._asdict() for line in done.lines]
    lists: dict[str, list[Any]] = {"problems": done.problems, "lines": lines, "later": done.later}
    release.verification = {name: getattr(done, name) for name in ("is_intact", "signed_by", "notes", "files")}
    release.verification |= {name: {"count": len(rows), "first": rows[:SHOWN]} for name, rows in lists.items()}
    release.verified = timezone.now()
    release.save(update_fields=["verification", "verified"])


def problems_of_manifest(release: Qrels, sha256: str, published: str) -> Iterator[str]:
    if published and published.lower() != sha256:
        yield f"Another manifest was published: this one has the SHA-256 {sha256}."
    if not is_old(release) and release.sha256 != sha256:
        yield "The manifest, or what it is written from, is not the one that was released."
    signer = release.manifest.get("signed_by")
    if signer and not manifest.is_signature(manifest.write_provenance(release), release.signature, signer["key"]):
        yield f"The signature is not one of {manifest.signer_in_words(signer)} for this manifest."
    if release.signature and not signer:
        yield "It has a signature, and its manifest does not say whose."


def problems_of_files(released: dict[str, Any], again: dict[str, Any], kept: dict[str, Any]) -> Iterator[str]:
    """The files of the manifest, and any that it does not name: made again, and from the lines in the database."""
    for name in again | released | kept:
        of_release, of_made, of_lines = (files.get(name, {}).get("sha256") for files in (released, again, kept))
        if of_made != of_release:
            yield f"{name}: made again, it is not the file that was released."
        if of_lines != of_release:
            yield f"{name}: the lines in the database are not those that were released."


def problems_of_parts(release: Qrels, history: ReplayedHistory) -> Iterator[str]:
    published, again = release.manifest["parts"], manifest.published_parts(history)
    for before, after in pair_parts(published, again):
        about = before or after or {}
        place = f"{about['topic']}, {about['round']} round, {about['assessor']}"
        if before is None or after is None:
            yield f"{place}: the release does not have the same assignments any more."
        elif after["events"] < before["events"]:
            yield f"{place}: {after['events']} of {number(before['events'], 'event')} are left."
        elif after | {name: before[name] for name in ("round", "sha256")} != before:
            yield f"{place}: the assignment is not the same any more."
        elif after["sha256"] != before["sha256"]:
            yield f"{place}: its events, or the documents they are about, were changed."
    for part in history.parts:
        if part.sha256 not in {before["sha256"] for before in published}:
            yield f"{part.assignment}: the hash kept with it is not in the manifest."
        if is_moved(part) and not was_given_up(part, release):
            yield f"{part.assignment}: it is in another round, or counts otherwise, than when it was released."


def pair_parts(published: list[Part], again: list[Part]) -> Iterable[tuple[Part | None, Part | None]]:
    """What the manifest says of each assignment with what is found; None for one that is missing there."""
    if len(published) == len(again):
        return zip(published, again, strict=True)
    found = {identity_of(part): part for part in again}
    pairs = [(part, found.pop(identity_of(part), None)) for part in published]
    return [*pairs, *((None, part) for part in found.values())]


def identity_of(part: Part) -> tuple[Any, ...]:
    return part["topic"], part["round"], part.get("number"), part["assessor"]


def is_moved(part: QrelsPart) -> bool:
    """Whether the assignment is in another round, or makes the qrels no longer or only now."""
    assignment = part.assignment
    return not part.is_old and (part.round_id, part.official) != (assignment.round_id, assignment.official)


def was_given_up(part: QrelsPart, release: Qrels) -> bool:
    """Whether the assignment was taken back or handed over since, so that what is judged is dual or counts nowhere."""
    assignment = part.assignment
    ended = assignment.closed or assignment.handed_over
    stayed_or_dual = assignment.round_id == part.round_id or assignment.round.kind == Round.Kind.DUAL
    return ended is not None and ended > release.created and not assignment.official and stayed_or_dual


def problems_of_history(release: Qrels, history: ReplayedHistory) -> Iterator[str]:
    """What was done to the documents and visual ids that a release was made from."""
    if manifest.count_and_hash_items(history) != release.manifest["items"]:
        yield "What was judged, or the text that was shown for it, is not the same any more."
    if history.other_content:
        decisions = number(history.other_content, "decision")
        yield f"With another text on the screen than the pool has: {decisions}."
    version = release.visual_map
    is_index_there = version and version.index_sha256 == visual_ids.index_of(version.collection)
    if is_index_there and qrels.moved_units(history, version) != release.units:
        yield f"{version} no longer gives the visual ids of the release."


def problems_of_options(release: Qrels, parts: Sequence[QrelsPart]) -> Iterator[str]:
    """Whether the manifest, where assessors have pseudonyms, has the options that the release was made with."""
    options, chosen = release.manifest["options"], release.options
    judged = {pseudonym(release.pool.campaign, part.assignment.assessor_id) for part in parts}
    expected = chosen | {name: options[name] for name in ("assessor", "excluded")}
    if options["visual_ids"] is None:  # those in force were wanted
        expected["visual_ids"] = None
    is_by_one = judged == {options["assessor"]} if chosen["assessor"] else not options["assessor"]
    is_without = len(options["excluded"]) == len(chosen["excluded"]) and not judged.intersection(options["excluded"])
    if options != expected or not is_by_one or not is_without:
        yield "The options of the manifest are not those that the release was made with."


def problems_of_record(release: Qrels, derived: Derived, settled: int) -> Iterator[str]:
    """What the release says of itself, compared with what is made again."""
    lines = {name: file["lines"] for name, file in release.manifest["files"].items()}
    again = manifest.published_files(derived.files, release.protocol["level"])
    if release.counts != qrels.count_lines(derived.files) or lines != {name: again[name]["lines"] for name in again}:
        yield "Made again, it has other numbers of lines and topics than it says."
    if release.made_with["left_out"] != derived.left_out(release.chosen):
        yield "Made again, it leaves out other topics than it says."
    if release.made_with.get("settled", 0) != settled:
        yield f"Experts settled {number(settled, 'document')}, which is not what it says."
    if not is_old(release) and release.manifest["made_from"]["record"] != manifest.hash_record(release):
        yield "What is not published of it was changed: options with user names, replaced visual ids, who released it."


def problems_of_sources(release: Qrels) -> Iterator[str]:
    pool, before = release.pool, release.made_with["pool"]
    version = before["version"]
    again = qrels.pool_record(pool, version)
    names = before.keys() | again.keys() - {qrels.LEFT_OUT}
    if changed := [name for name in names if before.get(name) != again.get(name)]:
        yield f"The pool has other values than the release says: {', '.join(sorted(changed))}."
    earlier = qrels.earlier_version(pool, version)
    rules = earlier["protocol"] if earlier else pool.protocol
    level = counted_level(release.chosen.rule_of_grades(pool.rules.rule_of_grades), rules["level"])
    if release.protocol != {**rules, "min_relevant": release.chosen.min_relevant, "level": level}:
        yield "The protocol is not that of the pool."
    if texts := list(sources.changed_texts(pool, version)):
        more = f" and {len(texts) - TEXTS_SHOWN} more" if len(texts) > TEXTS_SHOWN else ""
        yield f"Not the text that was sealed to be judged: {'; '.join(texts[:TEXTS_SHOWN])}{more}."
    if is_old(release):
        return
    sealed, hashes = release.manifest["made_from"], sources.hash_sources(pool, version, before["runs"])
    if sealed["pool"] != hashes["pool"]:
        yield "The documents or topics of the pool are not those of the release."
    if sealed["threads"] != hashes["threads"]:
        yield "A text around the documents of the pool was changed; which one, their common hash does not tell."
    for run in before["runs"]:
        if sealed["runs"].get(run["sha256"]) != hashes["runs"][run["sha256"]]:
            yield f"Run {run['name']}: its file, ranking or role in the pool is not that of the release."


def problems_of_judgments(release: Qrels, parts: Sequence[QrelsPart], since: Iterable[JudgmentEvent]) -> Iterator[str]:
    """What was done to the judgments of its assignments and to their history after the release."""
    now = [QrelsPart(assignment=part.assignment, round=part.round, official=part.official) for part in parts]
    for difference in derivation.replay_and_compare(release.pool, now)[1]:
        yield f"A judgment differs from its history. {difference}"
    for event in since:
        if event.at < release.created - CLOCKS:
            about = f"{event.instance.entry.topic} {event.instance}: a decision of {event.by}"
            yield f"{about} is dated before the release ({event.at:%Y-%m-%d %H:%M:%S}), and was not in it."


def events_since(parts: Sequence[QrelsPart]) -> Iterator[JudgmentEvent]:
    """The decisions in its assignments since a release, in order. Without late ones, which change no judgment; releases
    of 0.1.0 do not count them among their events."""
    left = {part.assignment_id: part.events for part in parts}
    old = [part.assignment_id for part in parts if part.is_old]
    events = JudgmentEvent.objects.filter(assignment__in=left).exclude(assignment__in=old, late=True)
    counts = events.order_by().values_list("assignment").annotate(Count("pk"))
    grown = [pk for pk, count in counts if count > left[pk]]
    rows = events.filter(assignment__in=grown).select_related("instance__entry__topic", "by").order_by("pk")
    for event in rows:
        if left[event.assignment_id]:
            left[event.assignment_id] -= 1
        elif not event.late:
            yield event


def as_later(event: JudgmentEvent) -> dict[str, str]:
    return {
        "at": event.at.isoformat(timespec="seconds"),
        "by": event.by.username,
        "topic_id": event.instance.entry.topic.topic_id,
        "doc_id": event.instance.doc_id,
        "before": event.old_decision,
        "after": event.decision or TAKEN_BACK,
    }
