"""Releases of qrels."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, Max, OuterRef

from assess.ir.common.rows import Qrel
from assess.ir.releases.aggregation import Files, counted_level
from assess.ir.releases.differences import ChangedLine, changed_lines
from assess.ir.releases.release_options import ReleaseOptions, removed
from assess.models import Instance, Job, OnProgress, Pool, Qrels, QrelsLine, QrelsPart, VisualMap
from assess.services.agreement import discussion
from assess.services.agreement.agreement import official_judgments
from assess.services.common import bulk
from assess.services.common.errors import Refused
from assess.services.formulas import visual_ids
from assess.services.releases import derivation, manifest, sources
from assess.services.releases.derivation import ReplayedHistory
from assess.services.rounds import progress
from assess.services.rounds.adjudication import independent_judgments

LEFT_OUT = "documents_left_out"
"""How many without a text the pool lacks; 0.1.0 did not say so."""


class Graded(NamedTuple):
    topic_id: str
    unit_id: str
    doc_id: str
    grade: int


def release(
    pool: Pool,
    by: User,
    on_progress: OnProgress,
    options: ReleaseOptions | None = None,
    *,
    note: str = "",
    job: Job | None = None,
) -> Qrels:
    """Freeze judgments as qrels, from their history; without ``options`` as the protocol says. Raises Refused if there
    are no grades, if the options name what does not exist, if judgments were changed past their history, and if the key
    that signs can't be read."""
    options = options or derivation.usual_options(pool)
    version, signer = visual_map_of(pool, options.visual_ids), manifest.signed_by()
    decisions = progress.count_decisions(pool.pk)  # Counted before the judgments are read, so that none goes unnoticed.
    on_progress(0, 3, "reading the history of the judgments")
    with transaction.atomic():
        history, changed = derivation.replay_and_compare(pool, derivation.parts_of_release(pool, options))
        if changed:
            about = "Judgments differ from their history: somebody has changed the database."
            raise Refused("\n".join([about, *changed]))
        main_round = progress.main_round(pool)
    on_progress(1, 3, f"aggregating {len(history.decided)} judgments")
    units, chosen = moved_units(history, version), derivation.kinds_not_by_rule(pool)
    derived = derivation.derive_release(history, options, units, chosen)
    if not any(derived.files.values()):
        raise Refused("The release would be empty: nothing is graded yet, or all topics have too few relevant units.")
    level = counted_level(options.rule_of_grades(pool.rules.rule_of_grades), pool.rules.level)
    qrels = Qrels(
        pool=pool,
        protocol={**pool.protocol, "min_relevant": options.min_relevant, "level": level},
        options=(options if version is None else replace(options, visual_ids=version.number)).to_dict(),
        manifest=manifest.make_manifest(history, options, derived.files, level, chosen)
        | {"made_from": sources.hash_sources(pool, pool.version, pool.runs)}
        | ({"signed_by": signer} if signer else {}),
        units=units,
        note=note,
        released_by=by,
        job=job,
        visual_map=version,
        main_round=main_round._asdict(),
        decisions=decisions,
        made_with={
            "campaign": pool.campaign.slug,
            "name": pool.campaign.name,
            "edition": pool.campaign.edition,
            "pool": pool_record(pool, pool.version),
            "left_out": derived.left_out(options),
        }
        | ({"settled": len(history.settled)} if history.settled else {}),
    )
    on_progress(2, 3, "storing the lines")
    return store_release(qrels, derived.files, history)


def moved_units(history: ReplayedHistory, version: VisualMap | None) -> dict[str, str]:
    """The visual ids of this version that judged formulas have in place of those of the pool. A judgment
    belongs to its formula, so it moves with the formula, whatever unit the pool had put it in."""
    if version is None:
        return {}
    in_pool = {(event.doc_id, event.unit_id) for event in history.decided.values()}
    units = visual_ids.unit_ids(version.collection, {document for document, _ in in_pool}, version)
    return {document: units[document] for document, unit in sorted(in_pool) if units.get(document, unit) != unit}


def visual_map_of(pool: Pool, number: int | None = None) -> VisualMap | None:
    """The version of the visual ids with this number, or the current one. Raises Refused if it does not exist."""
    collection = pool.campaign.collection
    if not pool.campaign.has_visual_ids or collection is None:
        return None
    if number is None:
        return visual_ids.current_version(collection)
    if version := visual_ids.applied_versions(collection).filter(number=number).first():
        return version
    raise Refused(f"The collection has no version {number} of its visual ids.")


