"""For organizers: the history of a campaign, and every change of the judgments of a document."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from assess.models import Campaign, Instance, Job
from assess.services.common import history as service
from assess.services.common.access import ORGANIZER
from assess.web.common.doors import campaign_page
from assess.web.common.jobs import places_of, places_of_jobs
from assess.web.common.responses import number_in

PER_PAGE = 100


@campaign_page(ORGANIZER, section="history")
def history(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Who did what, page by page, with a link to where it is seen: of a job that is done, to what it made."""
    page = Paginator(service.history(campaign), PER_PAGE).get_page(request.GET.get("page"))
    done = [line.job.pk for line in page if line.job and line.job.state == Job.State.DONE]
    made = places_of_jobs(campaign.slug, campaign.jobs.filter(pk__in=done))
    seen = places_of(campaign.slug, [(line.place.get("page", ""), line.place.get("pk")) for line in page])
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
