"""Exports: all judgments of a campaign, their history, and training triples. Every format is
written row by row, so memory does not grow with their number."""

from collections.abc import Callable, Iterator
from datetime import datetime
from hashlib import sha256
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, NamedTuple

from django.db.models import OuterRef, QuerySet, Subquery

from assess.ir.common.rows import JudgmentRow
from assess.ir.formats.judgment_export import (
    Exported,
    ExportedEvent,
    ExportedJudgment,
    ExportFormat,
    TrainingTriple,
    training_triples,
    write_export,
)
from assess.ir.releases.aggregation import qrels_by_unit
from assess.models import Campaign, Instance, Judgment, JudgmentEvent, Pool
from assess.services.formulas import visual_ids
from assess.services.rounds.adjudication import independent

CHUNK = 2_000
LINES = 500
"""Lines sent at once."""
PLACE = (
    *("instance__entry__topic__topic_id", "instance__entry__unit_id", "instance__doc_id", "instance__kind"),
    *("assignment__assessor", "assignment__assessor__username", "assignment__round__kind"),
)


def judgments(campaign: Campaign) -> QuerySet[Any, Any]:
    """The judgments in force, in the order in which they were first made; those of topics that were taken back wait
    until these are assigned again. As tuples for `as_judgment`."""
    made_by = JudgmentEvent.objects.filter(assignment=OuterRef("assignment"), key=OuterRef("key")).values("guide")[:1]
    rows = Judgment.objects.filter(assignment__topic__campaign=campaign, assignment__closed=None).order_by("pk")
    rows = rows.annotate(guide=Subquery(made_by))
    return rows.values_list(*PLACE, "grade", "outcome", "active_ms", "created", "changed", "guide", "comment")


def events(campaign: Campaign) -> QuerySet[Any, Any]:
    """Every change, the first one first, as tuples for `as_event`."""
    rows = JudgmentEvent.objects.filter(assignment__topic__campaign=campaign).order_by("pk")
    fields = (
        "at",
        "by",
        "by__username",
        "old_decision",
        "decision",
        "active_ms",
        "wall_ms",
        "guide",
        "content_hash",
        "old_comment",
    )
    return rows.values_list(*PLACE, *fields, "comment")


class Export(NamedTuple):
    """Rows that are exported: what reads them, given a campaign and whether users are named, and their type."""

    rows: Callable[[Campaign, bool], Iterator[Exported]]
    row_type: type[Exported]


def export_lines(campaign: Campaign, kind: str, file_format: ExportFormat, *, names: bool = False) -> Iterator[str]:
    """A file of one of the ``EXPORTS`` in one of the ``EXPORT_FORMATS``, line by line. ``names``: with the user names
    of assessors, else with pseudonyms."""
    rows, row_type = EXPORTS[kind]
    return write_export(rows(campaign, names), row_type._fields, file_format)


def chunks(campaign: Campaign, kind: str, file_format: ExportFormat, *, names: bool = False) -> Iterator[bytes]:
    """The same in larger pieces."""
    lines = export_lines(campaign, kind, file_format, names=names)
    yield from iter(lambda: "".join(islice(lines, LINES)).encode(), b"")


def exported_judgments(campaign: Campaign, *, names: bool) -> Iterator[ExportedJudgment]:
    """``names``: with the user names of assessors, else with pseudonyms."""
    return (as_judgment(campaign, row, names) for row in judgments(campaign).iterator(CHUNK))


def exported_events(campaign: Campaign, *, names: bool) -> Iterator[ExportedEvent]:
    return (as_event(campaign, row, names) for row in events(campaign).iterator(CHUNK))


def exported_triples(campaign: Campaign) -> Iterator[TrainingTriple]:
    """What the official judgments, as they are now, teach: the best grade of each unit as in a release of all topics,
    topic by topic. Formulas count under the current visual ids."""
    pool = campaign.frozen_pool()
    for rows in by_topic(pool) if pool else ():
        written = {row.doc_id for row, kind in rows if kind == Instance.Kind.WRITTEN}
        yield from training_triples(qrels_by_unit((row for row, _ in rows), written))


def by_topic(pool: Pool) -> Iterator[list[tuple[JudgmentRow, str]]]:
    """The official judgments of each topic, and the kinds of their documents."""
    official = independent(pool).filter(assignment__official=True)
    columns = ("instance__entry__topic__topic_id", "instance__entry__unit_id", "instance__doc_id", "instance__kind")
    units = current_units(pool.campaign, official)
    rows = official.order_by("instance__entry__topic__number", columns[0], "pk")
    decisions = rows.values_list(*columns, "grade", "outcome").iterator(CHUNK)
    for _, group in groupby(decisions, itemgetter(0)):
        yield [
            (JudgmentRow("", topic, units.get(document, unit), document, grade, outcome), kind)
            for topic, unit, document, kind, grade, outcome in group
        ]


def current_units(campaign: Campaign, official: QuerySet[Judgment]) -> dict[str, str]:
    """The current visual ids of the judged formulas."""
    if not campaign.has_visual_ids:
        return {}
    return visual_ids.unit_ids(campaign.collection, set(official.order_by().values_list("instance__doc_id", flat=True)))


def as_judgment(campaign: Campaign, row: tuple[Any, ...], names: bool = False) -> ExportedJudgment:
    *place, grade, outcome, active_ms, created, changed, guide, comment = row
    times = (active_ms / 1000, moment(created), moment(changed))
    return ExportedJudgment(*placed(campaign, place, names), grade, outcome, *times, guide or "", comment)


def as_event(campaign: Campaign, row: tuple[Any, ...], names: bool = False) -> ExportedEvent:
    *place, at, by, by_name, old, decision, active_ms, wall_ms, guide, content_hash, old_comment, comment = row
    seconds = (active_ms / 1000, wall_ms / 1000)
    where = placed(campaign, place, names)
    who = by_name if names else pseudonym(campaign, by)
    return ExportedEvent(*where, moment(at), who, old, decision, *seconds, guide, content_hash, old_comment, comment)


def placed(campaign: Campaign, place: list[Any], names: bool) -> tuple[str, str, str, str, str, str]:
    topic, unit, document, kind, user, username, round = place
    return topic, unit, document, kind, username if names else pseudonym(campaign, user), round


def pseudonym(campaign: Campaign, user: int) -> str:
    """A person has the same one in all exports of a campaign, and another in each campaign."""
    return f"assessor-{sha256(f'{campaign.seed} {campaign.pk} {user}'.encode()).hexdigest()[:8]}"


def moment(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds")


EXPORTS = {
    "judgments": Export(lambda campaign, names: exported_judgments(campaign, names=names), ExportedJudgment),
    "history": Export(lambda campaign, names: exported_events(campaign, names=names), ExportedEvent),
    "triples": Export(lambda campaign, names: exported_triples(campaign), TrainingTriple),
}
"""What can be exported, by the name of its file."""