def official_grades(pool: Pool) -> list[Graded]:
    """The grades that count, as `official_judgments` has them."""
    if pool.rules.rule_of_grades:
        rows = official_judgments(pool)
        return [Graded(row.topic_id, row.unit_id, row.doc_id, row.grade) for row in rows if row.grade is not None]
    graded = independent_judgments(pool).filter(assignment__official=True, grade__isnull=False).order_by()
    return [Graded(*row) for row in graded.values_list(*discussion.COLUMNS[1:])]


def topics_left_out(pool: Pool, min_relevant: int, grades: Sequence[Graded] | None = None) -> list[str]:
    """The judged topics that a release with this threshold would now leave out; ``grades``: the official ones, if they
    are known. Units are those under the current visual ids."""
    written = written_answers(pool)
    graded = [row for row in (official_grades(pool) if grades is None else grades) if row.doc_id not in written]
    level = counted_level(pool.rules.rule_of_grades, pool.rules.level)
    relevant = [row for row in graded if row.grade >= level]
    version = visual_map_of(pool)
    units = visual_ids.unit_ids(version.collection, {row.doc_id for row in relevant}, version) if version else {}
    counts = Counter(topic for topic, _ in {(row.topic_id, units.get(row.doc_id, row.unit_id)) for row in relevant})
    judged = {row.topic_id for row in graded}
    return removed(judged, counts, min_relevant, derivation.kinds_not_by_rule(pool))


def written_answers(pool: Pool) -> set[str]:
    kinds = Instance.objects.filter(entry__pool=pool, kind=Instance.Kind.WRITTEN)
    return set(kinds.values_list("doc_id", flat=True))


def pool_record(pool: Pool, version: int) -> dict[str, Any]:
    """What is published of a version of a pool; of the current one if there is no such version."""
    extended = earlier_version(pool, version)
    return {
        "version": version if extended else pool.version,
        "seed": pool.seed,
        "frozen": pool.frozen.isoformat() if pool.frozen else None,
        "source": pool.source,
        "runs": pool.runs[: extended["runs"]] if extended else pool.runs,
    } | ({LEFT_OUT: len(pool.left_out)} if pool.left_out else {})


def earlier_version(pool: Pool, version: int) -> dict[str, Any] | None:
    """What the pool keeps of a version that was extended since."""
    return next((earlier for earlier in pool.history if earlier["version"] == version), None)


def count_lines(files: Files) -> dict[str, dict[str, int]]:
    return {
        unit: {"lines": len(lines), "topics": len({line.topic_id for line in lines})} for unit, lines in files.items()
    }


@transaction.atomic
def store_release(qrels: Qrels, files: Files, history: ReplayedHistory) -> Qrels:
    """Store a release with the lines of its files, as the next version of its campaign."""
    last = Qrels.objects.of(qrels.pool.campaign).aggregate(last=Max("version"))["last"]
    qrels.version = (last or 0) + 1
    qrels.counts = count_lines(files)
    qrels.manifest["made_from"] |= {"record": manifest.hash_record(qrels)}
    qrels.save()
    qrels.sha256 = manifest.hash_manifest(qrels)
    qrels.signature = manifest.sign(manifest.write_provenance(qrels))
    qrels.save(update_fields=["sha256", "signature"])
    rows = ((qrels.pk, unit, *line) for unit, lines in files.items() for line in lines)
    bulk.insert(QrelsLine, ("qrels", "unit", *Qrel._fields), rows)
    for part in history.parts:
        part.qrels = qrels
        part.events, part.sha256 = history.events.get(part.assignment_id, 0), history.hashes[part.assignment_id]
    QrelsPart.objects.bulk_create(history.parts)
    return qrels


def as_file(qrels: Qrels, unit: str, *, binary: bool = False) -> str:
    """One file of a release in the labs' format, graded or binary (1 from the protocol's level up)."""
    return manifest.as_text(qrels.lines_of(unit), binary, qrels.protocol["level"])


def line_changes(first: Qrels, second: Qrels, unit: str) -> list[ChangedLine]:
    """The lines of one file that differ. The database leaves out equal ones, which are most."""
    names, differing = Qrel._fields, []
    for release, other in ((first, second), (second, first)):
        same = other.lines.filter(unit=unit, **{name: OuterRef(name) for name in names})
        rows = release.lines.filter(~Exists(same), unit=unit).values_list(*names)
        differing.append([Qrel(*row) for row in rows])
    return changed_lines(differing[0], differing[1], unit)
