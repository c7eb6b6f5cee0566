"""Exports: all judgments of a campaign, their history, and training triples. Every format is
written row by row, so memory does not grow with their number."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

from django.db.models import OuterRef, Subquery

from assess.ir.common.rows import JudgmentRow
from assess.ir.formats.judgments import EVENT, JUDGMENT, TRIPLE, ExportFormat, Row, training_triples, write_export
from assess.ir.releases.aggregation import counted_level, counted_rows, qrels_by_unit, settle
from assess.models import Campaign, Instance, Judgment, JudgmentEvent
from assess.services.formulas import visual_ids
from assess.services.rounds import adjudication

CHUNK = 2_000
LINES = 500
"""Lines sent at once."""
DOCUMENT = ("instance__entry__topic__topic_id", "instance__entry__unit_id", "instance__doc_id", "instance__kind")
PLACE = (*DOCUMENT, "assignment__assessor", "assignment__assessor__username", "assignment__round__kind")


def export_chunks(campaign: Campaign, kind: str, file_format: ExportFormat, *, names: bool = False) -> Iterator[bytes]:
    """A file of one of the ``EXPORTS`` in one of the ``EXPORT_FORMATS``, piece by piece. ``names``: with the user names
    of assessors, else with pseudonyms."""
    rows, columns = EXPORTS[kind]
    lines = write_export(rows(campaign, names), columns, file_format)
    yield from iter(lambda: "".join(islice(lines, LINES)).encode(), b"")


def exported_judgments(campaign: Campaign, names: bool) -> Iterator[Row]:
    """The judgments in force, in the order in which they were first made; those of topics that were taken back wait
    until these are assigned again."""
    made_by = JudgmentEvent.objects.filter(assignment=OuterRef("assignment"), key=OuterRef("key")).values("guide")[:1]
    rows = Judgment.objects.filter(assignment__topic__campaign=campaign, assignment__closed=None).order_by("pk")
    fields = ("grade", "outcome", "active_ms", "created", "changed", "guide", "comment", "passage")
    for row in rows.annotate(guide=Subquery(made_by)).values_list(*PLACE, *fields).iterator(CHUNK):
        *place, grade, outcome, active_ms, created, changed, guide, comment, passage = row
        times = (active_ms / 1000, moment(created), moment(changed))
        yield *named(campaign, place, names), grade, outcome, *times, guide or "", comment, passage


def exported_events(campaign: Campaign, names: bool) -> Iterator[Row]:
    """Every change, the first one first."""
    rows = JudgmentEvent.objects.filter(assignment__topic__campaign=campaign).order_by("pk")
    fields = ("at", "by", "by__username", "old_decision", "decision", "active_ms", "wall_ms", "guide", "content_hash")
    for row in rows.values_list(*PLACE, *fields, "old_comment", "comment", "passage").iterator(CHUNK):
        (*place, at, by, by_name, old, decision, active_ms, wall_ms), words = row[:-5], row[-5:]
        made = (moment(at), by_name if names else pseudonym(campaign, by), old, decision)
        times = (active_ms / 1000, wall_ms / 1000)
        yield *named(campaign, place, names), *made, *times, *words


def exported_triples(campaign: Campaign, names: bool = False) -> Iterator[tuple[str, str, float]]:
    """What the official judgments, as they are now, teach: the best grade of each unit as in a release of all topics,
    topic by topic. Formulas count under the current visual ids."""
    pool = campaign.frozen_pool()
    if pool is None:
        return
    official = adjudication.independent_judgments(pool).filter(assignment__official=True)
    units: dict[str, str] = {}
    rule = pool.rules.rule_of_grades
    settled = adjudication.settled_grades(pool) if rule else {}
    if campaign.has_visual_ids:
        documents = set(official.order_by().values_list("instance__doc_id", flat=True))
        units = visual_ids.unit_ids(campaign.collection, documents)
    rows = official.order_by("instance__entry__topic__number", DOCUMENT[0], "assignment__seat", "pk")
    for _, group in groupby(rows.values_list(*DOCUMENT, "grade", "outcome").iterator(CHUNK), itemgetter(0)):
        judged, written = [], set()
        for topic, unit, document, kind, grade, outcome in group:
            judged.append(settle(JudgmentRow("", topic, units.get(document, unit), document, grade, outcome), settled))
            if kind == Instance.Kind.WRITTEN:
                written.add(document)
        counted = qrels_by_unit(counted_rows(judged, rule, pool.rules.level), written)
        yield from training_triples(counted, counted_level(rule, pool.rules.level))


def named(campaign: Campaign, place: list[Any], names: bool) -> tuple[str, str, str, str, str, str]:
    """What `PLACE` holds, with the assessor's user name or pseudonym."""
    topic, unit, document, kind, user, username, round = place
    return topic, unit, document, kind, username if names else pseudonym(campaign, user), round


def pseudonym(campaign: Campaign, user: int) -> str:
    """A person has the same one in all exports of a campaign, and another in each campaign."""
    return f"assessor-{sha256(f'{campaign.seed} {campaign.pk} {user}'.encode()).hexdigest()[:8]}"


def moment(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds")


EXPORTS: dict[str, tuple[Callable[[Campaign, bool], Iterator[Row]], Sequence[str]]] = {
    "judgments": (exported_judgments, JUDGMENT),
    "history": (exported_events, EVENT),
    "triples": (exported_triples, TRIPLE),
}
"""What can be exported, by the name of its file: what reads it (with user names or not), and its columns."""
