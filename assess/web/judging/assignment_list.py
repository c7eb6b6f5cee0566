"""The list of an assignment: every entry with the assessor's own judgments."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from django.db.models import F
from django.utils.safestring import SafeString

from assess.ir.collection.html import plain_text
from assess.models import Assignment, Campaign, Instance, Judgment
from assess.services.judging.items import presented
from assess.services.pool.content import Shown, shown
from assess.web.judging.labels import is_usual, labels, style
from assess.web.pool.content import text_of


class Decided(NamedTuple):
    """A judgment as a badge: its label, its colour, and whether there is a comment."""

    label: str
    style: str
    comment: str


class Entry(NamedTuple):
    """One place. ``decided``: of each document, in the order in which they are met, None where it is open; empty where
    all are. ``states`` are the filters under which it is found; ``words``, what a search looks at."""

    place: int
    text: str | SafeString
    decided: list[Decided | None]
    documents: int
    states: set[str]
    words: str

    def holds(self, words: str) -> bool:
        return all(word in self.words for word in words.casefold().split())


def entries_of(assignment: Assignment) -> list[Entry]:
    """The entries in the assessor's order, in a fixed number of queries."""
    pool = assignment.round.pool
    judgments = {one.instance_id: one for one in assignment.judgments.all()}
    changed = set(
        assignment.events.exclude(old_decision="")
        .exclude(old_decision=F("decision"), old_comment=F("comment"))
        .values_list("instance_id", flat=True)
    )
    deferred = set(assignment.deferrals.values_list("entry_id", flat=True))
    by_entry: defaultdict[int, list[Instance]] = defaultdict(list)
    for one in Instance.objects.filter(entry__pool=pool, entry__topic=assignment.topic).select_related("entry"):
        by_entry[one.entry_id].append(one)
    documents: defaultdict[int, list[Shown]] = defaultdict(list)
    instances = [one for found in by_entry.values() for one in presented(assignment, found)]
    for candidate in shown(pool.campaign, assignment.topic, instances):
        documents[candidate.instance.entry_id].append(candidate)
    return [
        entry(pool.campaign, place, documents[pk], judgments, changed, pk in deferred)
        for place, pk in enumerate(assignment.order, start=1)
    ]


def entry(
    campaign: Campaign,
    place: int,
    documents: list[Shown],
    judgments: dict[int, Judgment],
    changed: set[int],
    is_deferred: bool,
) -> Entry:
    standing = [judgments.get(one.instance.pk) for one in documents]
    mine = [one for one in standing if one]
    is_done = len(mine) == len(documents)
    states = {one.decision for one in mine} | {"judged" if is_done else "deferred" if is_deferred else "open"}
    states |= {"commented"} if any(one.comment and not is_usual(one.decision, one.comment) for one in mine) else set()
    states |= {"changed"} if not changed.isdisjoint(one.instance.pk for one in documents) else set()
    names = labels(campaign.rules.task)
    badges = [Decided(names[one.decision], style(one.decision), one.comment) if one else None for one in standing]
    texts = [f"{one.post.title if one.post else ''} {one.body}" for one in documents]
    words = " ".join([*(plain_text(text) for text in texts), *(one.comment for one in mine)]).casefold()
    return Entry(place, text_of(campaign, documents[0]), badges if mine else [], len(documents), states, words)
