"""The start page, with the user's campaigns and topics, and the first page of a campaign."""

from typing import Any

from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from assess.models import Assignment, Campaign, Member, Pool, Qrels
from assess.services import pipeline
from assess.services.common.access import EVERYONE
from assess.services.common.history import about
from assess.services.pool import freezing
from assess.services.rounds import adjudication, forecast, progress
from assess.services.rounds.rounds import discussed_rounds
from assess.web.campaign.forms import pooling_rule
from assess.web.common.doors import campaign_view
from assess.web.common.responses import person
from assess.web.desk.sidebar import topic_to_continue, topics_of

CampaignTopics = tuple[Campaign, list[progress.OwnProgress], list[progress.OwnProgress]]
"""The unfinished topics of a person, and the finished ones."""


def home(request: HttpRequest) -> HttpResponse:
    user = person(request)
    memberships = user.memberships.select_related("campaign").order_by("campaign")
    topics = topics_of(user)
    states = campaign_states([member.campaign_id for member in memberships])
    rows = [(member, states.get(member.campaign_id, _("being set up"))) for member in memberships]
    context = {
        "invitations": user.invitations.filter(declined=None).select_related("campaign", "invited_by"),
        "memberships": memberships,
        "noticed": [each for each in memberships if each.campaign.notice and not each.campaign.archived],
        "current": [row for row in rows if not row[0].campaign.archived],
        "archived": [row for row in rows if row[0].campaign.archived],
        "groups": grouped(topics),
        "go_on": topic_to_continue(topics),
        "is_done": not any(topic.left for topic in topics),
        "discussions": discussed_rounds(user),
        "judges": any(member.role != Member.Role.ORGANIZER for member in memberships),
        "only_judges": all(member.role == Member.Role.ASSESSOR for member in memberships),
    }
    return render(request, "home.html", context)


def grouped(topics: list[progress.OwnProgress]) -> list[CampaignTopics]:
    """The topics by campaign, the newest first, but finished ones last."""
    by_campaign: dict[Campaign, CampaignTopics] = {}
    for topic in topics:
        campaign = topic.assignment.campaign
        unfinished, finished = by_campaign.setdefault(campaign, (campaign, [], []))[1:]
        (unfinished if topic.left else finished).append(topic)
    return sorted(by_campaign.values(), key=lambda group: not group[1])


def campaign_states(campaigns: list[int]) -> dict[int, str]:
    """How far each campaign with a pool is, in a few words."""
    is_assigned = Exists(Assignment.objects.filter(round__pool=OuterRef("pk"), official=True, handed_over=None))
    newest = Pool.objects.filter(campaign__in=campaigns).order_by("version")
    states = {
        campaign: (_("being judged") if assigned else _("not assigned")) if frozen else _("pool not frozen")
        for campaign, frozen, assigned in newest.values_list("campaign", "frozen", is_assigned)
    }
    for release in Qrels.objects.filter(pool__campaign__in=campaigns).order_by("version").select_related("pool"):
        is_preliminary = release.is_preliminary
        states[release.pool.campaign_id] = _("preliminary qrels released") if is_preliminary else _("qrels released")
    return states


@campaign_view(EVERYONE)
def campaign(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The overview: the steps for organizers, their own topics for other members."""
    if campaign.role != Member.Role.ORGANIZER:
        user = person(request)
        assignments = Assignment.objects.filter(topic__campaign=campaign, assessor=user, handed_over=None)
        topics = progress.of_assessor(assignments.select_related("round", "topic__campaign"))
        context: dict[str, Any] = {
            "topics": topics,
            "is_done": not any(topic.left for topic in topics),
            "discussions": discussed_rounds(user).filter(pool__campaign=campaign),
        }
        return render(request, "campaign/member.html", context)
    pool = campaign.current_pool()
    view = progress.overview(pool) if pool else None
    steps = list(pipeline.campaign_steps(campaign, with_rounds=True))
    context = {
        "has_pool": pool is not None,
        "emptied": freezing.emptied_topics(pool) if pool else [],
        **(judging_of(view) if view and view.pool.frozen else {}),
        "how": pooling_rule(campaign.rules),
        "steps": steps,
        "next": pipeline.next_step(steps),
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
