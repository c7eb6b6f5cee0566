"""The judgments of a topic, for organizers: each document with what everybody decided."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path, reverse
from django.views.decorators.http import require_safe

from assess.models import Assignment, Judgment
from assess.services.common.access import campaign_for
from assess.web.judging.assignment_list import Badge
from assess.web.judging.labels import labels, style
from assess.web.pool.topics import EntryRow, rows_of


class DocumentRow(NamedTuple):
    """A document of an entry, with the judgment of each assignment: None if it has none yet; and the address of the
    preview in which it is shown."""

    row: EntryRow
    instance: int
    document: str
    badges: list[Badge | None]
    address: str


@require_safe
def topic_judgments(request: HttpRequest, slug: str, topic_id: str) -> HttpResponse:
    """The documents of a topic, most votes first, with a column for each assessor."""
    campaign = campaign_for(request.user, slug)
    topic = get_object_or_404(campaign.topics, topic_id=topic_id)
    pool = campaign.frozen_pool()
    rows: list[DocumentRow] = []
    assignments: list[Assignment] = []
    if pool is not None:
        chosen = Assignment.objects.filter(round__pool=pool, topic=topic).select_related("assessor")
        assignments = list(chosen.order_by("-official", "pk"))
        judgments = judgments_of(assignments, labels(pool.rules.task))
        places = {entry: place for each in assignments[:1] for place, entry in enumerate(each.order, start=1)}
        for row in rows_of(pool, topic):
            place = places.get(row.entry.pk)
            address = reverse("preview", args=[slug, assignments[0].pk, place]) if place else ""
            for card, _ in row.documents:
                badges = [judgments[each.pk].get(card.instance.pk) for each in assignments]
                rows.append(DocumentRow(row, card.instance.pk, card.instance.doc_id, badges, address))
    context = {"campaign": campaign, "section": "progress", "topic": topic, "rows": rows, "assignments": assignments}
    return render(request, "judging/topic.html", context)


def judgments_of(assignments: list[Assignment], names: dict[str, str]) -> dict[int, dict[int, Badge]]:
    """By assignment and instance, in one query."""
    badges: defaultdict[int, dict[int, Badge]] = defaultdict(dict)
    for judgment in Judgment.objects.filter(assignment__in=assignments):
        kept = badges[judgment.assignment_id]
        kept[judgment.instance_id] = Badge(names[judgment.decision], style(judgment.decision), judgment.comment)
    return badges


urlpatterns = [path("c/<slug:slug>/progress/<str:topic_id>/", topic_judgments, name="topic_judgments")]
