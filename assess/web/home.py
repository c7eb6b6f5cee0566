"""The start page: the user's campaigns and topics."""

from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from assess.models import Campaign, Member, Pool, Qrels
from assess.services.rounds.progress import MainRound
from assess.services.rounds.rounds import discussed_rounds
from assess.web.common.responses import person
from assess.web.desk.sidebar import OwnTopic, topic_to_continue, topics_of


class CampaignTopics(NamedTuple):
    campaign: Campaign
    unfinished: list[OwnTopic]
    finished: list[OwnTopic]


def home(request: HttpRequest) -> HttpResponse:
    user = person(request)
    memberships = (
        Member.objects.filter(user=user).select_related("campaign").order_by("-campaign__created", "-campaign__pk")
    )
    topics = topics_of(user)
    states = campaign_states([member.campaign_id for member in memberships])
    rows = [(member, states.get(member.campaign_id, _("being set up"))) for member in memberships]
    groups = grouped(topics)
    context = {
        "invitations": user.invitations.filter(declined=None).select_related("campaign", "invited_by"),
        "memberships": memberships,
        "noticed": [each for each in memberships if each.campaign.notice and not each.campaign.archived],
        "current": [row for row in rows if not row[0].campaign.archived],
        "archived": [row for row in rows if row[0].campaign.archived],
        "groups": groups,
        "go_on": topic_to_continue(topics),
        "is_done": not any(group.unfinished for group in groups),
        "discussions": discussed_rounds(user),
        "judges": any(member.role != Member.Role.ORGANIZER for member in memberships),
        "only_judges": all(member.role == Member.Role.ASSESSOR for member in memberships),
    }
    return render(request, "home.html", context)


def grouped(topics: list[OwnTopic]) -> list[CampaignTopics]:
    """The topics by campaign, the newest first, but finished ones last."""
    by_campaign: dict[Campaign, CampaignTopics] = {}
    for topic in topics:
        campaign = topic.assignment.campaign
        group = by_campaign.setdefault(campaign, CampaignTopics(campaign, [], []))
        (group.unfinished if topic.own.left else group.finished).append(topic)
    return sorted(by_campaign.values(), key=lambda group: not group.unfinished)


def campaign_states(campaigns: list[int]) -> dict[int, str]:
    """How far each campaign with a pool is, in a few words."""
    released = Qrels.objects.filter(pool__campaign__in=campaigns).order_by("version")
    mains = released.values_list("pool__campaign", "main_round")  # all else of a release or a pool may be long
    latest = {campaign: MainRound(**main) for campaign, main in mains if main}
    newest = Pool.objects.filter(campaign__in=campaigns).order_by("version").values_list("campaign", "frozen")
    states = {campaign: _("being judged") if frozen else _("pool not frozen") for campaign, frozen in newest}
    return states | {
        campaign: _("qrels released") if main.is_complete else _("being judged, preliminary qrels released")
        for campaign, main in latest.items()
    }
