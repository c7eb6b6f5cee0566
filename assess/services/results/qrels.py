"""Releases of qrels."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max, QuerySet

from assess.ir.common.rows import JudgmentRow, Qrel
from assess.ir.formats.qrels import write_qrels
from assess.ir.results.aggregation import binarise, qrels_by_document, qrels_by_unit
from assess.ir.results.retention import removed
from assess.models import Instance, Job, Judgment, Pool, Qrels, QrelsLine, VisualMap
from assess.services.common.errors import Refused
from assess.services.formulas import visual_ids
from assess.services.jobs.job_queue import OnProgress
from assess.services.judging import adjudication, progress
from assess.services.results.agreement import judgment_rows

Unit = QrelsLine.Unit


def release(
    pool: Pool,
    by: User,
    on_progress: OnProgress,
    *,
    job: Job | None = None,
    min_relevant: int = 0,
    note: str = "",
    visual_map: int | None = None,
    with_settled: bool = False,
) -> Qrels:
    """Freeze the official judgments as qrels, without topics that have fewer than ``min_relevant`` relevant units.
    Formulas count under the visual ids of the version with the number ``visual_map``, by default the current one.
    ``with_settled``: a grade that an expert settled replaces the official one. Raises Refused if there are no official
    grades."""
    version = version_of(pool, visual_map)
    decisions = progress.decisions(pool.pk)  # Counted before the judgments are read, so that none goes unnoticed.
    rows = official_rows(pool, version)
    settled = adjudication.settled(pool) if with_settled else {}
    rows = [settle(row, settled) for row in rows]
    on_progress(1, 2, f"aggregating {len(rows)} judgments")
    judged = lines_by_unit(pool, rows)
    thin = thin_topics(pool, judged, min_relevant)
    kept = {unit: [line for line in lines if line.topic_id not in thin] for unit, lines in judged.items()}
    if not any(kept.values()):
        raise Refused("The release would be empty: nothing is graded yet, or all topics have too few relevant units.")
    qrels = Qrels(
        pool=pool,
        protocol={**pool.protocol, "min_relevant": min_relevant},
        note=note,
        released_by=by,
        job=job,
        visual_map=version,
        stand=progress.main_round_with(pool, len(rows), len({row.topic_id for row in rows}))._asdict(),
        decisions=decisions,
        made_with=made_with(pool) | {"left_out": thin} | ({"settled": len(settled)} if settled else {}),
    )
    return store(qrels, kept)


def settle(row: JudgmentRow, settled: Mapping[tuple[str, str], int]) -> JudgmentRow:
    """The judgment with the settled grade of its document, if there is one."""
    grade = settled.get((row.topic_id, row.doc_id))
    return row if grade is None else row._replace(grade=grade, outcome="")


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


def official_rows(pool: Pool, version: VisualMap | None) -> list[JudgmentRow]:
    """The judgments that make the qrels, with the visual ids of the version. A judgment belongs to its formula, so it
    moves with the formula, whatever unit the pool had put it in."""
    rows = judgment_rows(pool, official=True)
    if version is None:
        return rows
    units = visual_ids.unit_ids(version.collection, {row.doc_id for row in rows}, version)
    return [row._replace(unit_id=units.get(row.doc_id, row.unit_id)) for row in rows]


def lines_by_unit(pool: Pool, rows: list[JudgmentRow]) -> dict[str, list[Qrel]]:
    """The lines of each file of the release: formulas by visual id and by instance; answers by post, and in a separate
    file written answers, for which an outcome counts 0."""
    if pool.rules.task == "formulas":
        return {Unit.VISUAL: qrels_by_unit(rows), Unit.INSTANCE: qrels_by_document(rows)}
    kinds = Instance.objects.filter(entry__pool=pool, kind=Instance.Kind.WRITTEN)
    written = set(kinds.values_list("doc_id", flat=True))
    posts = [row for row in rows if row.doc_id not in written]
    answers = [row for row in rows if row.doc_id in written]
    files = {Unit.POST: qrels_by_document(posts), Unit.WRITTEN: qrels_by_document(answers, written)}
    return {unit: lines for unit, lines in files.items() if lines or unit == Unit.POST}


def unit_of_topics(pool: Pool) -> str:
    """The units that decide whether a topic has enough relevant ones."""
    return Unit.VISUAL if pool.rules.task == "formulas" else Unit.POST


def thin_topics(pool: Pool, judged: dict[str, list[Qrel]], min_relevant: int) -> list[str]:
    """The judged topics that a release leaves out: with fewer relevant posts or visual ids, unless the organizers have
    chosen otherwise. A topic is left out of all files of a release or of none."""
    counted = judged[unit_of_topics(pool)]
    relevant = Counter(line.topic_id for line in counted if line.grade >= pool.rules.level)
    return removed({line.topic_id for line in counted}, relevant, min_relevant, chosen_kinds(pool))


def chosen_kinds(pool: Pool) -> dict[str, str]:
    """The kinds of topics that the organizers have chosen."""
    return dict(pool.campaign.topics.exclude(kind="").order_by().values_list("topic_id", "kind"))


def left_out(pool: Pool, min_relevant: int) -> list[str]:
    """The judged topics that a release with this threshold would now leave out. Only relevant judgments are read."""
    official = Judgment.objects.filter(assignment__round__pool=pool, assignment__official=True, grade__isnull=False)
    graded = official.exclude(instance__kind=Instance.Kind.WRITTEN).order_by()
    relevant = Counter(topic for topic, _ in relevant_units(pool, graded))
    judged = graded.values_list("assignment__topic__topic_id", flat=True).distinct()
    return removed(judged, relevant, min_relevant, chosen_kinds(pool))


def relevant_units(pool: Pool, graded: QuerySet[Judgment]) -> set[tuple[str, str]]:
    """Each topic with each of its units, under the current visual ids, that one of these judgments makes relevant."""
    relevant = graded.filter(grade__gte=pool.rules.level)
    rows = list(relevant.values_list("assignment__topic__topic_id", "instance__entry__unit_id", "instance__doc_id"))
    version = version_of(pool, None)
    units = visual_ids.unit_ids(version.collection, {row[2] for row in rows}, version) if version else {}
    return {(topic, units.get(document, unit)) for topic, unit, document in rows}


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
            "answer_pool": pool.answer_pool,
        },
    }


@transaction.atomic
def store(qrels: Qrels, files: dict[str, list[Qrel]]) -> Qrels:
    """Store a release with the lines of its files, as the next version of its campaign."""
    last = Qrels.objects.filter(pool__campaign=qrels.pool.campaign).aggregate(last=Max("version"))["last"]
    qrels.version = (last or 0) + 1
    qrels.counts = {
        unit: {"lines": len(lines), "topics": len({line.topic_id for line in lines})} for unit, lines in files.items()
    }
    qrels.save()
    QrelsLine.objects.bulk_create(
        [QrelsLine(qrels=qrels, unit=unit, **line._asdict()) for unit, lines in files.items() for line in lines],
        batch_size=1000,
    )
    return qrels


def lines(qrels: Qrels, unit: str) -> list[Qrel]:
    """The lines of one file of a release."""
    return [Qrel(*row) for row in qrels.lines.filter(unit=unit).values_list("topic_id", "unit_id", "grade")]


def as_file(qrels: Qrels, unit: str, *, binary: bool = False) -> str:
    """One file of a release in the labs' format, graded or H+M (1 from the protocol's level up)."""
    rows = lines(qrels, unit)
    return write_qrels(binarise(rows, qrels.protocol["level"]) if binary else rows)
