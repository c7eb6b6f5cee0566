"""What leaves the product: all judgments of a campaign, and their history."""

from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from assess.ir.formats.judgment_export import ExportedEvent, ExportedJudgment
from assess.models import Campaign, Judgment, JudgmentEvent

CHUNK = 2_000
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


def exported_judgments(campaign: Campaign, *, names: bool) -> Iterator[ExportedJudgment]:
    """``names``: with the user names of assessors, else with pseudonyms."""
    return (as_judgment(campaign, row, names) for row in judgments(campaign).iterator(CHUNK))


def exported_events(campaign: Campaign, *, names: bool) -> Iterator[ExportedEvent]:
    return (as_event(campaign, row, names) for row in events(campaign).iterator(CHUNK))


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
    topic, unit, document, kind, user, username, stage = place
    return topic, unit, document, kind, username if names else pseudonym(campaign, user), stage


def pseudonym(campaign: Campaign, user: int) -> str:
    """The same for a person in all exports of a campaign, another one in each campaign."""
    return f"assessor-{sha256(f'{campaign.seed} {campaign.pk} {user}'.encode()).hexdigest()[:8]}"


def moment(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds")
