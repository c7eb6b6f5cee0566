"""The first page of a campaign."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils import timezone

from assess.models import Assignment, Campaign, Member
from assess.services import pipeline
from assess.services.common.access import EVERYONE
from assess.services.rounds import adjudication, board, forecast, progress
from assess.services.rounds.rounds import discussed_rounds
from assess.web.campaign.forms import pooling_rule
from assess.web.common.doors import campaign_view
from assess.web.desk.sidebar import OwnTopic, own_topics
from assess.web.jobs.pages import summary


@campaign_view(EVERYONE)
def campaign(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The overview: the steps for organizers, their own topics for other members."""
    if campaign.role != Member.Role.ORGANIZER:
        member = campaign.members.select_related("user").get(user_id=request.user.pk or 0)
        topics = topics_of(request, campaign)
        context: dict[str, Any] = {"topics": topics}
        context["is_done"] = not any(topic.own.left for topic in topics)
        context["discussions"] = discussed_rounds(member.user).filter(pool__campaign=campaign)
        return render(request, "campaign/member.html", {"campaign": campaign, **context})
    pool = campaign.current_pool()
    view = progress.overview(pool) if pool else None
    steps = pipeline.campaign_steps(campaign, view)
    context = {
        "has_pool": pool is not None,
        **(judging_of(view) if view and view.pool.frozen else {}),
        "campaign": campaign,
        "rules": campaign.rules,
        "how": pooling_rule(campaign.rules),
        "steps": steps,
        "next": pipeline.next_step(steps),
        "outdated": outdated(steps, view),
        "jobs": [(job, summary(job)) for job in campaign.jobs.select_related("created_by")[:5]],
    }
    return render(request, "overview.html", context)


def outdated(steps: list[pipeline.Step], view: progress.Overview | None) -> pipeline.Step | None:
    """The step to do again; none while people judge, because each judgment would ask for it."""
    is_going_on = view is not None and view.is_going_on
    return next((step for step in steps if step.is_outdated and not is_going_on), None)


def judging_of(view: progress.Overview) -> dict[str, Any]:
    """What needs a decision, and when judging will end."""
    now = timezone.now()
    return {
        "stopped": board.stopped(view, now),
        "unassigned": board.unassigned(view),
        "apart": len(adjudication.unsettled_distances(view.pool, adjudication.FAR_APART)),
        "failures": view.new_failures,
        "whole": view.whole,
        "forecast": forecast.make_forecast(view, now),
        "lately": forecast.LATELY.days,
    }


def topics_of(request: HttpRequest, campaign: Campaign) -> list[OwnTopic]:
    assignments = Assignment.objects.filter(topic__campaign=campaign, assessor_id=request.user.pk, handed_over=None)
    return own_topics(assignments.select_related("round", "topic"))


urlpatterns = [path("c/<slug:slug>/", campaign, name="campaign")]
