"""Verifying a release: made again from the history of its time, and compared with what was released, byte for byte."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from django.db.models import Count
from django.utils import timezone

from assess.ir.releases.differences import ChangedLine, changed_lines
from assess.ir.releases.releasing import Files
from assess.models import JudgmentEvent, Qrels, QrelsPart
from assess.services.common.wording import number
from assess.services.formulas import visual_ids
from assess.services.releases import derivation, manifest, qrels
from assess.services.releases.derivation import ReplayedHistory

TAKEN_BACK = "taken back"
SHOWN = 100
"""So many rows of each list are kept with the release."""


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
    from what the history gives. ``later``: the decisions in its assignments since the release, in order: ``at`` which
    time, ``by`` whom, on which ``topic_id`` and ``doc_id``, ``before`` and ``after``."""

    files: list[FileHashes]
    problems: list[str]
    lines: list[ChangedLine]
    later: list[dict[str, str]]

    @property
    def is_intact(self) -> bool:
        return not self.problems


def verify(release: Qrels) -> Verification:
    parts = list(release.parts.order_by("pk"))
    history = derivation.replay(parts)
    chosen = release.manifest["topics"]
    derived = derivation.derive_release(
        history, parts, release.chosen, pool=release.pool, units=release.units, chosen=chosen
    ).files
    stored = {unit: release.lines_of(unit) for unit in release.counts}
    files = hash_files(release, derived, stored)
    lines = [
        line
        for unit in dict.fromkeys((*stored, *derived))
        for line in changed_lines(stored.get(unit, []), derived.get(unit, []), unit)
    ]
    problems = [*problems_of_history(release, parts, history), *problems_of_files(files)]
    return Verification(files, problems, lines, list(decisions_since(parts)))


def record_verification(release: Qrels) -> None:
    """Verify a release and keep the result with it, of long lists the beginning."""
    done = verify(release)
    lines = [line._asdict() for line in done.lines]
    lists: dict[str, list[Any]] = {"problems": done.problems, "lines": lines, "later": done.later}
    release.verification = {
        "is_intact": done.is_intact,
        "files": [file._asdict() | {"is_intact": file.is_intact} for file in done.files],
        **{name: {"count": len(rows), "first": rows[:SHOWN]} for name, rows in lists.items()},
    }
    release.verified = timezone.now()
    release.save(update_fields=["verification", "verified"])


def hash_files(release: Qrels, derived: Files, stored: Files) -> list[FileHashes]:
    """The files of the manifest, and any that it does not name."""
    level = release.protocol["level"]
    released = {name: file["sha256"] for name, file in release.manifest["files"].items()}
    made, kept = (
        {name: manifest.hash_of([text]) for _, name, text in manifest.texts_of_files(files, level)}
        for files in (derived, stored)
    )
    names = dict.fromkeys((*made, *released, *kept))
    return [FileHashes(name, *(hashes.get(name, "") for hashes in (released, made, kept))) for name in names]


def problems_of_files(files: Iterable[FileHashes]) -> Iterator[str]:
    for file in files:
        if file.derived != file.released:
            yield f"{file.name}: made again, it is not the file that was released."
        if file.stored != file.released:
            yield f"{file.name}: the lines in the database are not those that were released."


def problems_of_history(release: Qrels, parts: Sequence[QrelsPart], history: ReplayedHistory) -> Iterator[str]:
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
    if manifest.count_and_hash_items(history) != release.manifest["items"]:
        yield "What was judged, or the text that was shown for it, is not the same any more."
    if history.other_content:
        decisions = number(history.other_content, "decision")
        yield f"With another text on the screen than the pool has: {decisions}."
    version = release.visual_map
    is_index_there = version and version.index_sha256 == visual_ids.index_of(version.collection)
    if is_index_there and qrels.moved_units(history, version) != release.units:
        yield f"{version} no longer gives the visual ids of the release."


def decisions_since(parts: Sequence[QrelsPart]) -> Iterator[dict[str, str]]:
    left = {part.assignment_id: part.events for part in parts}
    events = JudgmentEvent.objects.filter(assignment__in=left, late=False)
    counts = events.order_by().values_list("assignment").annotate(Count("pk"))
    grown = [pk for pk, count in counts if count > left[pk]]
    rows = events.filter(assignment__in=grown).select_related("instance__entry__topic", "by").order_by("pk")
    for event in rows:
        if left[event.assignment_id]:
            left[event.assignment_id] -= 1
            continue
        yield {
            "at": event.at.isoformat(timespec="seconds"),
            "by": event.by.username,
            "topic_id": event.instance.entry.topic.topic_id,
            "doc_id": event.instance.doc_id,
            "before": event.old_decision,
            "after": event.decision or TAKEN_BACK,
        }
