"""The judgments of a topic, for organizers: each document with what everybody decided, or one of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path, reverse
from django.views.decorators.http import require_safe

from assess.models import Assignment, Campaign, Judgment, Pool, Topic
from assess.services.common.access import ORGANIZER
from assess.web.common.doors import campaign_view
from assess.web.common.responses import number_in
from assess.web.desk.assignment_list import Badge
from assess.web.desk.labels import labels, style
from assess.web.pool.topics import EntryRow, entry_rows


class TimedJudgment(NamedTuple):
    """A judgment, when it was made, and the seconds of active time that it took: None if it was imported."""

    badge: Badge
    changed: datetime
    seconds: float | None


class DocumentRow(NamedTuple):
    """A document of an entry, with the judgment of each assignment: None if it has none yet; and the address of the
    preview in which it is shown."""

    row: EntryRow
    instance: int
    document: str
    judgments: list[TimedJudgment | None]
    address: str


@require_safe
@campaign_view(ORGANIZER)
def topic_judgments(request: HttpRequest, campaign: Campaign, topic_id: str) -> HttpResponse:
    """The documents of a topic, most votes first, with a column for each assignment; or those of the one that is asked
    for. ``?document=``, also several: only these."""
    topic = get_object_or_404(campaign.topics, topic_id=topic_id)
    pool = campaign.frozen_pool()
    only, some = None, set(request.GET.getlist("document"))
    columns: list[Assignment] = []
    rows: list[DocumentRow] = []
    if pool is not None:
        columns = assignments_of(pool, topic)
        if chosen := number_in(request.GET, "assignment"):
            only = next((assignment for assignment in columns if assignment.pk == chosen), None)
            if only is None:
                raise Http404
            columns = [only]
        rows = [row for row in judged_document_rows(pool, topic, columns, only) if not some or row.document in some]
    if some and not rows:
        raise Http404
    context = {"campaign": campaign, "section": "progress", "topic": topic, "rows": rows, "some": some}
    return render(request, "desk/topic.html", context | {"columns": columns, "only": only})


def assignments_of(pool: Pool, topic: Topic) -> list[Assignment]:
    chosen = Assignment.objects.filter(round__pool=pool, topic=topic).select_related("assessor", "round")
    return list(chosen.order_by("-official", "pk"))


def judged_document_rows(
    pool: Pool, topic: Topic, columns: list[Assignment], only: Assignment | None
) -> Iterator[DocumentRow]:
    judgments = judgments_of(columns, labels(pool.rules.task))
    places = {entry: place for assignment in columns[:1] for place, entry in enumerate(assignment.order, start=1)}
    wanted = set(only.instance_order) if only else None
    for row in entry_rows(pool, topic):
        place = places.get(row.entry.pk)
        address = reverse("preview", args=[pool.campaign.slug, columns[0].pk, place]) if place else ""
        for card, _ in row.documents:
            if wanted is None or card.instance.pk in wanted:
                judged = [judgments[assignment.pk].get(card.instance.pk) for assignment in columns]
                yield DocumentRow(row, card.instance.pk, card.instance.doc_id, judged, address)


def judgments_of(assignments: list[Assignment], names: dict[str, str]) -> dict[int, dict[int, TimedJudgment]]:
    """By assignment and instance, in one query."""
    judged: defaultdict[int, dict[int, TimedJudgment]] = defaultdict(dict)
    for judgment in Judgment.objects.filter(assignment__in=assignments):
        badge = Badge(names[judgment.decision], style(judgment.decision), judgment.comment)
        seconds = judgment.active_ms / 1000 if judgment.active_ms else None
        judged[judgment.assignment_id][judgment.instance_id] = TimedJudgment(badge, judgment.changed, seconds)
    return judged


urlpatterns = [path("c/<slug:slug>/progress/<str:topic_id>/", topic_judgments, name="topic_judgments")]
