"""Verifying a release: made again from the history of its time, and compared with what was released, byte for byte."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from django.db.models import Count
from django.utils import timezone

from assess.ir.releases.differences import ChangedLine, changed_lines
from assess.ir.releases.releasing import Files
from assess.models import JudgmentEvent, Qrels
from assess.services.common.wording import number
from assess.services.formulas import visual_ids
from assess.services.releases import derivation, manifest, qrels
from assess.services.releases.derivation import Part, ReplayedHistory

TAKEN_BACK = "taken back"
SHOWN = 100
"""So many rows of each list are kept with the release."""


class Event(NamedTuple):
    """A decision that came after the release: when, whose, on what, and from what to what."""

    at: str
    by: str
    topic_id: str
    doc_id: str
    before: str
    after: str


class FileHashes(NamedTuple):
    """The hashes of a file: in the manifest, made again from the history, and of the lines in the database."""

    name: str
    released: str
    derived: str
    stored: str

    @property
    def is_intact(self) -> bool:
        return self.released == self.derived == self.stored


class Verification(NamedTuple):
    """``problems``: what is wrong, in words; none if the release verifies. ``lines``: those in the database that differ
    from what the history gives. ``later``: the events of its assignments since the release."""

    files: list[FileHashes]
    problems: list[str]
    lines: list[ChangedLine]
    later: list[Event]

    @property
    def is_intact(self) -> bool:
        return not self.problems


def verify(release: Qrels) -> Verification:
    parts = parts_of(release)
    history = derivation.replay(parts)
    chosen = release.manifest["topics"]
    derived = derivation.derive_release(
        history, parts, release.chosen, pool=release.pool, units=release.units, chosen=chosen
    ).files
    stored = {unit: release.lines_of(unit) for unit in release.counts}
    files = list(files_of(release, derived, stored))
    problems = [*of_history(release, parts, history), *of_files(files)]
    later = later_events({part.assignment: part.events or 0 for part in parts})
    return Verification(files, problems, lines_changed(stored, derived), list(later))


def parts_of(release: Qrels) -> list[Part]:
    """The assignments that a release counts, as they were then."""
    return [Part(*part) for part in release.parts.order_by("pk").values_list("assignment", "settles", "events")]


def items(release: Qrels) -> list[str]:
    """Lines of topic, document and content hash of what a release was made from (`manifest.items`)."""
    return manifest.items(derivation.replay(parts_of(release)))


def record(release: Qrels) -> None:
    """Verify a release and keep the result with it, of long lists the beginning."""
    done = verify(release)
    release.verification = {
        "is_intact": done.is_intact,
        "files": [file._asdict() | {"is_intact": file.is_intact} for file in done.files],
        **{name: as_json(getattr(done, name)) for name in LISTS},
    }
    release.verified = timezone.now()
    release.save(update_fields=["verification", "verified"])


LISTS = ("problems", "lines", "later")


def as_json(rows: Sequence[Any]) -> dict[str, Any]:
    """How many there are, and the first of them."""
    first = [row if isinstance(row, str) else row._asdict() for row in rows[:SHOWN]]
    return {"count": len(rows), "first": first}


def files_of(release: Qrels, derived: Files, stored: Files) -> Iterator[FileHashes]:
    """The files of the manifest, and any that it does not name."""
    level = release.protocol["level"]
    released = {name: file["sha256"] for name, file in release.manifest["files"].items()}
    made = {name: manifest.hash_of([text]) for _, name, text in manifest.written(derived, level)}
    kept = {name: manifest.hash_of([text]) for _, name, text in manifest.written(stored, level)}
    for name in dict.fromkeys((*made, *released, *kept)):
        yield FileHashes(name, *(hashes.get(name, "") for hashes in (released, made, kept)))


def of_files(files: Iterable[FileHashes]) -> Iterator[str]:
    for file in files:
        if file.derived != file.released:
            yield f"{file.name}: made again, it is not the file that was released."
        if file.stored != file.released:
            yield f"{file.name}: the lines in the database are not those that were released."


def of_history(release: Qrels, parts: Sequence[Part], history: ReplayedHistory) -> Iterator[str]:
    """What was done to the history that a release was made from."""
    again = manifest.published_parts(release.pool, parts, history)
    for before, after in zip_longest(release.manifest["parts"], again):
        part = before or after
        place = f"{part['topic']}, {part['round']} round, {part['assessor']}"
        if before is None or after is None:
            yield f"{place}: the release does not have the same assignments any more."
        elif after["events"] < before["events"]:
            yield f"{place}: {after['events']} of {number(before['events'], 'event')} are left."
        elif after["sha256"] != before["sha256"]:
            yield f"{place}: its events, or the documents they are about, were changed."
    if manifest.of_items(history) != release.manifest["items"]:
        yield "What was judged, or the text that was shown for it, is not the same any more."
    if history.other_content:
        decisions = number(history.other_content, "decision")
        yield f"With another text on the screen than the pool has: {decisions}."
    if is_index_there(release) and qrels.moved(history, release.visual_map) != release.units:
        yield f"{release.visual_map} no longer gives the visual ids of the release."


def lines_changed(before: Files, after: Files) -> list[ChangedLine]:
    units = dict.fromkeys((*before, *after))
    return [line for unit in units for line in changed_lines(before.get(unit, []), after.get(unit, []), unit)]


def is_index_there(release: Qrels) -> bool:
    version = release.visual_map
    return version is not None and version.index_sha256 == visual_ids.index_of(version.collection)


def later_events(limits: Mapping[int, int]) -> Iterator[Event]:
    """The events of these assignments after so many of each, in the order in which they came."""
    events = JudgmentEvent.objects.filter(assignment__in=list(limits), late=False)
    counts = events.order_by().values_list("assignment").annotate(Count("pk"))
    grown = [pk for pk, count in counts if count > limits[pk]]
    rows = events.filter(assignment__in=grown).select_related("instance__entry__topic", "by").order_by("pk")
    left = {pk: limits[pk] for pk in grown}
    for event in rows:
        if left[event.assignment_id]:
            left[event.assignment_id] -= 1
        else:
            yield as_event(event)


def as_event(event: JudgmentEvent) -> Event:
    instance = event.instance
    fields = (instance.entry.topic.topic_id, instance.doc_id, event.old_decision, event.decision or TAKEN_BACK)
    return Event(event.at.isoformat(timespec="seconds"), event.by.username, *fields)
