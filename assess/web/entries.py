"""The list of an assignment: every entry with the assessor's own judgments."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from django.utils.safestring import SafeString

from assess.ir import presets
from assess.models import Assignment, Campaign, Judgment, PoolEntry
from assess.services.judging import presented
from assess.services.shown import Shown, shown
from assess.web.html import excerpt, formula_alone


class Decided(NamedTuple):
    """A judgment as a badge: its label, its colour, and whether there is a comment."""

    label: str
    style: str
    comment: str


class Entry(NamedTuple):
    """One place. ``states`` are the filters under which it is found."""

    place: int
    text: str | SafeString
    decided: list[Decided]
    documents: int
    states: set[str]


def entries_of(assignment: Assignment) -> list[Entry]:
    """The entries in the assessor's order, in a fixed number of queries."""
    pool = assignment.round.pool
    judgments = {one.instance_id: one for one in assignment.judgments.all()}
    documents: defaultdict[int, list[Shown]] = defaultdict(list)
    units = PoolEntry.objects.filter(pool=pool, topic=assignment.topic).prefetch_related("instances")
    instances = [instance for unit in units for instance in presented(assignment, unit)]
    for one in shown(pool.campaign, assignment.topic, instances):
        documents[one.instance.entry_id].append(one)
    return [entry(pool.campaign, place, documents[pk], judgments) for place, pk in enumerate(assignment.order, start=1)]


def entry(campaign: Campaign, place: int, documents: list[Shown], judgments: dict[int, Judgment]) -> Entry:
    mine = [judgments[one.instance.pk] for one in documents if one.instance.pk in judgments]
    is_done = len(mine) == len(documents)
    states = {one.decision for one in mine} | {"judged" if is_done else "open"}
    grades = {str(one.grade): one.name for one in presets.GRADES[campaign.rules.task]}
    decided = [as_decided(one, grades) for one in mine]
    return Entry(place, text_of(campaign, documents[0]), decided, len(documents), states)


def as_decided(judgment: Judgment, grades: dict[str, str]) -> Decided:
    if judgment.outcome:
        return Decided(presets.OUTCOME_LABELS[judgment.outcome], "outcome", judgment.comment)
    return Decided(grades[str(judgment.grade)], f"grade-{judgment.grade}", judgment.comment)


def text_of(campaign: Campaign, document: Shown) -> str | SafeString:
    """By what an assessor recognises an entry: the formula, or the first words."""
    if document.highlight and document.post:
        return formula_alone(campaign, document.post.title + document.post.body, document.highlight[0])
    return excerpt(document.body) or "(no text)"
