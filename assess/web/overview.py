"""The first page of a campaign."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from assess.models import Assignment, Campaign, Member
from assess.services import pipeline
from assess.services.common.access import EVERYONE
from assess.services.common.history import about
from assess.services.pool import freezing
from assess.services.rounds import adjudication, forecast, progress
from assess.services.rounds.rounds import discussed_rounds
from assess.web.campaign.forms import pooling_rule
from assess.web.common.doors import campaign_view
from assess.web.common.responses import person
from assess.web.desk.sidebar import own_topics


@campaign_view(EVERYONE)
def campaign(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The overview: the steps for organizers, their own topics for other members."""
    if campaign.role != Member.Role.ORGANIZER:
        user = person(request)
        assignments = Assignment.objects.filter(topic__campaign=campaign, assessor=user, handed_over=None)
        topics = own_topics(assignments.select_related("round", "topic__campaign"))
        context: dict[str, Any] = {
            "topics": topics,
            "is_done": not any(topic.own.left for topic in topics),
            "discussions": discussed_rounds(user).filter(pool__campaign=campaign),
        }
        return render(request, "campaign/member.html", context)
    pool = campaign.current_pool()
    view = progress.overview(pool) if pool else None
    is_going_on = view is not None and view.is_going_on  # then each judgment would ask to do a step again
    steps = pipeline.campaign_steps(campaign, with_rounds=True)
    context = {
        "has_pool": pool is not None,
        "emptied": freezing.emptied_topics(pool) if pool else [],
        **(judging_of(view) if view and view.pool.frozen else {}),
        "how": pooling_rule(campaign.rules),
        "steps": steps,
        "next": pipeline.next_step(steps),
        "outdated": next((step for step in steps if step.is_outdated and not is_going_on), None),
        "jobs": [(job, about(job)) for job in campaign.jobs.select_related("created_by")[:5]],
    }
    return render(request, "overview.html", context)


def judging_of(view: progress.Overview) -> dict[str, Any]:
    """What needs a decision, and when judging will end."""
    now = timezone.now()
    return {
        "stopped": progress.stopped_assignments(view, now),
        "overdue": progress.overdue_rounds(view, timezone.localdate(now)),
        "unassigned": progress.unassigned_topics(view),
        "disagreements": len(adjudication.unsettled_distances(view.pool, adjudication.FAR_APART)),
        "failures": view.new_failures,
        "forecast": forecast.make_forecast(view, now),
        "lately": forecast.LATELY.days,
    }
