"""Releases of qrels."""

from collections import Counter
from dataclasses import replace
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max, QuerySet

from assess.ir.common.rows import Qrel
from assess.ir.releases import releasing
from assess.ir.releases.release_options import ReleaseOptions
from assess.ir.releases.releasing import Files
from assess.ir.releases.retention import removed
from assess.models import Instance, Job, Judgment, Pool, Qrels, QrelsLine, QrelsPart, VisualMap
from assess.services.common import bulk
from assess.services.common.errors import Refused
from assess.services.formulas import visual_ids
from assess.services.jobs.job_queue import OnProgress
from assess.services.releases import derivation, manifest
from assess.services.releases.derivation import Part, ReplayedHistory
from assess.services.releases.grades import official_grades
from assess.services.rounds import progress

OFFICIAL = ReleaseOptions()


def release(
    pool: Pool,
    by: User,
    on_progress: OnProgress,
    options: ReleaseOptions = OFFICIAL,
    *,
    note: str = "",
    job: Job | None = None,
) -> Qrels:
    """Freeze judgments as qrels, from their history. Raises Refused if there are no grades, if the options name what
    does not exist, and if judgments were changed past their history."""
    version = version_of(pool, options.visual_ids)
    decisions = progress.decisions(pool.pk)  # Counted before the judgments are read, so that none goes unnoticed.
    on_progress(0, 3, "reading the history of the judgments")
    parts, history, main_round = read(pool, options)
    on_progress(1, 3, f"aggregating {len(history.decided)} judgments")
    units, chosen = moved(history, version), derivation.kinds_not_by_rule(pool)
    derived = derivation.derive_release(history, parts, options, pool=pool, units=units, chosen=chosen)
    if not any(derived.files.values()):
        raise Refused("The release would be empty: nothing is graded yet, or all topics have too few relevant units.")
    level = options.relevant_level(pool.rules.level)
    qrels = Qrels(
        pool=pool,
        protocol={**pool.protocol, "min_relevant": options.min_relevant, "level": level},
        options=(options if version is None else replace(options, visual_ids=version.number)).to_dict(),
        manifest=manifest.of_release(pool, options, parts, history, derived.files, level, chosen),
        units=units,
        note=note,
        released_by=by,
        job=job,
        visual_map=version,
        main_round=main_round._asdict(),
        decisions=decisions,
        made_with=made_with(pool) | {"left_out": derived.left_out(options)} | settled_documents(history, parts),
    )
    on_progress(2, 3, "storing the lines")
    return store(qrels, derived.files, parts, history)


@transaction.atomic
def read(pool: Pool, options: ReleaseOptions) -> tuple[list[Part], ReplayedHistory, progress.MainRound]:
    """The assignments that count, what their events come to, and the main round. Raises Refused if the judgments were
    changed past their history."""
    parts = derivation.parts_of(pool, options)
    history, apart = derivation.replay_now(parts)
    if apart:
        raise Refused("Judgments differ from their history: somebody has changed the database.\n" + "\n".join(apart))
    return parts, history, progress.main_round(pool)


def moved(history: ReplayedHistory, version: VisualMap | None) -> dict[str, str]:
    """The visual ids of this version that judged formulas have in place of those of the pool. A judgment
    belongs to its formula, so it moves with the formula, whatever unit the pool had put it in."""
    if version is None:
        return {}
    in_pool = {(event.doc_id, event.unit_id) for event in history.decided.values()}
    units = visual_ids.unit_ids(version.collection, {document for document, _ in in_pool}, version)
    return {document: units[document] for document, unit in sorted(in_pool) if units.get(document, unit) != unit}


def settled_documents(history: ReplayedHistory, parts: list[Part]) -> dict[str, int]:
    """How many documents have a grade that an expert settled, if any."""
    settled = derivation.settled(history, {part.assignment for part in parts if part.settles})
    return {"settled": len(settled)} if settled else {}


def version_of(pool: Pool, number: int | None) -> VisualMap | None:
    """The version of the visual ids with this number, or the current one. Raises Refused if it does not exist."""
    collection = pool.campaign.collection
    if not pool.campaign.has_visual_ids or collection is None:
        return None
    if number is None:
        return visual_ids.current(collection)
    if version := visual_ids.applied(collection).filter(number=number).first():
        return version
    raise Refused(f"The collection has no version {number} of its visual ids.")


def unit_of_topics(pool: Pool) -> str:
    """The units that decide whether a topic has enough relevant ones."""
    return releasing.unit_of_topics(pool.rules.task)


def left_out(pool: Pool, min_relevant: int) -> list[str]:
    """The judged topics that a release with this threshold would now leave out. Only relevant judgments are read."""
    graded = official_grades(pool).exclude(instance__kind=Instance.Kind.WRITTEN)
    relevant = Counter(topic for topic, _ in relevant_units(pool, graded))
    judged = graded.values_list("assignment__topic__topic_id", flat=True).distinct()
    return removed(judged, relevant, min_relevant, derivation.kinds_not_by_rule(pool))


def relevant_units(pool: Pool, graded: QuerySet[Judgment]) -> set[tuple[str, str]]:
    """Each topic with each of its units, under the current visual ids, that one of these judgments makes relevant."""
    relevant = graded.filter(grade__gte=pool.rules.level)
    rows = list(relevant.values_list("assignment__topic__topic_id", "instance__entry__unit_id", "instance__doc_id"))
    version = version_of(pool, None)
    units = visual_ids.unit_ids(version.collection, {row[2] for row in rows}, version) if version else {}
    return {(topic_id, units.get(document, unit)) for topic_id, unit, document in rows}


def made_with(pool: Pool) -> dict[str, Any]:
    """A pool and its campaign as they are now."""
    return {
        "campaign": pool.campaign.slug,
        "name": pool.campaign.name,
        "edition": pool.campaign.edition,
        "pool": {
            "version": pool.version,
            "seed": pool.seed,
            "frozen": pool.frozen.isoformat() if pool.frozen else None,
            "source": pool.source,
            "runs": pool.runs,
        },
    }


@transaction.atomic
def store(qrels: Qrels, files: Files, parts: list[Part], history: ReplayedHistory) -> Qrels:
    """Store a release with the lines of its files, as the next version of its campaign."""
    last = Qrels.objects.of(qrels.pool.campaign).aggregate(last=Max("version"))["last"]
    qrels.version = (last or 0) + 1
    qrels.counts = {
        unit: {"lines": len(lines), "topics": len({line.topic_id for line in lines})} for unit, lines in files.items()
    }
    qrels.save()
    rows = ((qrels.pk, unit, *line) for unit, lines in files.items() for line in lines)
    bulk.insert(QrelsLine, ("qrels", "unit", *Qrel._fields), rows)
    QrelsPart.objects.bulk_create(
        QrelsPart(
            qrels=qrels,
            assignment_id=part.assignment,
            settles=part.settles,
            events=history.events.get(part.assignment, 0),
            sha256=history.hashes[part.assignment],
        )
        for part in parts
    )
    return qrels


def as_file(qrels: Qrels, unit: str, *, binary: bool = False) -> str:
    """One file of a release in the labs' format, graded or H+M (1 from the protocol's level up)."""
    return manifest.as_text(
        qrels.lines_of(unit), manifest.BINARY if binary else manifest.GRADED, qrels.protocol["level"]
    )
