"""The judgments of a topic, for organizers: each document with what everybody decided, or one of them."""

from collections.abc import Iterator
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from assess.models import Assignment, Campaign, Judgment, Pool, Topic
from assess.services.common.access import ORGANIZER
from assess.web.common.doors import campaign_page
from assess.web.common.responses import asked_row
from assess.web.pool.topics import EntryRow, entry_rows


class DocumentRow(NamedTuple):
    """A document of an entry, with the judgment of each assignment: None if it has none yet; and the address of the
    preview in which it is shown."""

    row: EntryRow
    instance: int
    document: str
    judgments: list[Judgment | None]
    address: str


@campaign_page(ORGANIZER)
def topic_judgments(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The documents of a topic, most votes first, with a column for each assignment; or those of the one that is asked
    for. ``?document=``: only those of this document or unit, if the pool has it."""
    topic = get_object_or_404(campaign.topics, topic_id=request.GET["topic"])
    pool = campaign.frozen_pool()
    judging = Assignment.objects.filter(round__pool=pool, topic=topic).select_related("assessor", "round")
    only, wanted = asked_row(request, "assignment", judging), request.GET.get("document", "")
    columns = [only] if only else list(judging.order_by("-official", "pk"))
    rows = list(judged_document_rows(pool, topic, columns, only)) if pool else []
    some = [row for row in rows if wanted in (row.document, row.row.entry.unit_id)]
    context = {"topic": topic, "rows": some or rows, "some": some, "rules": campaign.rules}
    return render(request, "desk/topic.html", context | {"columns": columns, "only": only})


def judged_document_rows(
    pool: Pool, topic: Topic, columns: list[Assignment], only: Assignment | None
) -> Iterator[DocumentRow]:
    made = Judgment.objects.filter(assignment__in=columns)
    judgments = {(judgment.assignment_id, judgment.instance_id): judgment for judgment in made}
    places = {entry: place for assignment in columns[:1] for place, entry in enumerate(assignment.order, start=1)}
    wanted = set(only.instance_order) if only else None
    for row in entry_rows(pool, topic):
        place = places.get(row.entry.pk)
        address = reverse("preview", args=[pool.campaign.slug, columns[0].pk, place]) if place else ""
        for card, _ in row.documents:
            if wanted is None or card.instance.pk in wanted:
                judged = [judgments.get((assignment.pk, card.instance.pk)) for assignment in columns]
                yield DocumentRow(row, card.instance.pk, card.instance.doc_id, judged, address)
