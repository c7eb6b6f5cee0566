"""The first page of a campaign."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path

from assess.models import Assignment, Campaign, Member
from assess.services import pipeline
from assess.services.common.access import EVERYONE, campaign_for
from assess.web.campaign.forms import pooling_rule
from assess.web.jobs.pages import summary
from assess.web.judging.sidebar import OwnTopic, own_topics


def campaign(request: HttpRequest, slug: str) -> HttpResponse:
    """The overview: the steps for organizers, their own topics for other members."""
    campaign = campaign_for(request.user, slug, EVERYONE)
    if campaign.role != Member.Role.ORGANIZER:  # type: ignore[attr-defined]
        return render(request, "campaign/member.html", {"campaign": campaign, "topics": topics_of(request, campaign)})
    steps = pipeline.steps(campaign)
    context = {
        "campaign": campaign,
        "rules": campaign.rules,
        "how": pooling_rule(campaign.rules),
        "steps": steps,
        "next": pipeline.next_step(steps),
        "math_problems": campaign.math_problems.count(),
        "jobs": [(job, summary(job)) for job in campaign.jobs.select_related("created_by")[:5]],
    }
    return render(request, "overview.html", context)


def topics_of(request: HttpRequest, campaign: Campaign) -> list[OwnTopic]:
    """The user's topics in a campaign."""
    assignments = Assignment.objects.filter(topic__campaign=campaign, assessor_id=request.user.pk, handed_over=None)
    return own_topics(assignments.select_related("round", "topic"))


urlpatterns = [path("c/<slug:slug>/", campaign, name="campaign")]
