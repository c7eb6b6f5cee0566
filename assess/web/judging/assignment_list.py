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


class Badge(NamedTuple):
    """A judgment in a list."""

    label: str
    style: str
    comment: str


class Entry(NamedTuple):
    """One place. ``badges``: for each document in the assessor's order, None while it is open; empty if all are.
    ``states``: the filters that keep it; ``words``: what a search looks at."""

    place: int
    text: str | SafeString
    badges: list[Badge | None]
    documents: int
    states: set[str]
    words: str

    def has(self, words: str) -> bool:
        return all(word in self.words for word in words.casefold().split())


def entries_of(assignment: Assignment) -> list[Entry]:
    """The entries in the assessor's order, in a fixed number of queries."""
    campaign = assignment.campaign
    judgments = {judgment.instance_id: judgment for judgment in assignment.judgments.all()}
    changes = assignment.events.exclude(old_decision="").exclude(old_decision=F("decision"), old_comment=F("comment"))
    changed = set(changes.values_list("instance__entry_id", flat=True))
    deferred = set(assignment.deferrals.values_list("entry_id", flat=True))
    documents = documents_of(assignment)
    return [
        entry(
            campaign,
            place,
            documents[pk],
            [judgments.get(document.instance.pk) for document in documents[pk]],
            {name for name, entries in (("changed", changed), ("deferred", deferred)) if pk in entries},
        )
        for place, pk in enumerate(assignment.order, start=1)
    ]


def documents_of(assignment: Assignment) -> dict[int, list[Shown]]:
    """By entry, in the assessor's order."""
    instances = Instance.objects.filter(entry__pool=assignment.round.pool_id, entry__topic=assignment.topic)
    documents: defaultdict[int, list[Shown]] = defaultdict(list)
    for document in shown(assignment.campaign, assignment.topic, presented(assignment, instances)):
        documents[document.instance.entry_id].append(document)
    return documents


def entry(
    campaign: Campaign, place: int, documents: list[Shown], judgments: list[Judgment | None], flags: set[str]
) -> Entry:
    """``judgments``: of each document; ``flags``: of "changed" and "deferred" those that are true."""
    own = [judgment for judgment in judgments if judgment]
    states = {judgment.decision for judgment in own} | flags
    if len(own) == len(documents):
        states = states - {"deferred"} | {"judged"}
    elif "deferred" not in flags:
        states.add("open")
    if any(judgment.comment and not is_usual(judgment.decision, judgment.comment) for judgment in own):
        states.add("commented")
    names = labels(campaign.rules.task)
    badges = [Badge(names[each.decision], style(each.decision), each.comment) if each else None for each in judgments]
    texts = [f"{document.post.title if document.post else ''} {document.body}" for document in documents]
    words = " ".join([*map(plain_text, texts), *(judgment.comment for judgment in own)]).casefold()
    return Entry(place, text_of(campaign, documents[0]), badges if own else [], len(documents), states, words)
