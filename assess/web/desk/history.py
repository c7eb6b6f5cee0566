"""For organizers: the history of a campaign, the judgments of a topic, and every change of those of a document."""

from collections.abc import Iterator
from typing import NamedTuple

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from assess.models import Assignment, Campaign, Instance, Job, Judgment, Pool, Topic
from assess.services.common import history as service
from assess.services.common.access import ORGANIZER
from assess.web.common.doors import campaign_page
from assess.web.common.jobs import places_of_jobs, places_seen
from assess.web.common.responses import asked_row, number_in
from assess.web.pool.topics import EntryRow, entry_rows

PER_PAGE = 100


@campaign_page(ORGANIZER, section="history")
def history(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Who did what, page by page, with a link to where it is seen: of a job that is done, to what it made."""
    page = Paginator(service.history(campaign), PER_PAGE).get_page(request.GET.get("page"))
    done = [line.job.pk for line in page if line.job and line.job.state == Job.State.DONE]
    made = places_of_jobs(Job.objects.filter(pk__in=done).select_related("campaign"))
    seen = places_seen(campaign.slug, [line.place for line in page])
    rows = [(line, made.get(line.job.pk) if line.job else place) for line, place in zip(page, seen, strict=True)]
    return render(request, "desk/history.html", {"page": page, "rows": rows})


@campaign_page(ORGANIZER)
def document_history(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Every change of the judgments of a document, by everybody, the first one first."""
    documents = Instance.objects.select_related("entry__topic").filter(entry__pool__campaign=campaign)
    instance = get_object_or_404(documents, pk=number_in(request.GET, "history"))
    events = instance.events.select_related("by", "assignment__assessor", "assignment__round").order_by("pk")
    context = {"instance": instance, "events": events, "rules": campaign.rules}
    return render(request, "desk/document_history.html", context)


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
