"""The first page of a campaign."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path

from assess.models import Assignment, Campaign, Member
from assess.services import pipeline
from assess.services.common.access import EVERYONE, campaign_for
from assess.web.campaign.forms import (
    pooled_how,
)
from assess.web.jobs.pages import listed
from assess.web.judging.sidebar import OwnTopic, own_topics


def campaign(request: HttpRequest, slug: str) -> HttpResponse:
    """The overview: the pipeline for organizers, their own topics for all others."""
    found = campaign_for(request.user, slug, EVERYONE)
    if found.role != Member.Role.ORGANIZER:  # type: ignore[attr-defined]
        return render(request, "campaign/member.html", {"campaign": found, "mine": topics_of(request, found)})
    steps = pipeline.steps(found)
    context = {
        "campaign": found,
        "rules": found.rules,
        "how": pooled_how(found.rules),
        "steps": steps,
        "next": pipeline.next_step(steps),
        "math_problems": found.math_problems.count(),
        "jobs": [(job, listed(job)) for job in found.jobs.select_related("created_by")[:5]],
    }
    return render(request, "overview.html", context)


def topics_of(request: HttpRequest, found: Campaign) -> list[OwnTopic]:
    """A person's topics in a campaign."""
    mine = Assignment.objects.filter(topic__campaign=found, assessor_id=request.user.pk)
    return own_topics(mine.select_related("round", "topic"))


urlpatterns = [
    path("c/<slug:slug>/", campaign, name="campaign"),
]
